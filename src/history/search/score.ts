import { foldWithMap, originalRange, type Range } from "../../text/fold.ts"
import type { Segment } from "../documents/documents.ts"
import type { StoredText } from "../store/texts.ts"

// How well a message answers a query, and where in it the words stand together. Pure. Every weight is here; the
// benchmark of answers (`npm run bench`) shows what each of them moves.

/** Kinds of text: what was said is looked for more often than what a tool printed. Moves "known item at rank 1". */
const KIND_WEIGHTS = { user: 1, assistant: 1, reasoning: 0.6, summary: 0.5, tool: 0.3 } as const

/** A word of its own, the beginning of one, or inside one ("rate" in "generate"). Moves "known item at rank 1". */
const WHOLE_WORD = 1
const WORD_BEGINNING = 0.8
const INSIDE_WORD = 0.3

/** Each further mention of a word, up to MENTIONS, adds a little. */
const MENTION_WEIGHT = 0.06
const MENTIONS = 6

/** Words that stand together belong together: at this distance the bonus is half. Moves "known item at rank 1". */
const CLOSE_UNITS = 120
const CLOSE_WEIGHT = 1.2

/** Tool texts longer than this count less and less: a listing of a megabyte holds every word. */
const TOOL_UNITS = 2_000

/** Text of one document that is scored, from a little before its first word on; what stands only behind it counts little. */
export const SCORED_UNITS = 64 * 1024

/** One message that holds every word, against several that do together. Moves "known item at rank 1". */
const WHOLE_WEIGHT = 1.5

/** A part of a second message, of the words that only it has: more of one that stands next to the first. Moves "spread words at rank 1". */
const NEAR_WEIGHT = 0.7
const FAR_WEIGHT = 0.3
/** Messages between two that stand next to each other: an answer may be between two questions. */
const NEAR_ROWS = 2

/** A word of the title, against one said in a message. */
export const TITLE_WEIGHT = 0.5

/** A session that is about the words, against one that mentions them as often in many more messages. */
const DENSITY_WEIGHT = 0.5
/** Keeps a session of one message with one hit below a short one that is about the word. */
const SMOOTHING_MESSAGES = 10

export type ScoredWord = {
  readonly folded: string
  /** 1 or more; higher for rarer words. */
  readonly rarity: number
}

export type ScoredMessage = {
  readonly score: number
  /** What each word adds to the score, 0 for a word that the message does not hold. */
  readonly parts: readonly number[]
  /** Where most of the words stand, in the message's text. */
  readonly at: Range
}

/** A document of a message, and where in the message's text its scored part begins. */
export type ScoredSegment = Segment & { readonly from: number }

/** How much of a further message's words counts, from the places of both in the session. */
export function secondWeight(rid: number, otherRid: number): number {
  return Math.abs(rid - otherRid) <= NEAR_ROWS ? NEAR_WEIGHT : FAR_WEIGHT
}

/** By how much a session scores higher that holds the words in so many of its messages. */
export function densityWeight(holding: number, messages: number): number {
  return 1 + DENSITY_WEIGHT * Math.min(1, holding / (messages + SMOOTHING_MESSAGES))
}

/** How rare a word is, from the part of the texts that may hold it. */
export function rarityOf(share: number): number {
  return 1 + Math.log2(1 / Math.min(1, Math.max(share, 1e-5))) / 4
}

type Place = { readonly word: number; readonly start: number; readonly end: number; readonly weight: number }

/** The score of a message that holds the words of which `held` is true; `segments` are its documents in its text. */
export function scoreMessage(
  { text, plain }: Pick<StoredText, "text" | "plain">,
  segments: readonly ScoredSegment[],
  words: readonly ScoredWord[],
  held: readonly boolean[],
): ScoredMessage {
  const parts = words.map(() => 0)
  let bonus = 0
  let best: { readonly weight: number; readonly at: Range } | undefined
  for (const segment of segments) {
    const scored = text.slice(segment.from, Math.min(segment.end, segment.from + SCORED_UNITS))
    const folded = plain ? { text: scored.toLowerCase(), shifts: [] } : foldWithMap(scored)
    const places = words.flatMap((word, index) =>
      held[index] === true ? placesOf(folded.text, word.folded, index, segment.input === true) : [],
    )
    if (places.length === 0) continue
    const kind = KIND_WEIGHTS[segment.kind] * lengthWeight(segment)
    for (const [index, word] of words.entries()) {
      const own = places.filter((place) => place.word === index)
      if (own.length === 0) continue
      const top = own.reduce((most, place) => Math.max(most, place.weight), 0)
      const part = word.rarity * kind * (top + (top > 0 ? MENTION_WEIGHT * (own.length - 1) : 0))
      parts[index] = Math.max(parts[index] ?? 0, part)
    }
    const window = closest(places, words)
    const weight = window.weight * kind
    bonus = Math.max(bonus, weight * CLOSE_WEIGHT * (window.words < 2 ? 0 : closeness(window.range)))
    if (best === undefined || weight > best.weight) {
      const range = originalRange(folded, window.range)
      best = { weight, at: { start: segment.from + range.start, end: segment.from + range.end } }
    }
  }
  for (const [index, word] of words.entries())
    if (held[index] === true && parts[index] === 0)
      parts[index] = word.rarity * KIND_WEIGHTS.tool * INSIDE_WORD * 0.1
  const whole = held.includes(false) || words.length < 2 ? 1 : WHOLE_WEIGHT
  const score = (parts.reduce((sum, part) => sum + part, 0) + bonus) * whole
  return { score, parts, at: best?.at ?? { start: 0, end: 0 } }
}

function closeness({ start, end }: Range): number {
  return 1 / (1 + Math.max(0, end - start) / CLOSE_UNITS)
}

function lengthWeight({ kind, start, end }: Segment): number {
  return kind === "tool" && end - start > TOOL_UNITS ? Math.sqrt(TOOL_UNITS / (end - start)) : 1
}

function placesOf(text: string, folded: string, word: number, isInput: boolean): Place[] {
  const places: Place[] = []
  if (folded === "") return places
  for (let at = text.indexOf(folded); at >= 0 && places.length < MENTIONS;) {
    const end = at + folded.length
    places.push({
      word,
      start: at,
      end,
      weight: isInput && isFieldName(text, at, end) ? 0 : borderWeight(text, at, end),
    })
    at = text.indexOf(folded, end)
  }
  return places
}

/** The name of a tool's argument: it stands at the beginning of a line, before a colon. */
function isFieldName(text: string, start: number, end: number): boolean {
  const before = text.lastIndexOf("\n", start - 1) + 1
  return (
    /^[\w.]*$/.test(text.slice(Math.max(before, end - 100), end)) &&
    /^[\w.]{0,40}: /.test(text.slice(end, end + 44))
  )
}

function borderWeight(text: string, start: number, end: number): number {
  if (isLetter(text, start - 1) && isLetter(text, start)) return INSIDE_WORD
  return isLetter(text, end) && isLetter(text, end - 1) ? WORD_BEGINNING : WHOLE_WORD
}

/** Scripts without spaces have no borders of words: there every place is one. */
function isLetter(text: string, at: number): boolean {
  return /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{M}\p{Nd}]/u.test(text.charAt(at))
}

type Window = { readonly range: Range; readonly weight: number; readonly words: number }

/** The narrowest window around each place that holds most of the words, the heaviest one. */
function closest(places: readonly Place[], words: readonly ScoredWord[]): Window {
  const sorted = places.toSorted((one, other) => one.start - other.start)
  let best: Window = { range: { start: 0, end: 0 }, weight: -1, words: 0 }
  for (let first = 0; first < sorted.length; first++) {
    const seen = new Set<number>()
    let weight = 0
    const start = sorted[first]?.start ?? 0
    for (let last = first; last < sorted.length; last++) {
      const place = sorted[last]
      if (place === undefined || place.end - start > WINDOW_UNITS) break
      if (seen.has(place.word)) continue
      seen.add(place.word)
      weight += (words[place.word]?.rarity ?? 1) * Math.max(place.weight, 0.01)
      const range = { start, end: place.end }
      const isBetter =
        weight > best.weight + 1e-9 ||
        (Math.abs(weight - best.weight) <= 1e-9 && width(range) < width(best.range))
      if (isBetter) best = { range, weight, words: seen.size }
    }
  }
  return best
}

function width({ start, end }: Range): number {
  return end - start
}

/** Words further apart than this do not fit into one excerpt. */
const WINDOW_UNITS = 260
