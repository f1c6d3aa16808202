import type { Entry } from "../read/catalog.ts"
import { boundaryBefore } from "../../text/unicode.ts"
import type { Segment } from "../documents/documents.ts"
import { readSegments } from "../documents/segments.ts"
import { nameOf, type Stretch } from "../runs/runs.ts"
import type { Steps } from "../steps.ts"
import type { StoredText } from "../store/texts.ts"
import { findMessage, stretchesOf } from "./find.ts"
import { decidesByText, isAllowed, isBefore, isDated, titleCounts } from "./limits.ts"
import { holdsInKinds, type MessageRow } from "./messages.ts"
import type { Reach, Search } from "./open.ts"
import {
  densityWeight,
  rarityOf,
  SCORED_UNITS,
  scoreMessage,
  secondWeight,
  type ScoredMessage,
  type ScoredWord,
  TITLE_WEIGHT,
} from "./score.ts"

// The messages of one session that answer the query: those that together hold all words, fewest and best first.

/** Messages shown of a session. */
export const MESSAGES_SHOWN = 3

/** How much of a session is looked at: text read, in units, and messages scored. */
export type Bounds = {
  readonly units: number
  readonly messages: number
  /** By the clock of performance.now(): later no further block is read and no further message scored. */
  readonly until?: number
}

/** Of a session that is shown in full: two or three blocks. Those that may hold most of the words are read first. */
export const SHOWN_BOUNDS: Bounds = { units: 40_000, messages: 8 }

/** Of a session that is one line of an answer, or one of many to be ranked: a block. */
export const RANKED_BOUNDS: Bounds = { units: 12_000, messages: 3 }

/** Of words that are everywhere, whatever is asked: any message answers, and more reading shows no better one. */
const COMMON_BOUNDS: Bounds = { units: 8_000, messages: 2 }
const COMMON_SHARE = 0.25

export type FoundMessage = ScoredMessage & { readonly row: MessageRow; readonly held: readonly boolean[] }

export type BestMessages = {
  /** At most MESSAGES_SHOWN, best first; a later one only for words that those before it do not hold. */
  readonly shown: readonly FoundMessage[]
  /** Further messages that hold one of the words, as far as they were looked at. */
  readonly others: number
  /** Not every block that may hold a word was read. */
  readonly atLeast: boolean
  /** Words that only the title holds. */
  readonly titled: readonly boolean[]
  /** The time was over: what was found so far. */
  readonly late: boolean
  /** Of the session, for the order by relevance. */
  readonly score: number
}

/** The best messages of a session that matches. */
export function* bestMessages(
  search: Search,
  entry: Entry,
  reach: Reach,
  asked: Bounds,
): Steps<BestMessages> {
  const isCommon = search.tried.every((word) => word.share() >= COMMON_SHARE)
  const bounds = isCommon ? { ...asked, ...COMMON_BOUNDS } : asked
  const words = search.tried.map((word): ScoredWord => ({
    folded: word.folded,
    rarity: rarityOf(word.share()),
  }))
  const blocks = likeliest(search, entry)
  const holding = new Map<number, Holding>()
  const found = words.map(() => false)
  const { until = Infinity } = bounds
  const byText = countsByText(search, entry, reach)
  let read = 0
  let units = 0
  let late = false
  for (const { stretch, mayHold } of blocks) {
    late ||= performance.now() > until
    // A hit is shown also then: the first block is read.
    if (late && holding.size > 0) break
    // Behind the bound only blocks of words that were not found yet are read: they are somewhere, or in the title.
    if (units >= bounds.units && !mayHold.some((may, word) => may && found[word] !== true)) continue
    read++
    for (const stored of search.messages.texts(stretch)) {
      units += stored.text.length
      const message = holding.has(stored.rid) ? undefined : holdingOf(search, entry, reach, stored, byText)
      if (message === undefined) continue
      holding.set(stored.rid, message)
      for (const [word, holds] of message.held.entries()) if (holds) found[word] = true
    }
    yield "pause"
  }
  const first = late ? undefined : yield* firstOfOne(search, entry, reach)
  if (first && !holding.has(first.rid))
    holding.set(first.rid, { stored: search.messages.text(first.rid), held: [true], count: 1, row: first })
  const scored: FoundMessage[] = []
  for (const message of worthScoring([...holding.values()], bounds.messages, first?.rid)) {
    late ||= performance.now() > until
    if (late && scored.length > 0) break
    const made = scoredOf(search, message, words)
    if (made) scored.push(made)
    yield "pause"
  }
  const shown = chosen(scored.sort(better), words.length)
  const titleHolds = search.tried.map((word) => titleCounts(search, entry) && word.isTitled(entry.key))
  return {
    shown,
    others: holding.size - shown.length,
    atLeast: read < blocks.length,
    late,
    titled: titleHolds.map((holds, word) => holds && !shown.some((message) => message.held[word] === true)),
    score: sessionScore(shown, titleHolds, words) * densityWeight(holding.size, entry.session.messages),
  }
}

type Block = { readonly stretch: Stretch; readonly mayHold: readonly boolean[]; readonly weight: number }

/** Blocks that may hold most of the words first, then the newest; of a single word the oldest before all. */
function likeliest(search: Search, entry: Entry): readonly Block[] {
  const blocks = new Map<string, { readonly stretch: Stretch; readonly mayHold: boolean[]; weight: number }>()
  for (const [at, word] of search.tried.entries())
    for (const stretch of stretchesOf(search, entry, word, false)) {
      const name = nameOf(stretch)
      const block = blocks.get(name) ?? { stretch, mayHold: search.tried.map(() => false), weight: 0 }
      block.mayHold[at] = true
      block.weight += rarityOf(word.share())
      blocks.set(name, block)
    }
  const sorted = [...blocks.values()].sort(
    (one, other) => other.weight - one.weight || other.stretch.newest - one.stretch.newest,
  )
  if (search.tried.length > 1) return sorted
  // The first message with a single word is in the oldest of them: it is read anyway.
  return sorted.sort((one, other) => one.stretch.oldest - other.stretch.oldest)
}

type Holding = {
  readonly stored: StoredText
  readonly held: readonly boolean[]
  readonly count: number
  /** Read already where only the row tells whether the message counts. */
  readonly row: MessageRow | undefined
}

/** Which of the words a message holds that counts; undefined when it holds none. */
function holdingOf(
  search: Search,
  entry: Entry,
  reach: Reach,
  stored: StoredText,
  byText: boolean,
): Holding | undefined {
  const isHeld = search.tried.map((word) => word.isIn(stored.text, stored.plain))
  if (!isHeld.includes(true)) return undefined
  const row = byText ? undefined : search.messages.row(stored.rid)
  if (!byText && (!row || !isAllowed(search, entry, row, reach, false))) return undefined
  const { kinds } = search
  const held =
    kinds === undefined || row === undefined
      ? isHeld
      : search.tried.map((word, at) => isHeld[at] === true && holdsInKinds(row, stored, word, kinds))
  const count = held.filter(Boolean).length
  return count === 0 ? undefined : { stored, held, count, row }
}

/** Whether every message with a word counts: rows then are read only of those that are scored. */
function countsByText(search: Search, entry: Entry, reach: Reach): boolean {
  const { filter, kinds } = search
  return (
    kinds === undefined &&
    filter.role === undefined &&
    !isDated(filter) &&
    decidesByText(search, entry, reach)
  )
}

/** The first message, in the host's order, that holds a word asked for alone: it stays among the hits. */
function* firstOfOne(search: Search, entry: Entry, reach: Reach): Steps<MessageRow | undefined> {
  const [word, other] = search.tried
  return word === undefined || other !== undefined
    ? undefined
    : yield* findMessage(search, entry, word, reach)
}

/**
 * Those that hold all words where there are such, else all. Where they are too many: the one that must be there, for each
 * word a message, and the rest from both ends as stored, because a session says most where it begins and where it ends.
 */
function worthScoring(
  messages: readonly Holding[],
  most: number,
  rid: number | undefined,
): readonly Holding[] {
  const top = messages.reduce((count, message) => Math.max(count, message.count), 0)
  const wholes =
    top === messages[0]?.held.length ? messages.filter((message) => message.count === top) : messages
  const wanted = wholes.toSorted((one, other) => one.stored.rid - other.stored.rid)
  if (wanted.length <= most) return wanted
  const firsts = [
    ...wanted.filter(({ stored }) => stored.rid === rid),
    ...(messages[0]?.held ?? []).flatMap((_, word) => wanted.find(({ held }) => held[word] === true) ?? []),
  ]
  const half = Math.ceil(most / 2)
  return [...new Set([...firsts, ...wanted.slice(0, half), ...wanted.slice(half - most)])]
}

function scoredOf(
  search: Search,
  { stored, held, row = search.messages.row(stored.rid) }: Holding,
  words: readonly ScoredWord[],
): FoundMessage | undefined {
  if (row === undefined) return undefined
  const { kinds } = search
  const segments = readSegments(row.segments)
    .filter((segment) => kinds === undefined || kinds.has(segment.kind))
    .map((segment) => ({ ...segment, from: scoredFrom(search, stored, segment, held) }))
  return { row, held, ...scoreMessage(stored, segments, words, held) }
}

/** Of a long document, where its first word stands with what is before it. */
function scoredFrom(
  search: Search,
  stored: StoredText,
  { start, end }: Segment,
  held: readonly boolean[],
): number {
  if (end - start <= SCORED_UNITS) return start
  const text = stored.text.slice(start, end)
  const places = search.tried.flatMap((word, at) => {
    const place = held[at] === true ? word.placeIn(text, stored.plain) : undefined
    return place === undefined ? [] : [place.start]
  })
  const first = places.reduce((least, place) => Math.min(least, place), end - start)
  return start + boundaryBefore(text, Math.max(0, first - BEFORE_UNITS))
}

/** Text before the first word, for the excerpt and the borders of words. */
const BEFORE_UNITS = 400

/** Higher scores first; equal ones: the earlier message, and a summary never before what it sums up. */
function better(one: FoundMessage, other: FoundMessage): number {
  return (
    Number(one.row.summary) - Number(other.row.summary) ||
    other.score - one.score ||
    (isBefore(one.row, other.row) ? -1 : 1)
  )
}

/** Those that hold most of the words together, fewest first; a summary only for words that no other message holds. */
function chosen(messages: readonly FoundMessage[], wordCount: number): readonly FoundMessage[] {
  const said = messages.filter((message) => !message.row.summary)
  const shown = [...firstOf(said, wordCount)]
  const missing = new Set(
    Array.from({ length: wordCount }, (_, word) => word).filter(
      (word) => !shown.some(({ held }) => held[word]),
    ),
  )
  for (const own of [said, messages]) {
    while (shown.length < MESSAGES_SHOWN) {
      const next = mostOf(own, missing)
      if (next === undefined) break
      shown.push(next)
      for (const [word, holds] of next.held.entries()) if (holds) missing.delete(word)
    }
  }
  if (wordCount === 1) withFirst(shown, said)
  return shown
}

/** A further message with all words is shown too if it scores so well: which of them is meant cannot be known. */
const NEARLY_AS_GOOD = 0.4

/** The best messages of those with all words; where there is none, the two that hold most and score best together. */
function firstOf(said: readonly FoundMessage[], wordCount: number): readonly FoundMessage[] {
  const wholes = said.filter(({ held }) => !held.includes(false))
  const [whole] = wholes
  if (whole !== undefined && wordCount > 1)
    return wholes.filter(({ score }) => score >= NEARLY_AS_GOOD * whole.score).slice(0, MESSAGES_SHOWN)
  if (whole !== undefined || wordCount < 2) return whole === undefined ? [] : [whole]
  let best:
    | { readonly pair: readonly FoundMessage[]; readonly words: number; readonly score: number }
    | undefined
  for (const first of said)
    for (const second of said) {
      const added = second.held.filter((holds, word) => holds && first.held[word] !== true).length
      if (added === 0 || first.score < second.score) continue
      const words = added + first.held.filter(Boolean).length
      const score = first.score + addedScore(first, second, first.held)
      if (best === undefined || words > best.words || (words === best.words && score > best.score))
        best = { pair: [first, second], words, score }
    }
  return best?.pair ?? []
}

/** What a further message adds to the score of the first by the words that were not seen yet. */
function addedScore(first: FoundMessage, other: FoundMessage, seen: readonly boolean[]): number {
  const parts = other.held.reduce(
    (sum, holds, word) => sum + (holds && seen[word] !== true ? (other.parts[word] ?? 0) : 0),
    0,
  )
  return parts * secondWeight(first.row.rid, other.row.rid)
}

/** Of equal counts the first one, which is the best. */
function mostOf(messages: readonly FoundMessage[], missing: ReadonlySet<number>): FoundMessage | undefined {
  const gain = ({ held }: FoundMessage): number =>
    held.filter((holds, word) => holds && missing.has(word)).length
  return messages.reduce<FoundMessage | undefined>(
    (best, message) => (gain(message) > (best === undefined ? 0 : gain(best)) ? message : best),
    undefined,
  )
}

/** A single word keeps its first message beside its best one. */
function withFirst(shown: FoundMessage[], said: readonly FoundMessage[]): void {
  const [any] = said
  if (any === undefined) return
  const first = said.reduce(
    (earliest, message) => (isBefore(message.row, earliest.row) ? message : earliest),
    any,
  )
  if (!shown.includes(first)) shown.push(first)
}

function sessionScore(
  shown: readonly FoundMessage[],
  titleHolds: readonly boolean[],
  words: readonly ScoredWord[],
): number {
  const title = words.reduce(
    (sum, word, at) => sum + (titleHolds[at] === true ? TITLE_WEIGHT * word.rarity : 0),
    0,
  )
  const [best, ...others] = shown
  if (best === undefined) return title
  let seen = best.held
  let score = best.score + title
  for (const other of others) {
    score += addedScore(best, other, seen)
    seen = seen.map((is, word) => is || other.held[word] === true)
  }
  return score
}
