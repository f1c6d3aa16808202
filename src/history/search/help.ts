import { fold } from "../../text/fold.ts"
import type { Entry } from "../catalog.ts"
import type { NoHitHelp } from "../contract.ts"
import { foldWord } from "../grams.ts"
import type { Steps } from "../steps.ts"
import type { StoredText } from "../texts.ts"
import { type Candidates, openCandidates } from "./candidates.ts"
import { hiddenAs, scopeTest } from "./scope.ts"
import type { Reach, Search } from "./open.ts"
import { knownMatch, matchesSession } from "./session.ts"
import { closeSpellings, isSpellable, wordAt, wordsAround } from "./spelling.ts"

// What to say when nothing was found: how far each word reaches, which sessions come closest, how an unknown word
// is spelt here. Bounded by time; counts that ended early say so.

/** Time for all of it. */
export const HELP_BUDGET_MS = 800

/** Sessions told as close. */
export const CLOSEST_SESSIONS = 5

/** Close spellings of an unknown word. */
export const CLOSE_SPELLINGS = 3

/** Matches counted in projects outside the scope. */
export const ELSEWHERE_MAX = 99

const NOT_REVERTED: Reach = { reverted: false }

/** Stretches of text looked through for close spellings of one part of a word. */
const SPELLING_STRETCHES = 20

/** `searched`: the search that found nothing went through all sessions of the scope. */
export function* noHitHelp(search: Search, searched: boolean): Steps<NoHitHelp> {
  const { filter } = search
  const start = performance.now()
  const inScope = scopeTest(filter)
  const holding = new Map<Entry, string[]>()
  const words: NoHitHelp["words"][number][] = []
  // One word alone has just been looked for everywhere.
  const isCounted =
    searched && filter.words.length === 1 && filter.excluded.length === 0 && filter.path === undefined
  for (const [at, { word, candidates }] of search.words.entries()) {
    const until = start + ((at + 1) / filter.words.length) * (HELP_BUDGET_MS / 2)
    const counted = isCounted
      ? { sessions: 0, atLeast: false }
      : yield* sessionsWith(search, word, candidates, inScope, until, holding)
    const close =
      counted.sessions === 0 && !counted.atLeast ? yield* spellings(search, word, inScope, until) : []
    words.push({ word, ...counted, close })
  }
  return {
    words,
    closest: closest(words, holding),
    elsewhere: yield* elsewhere(search, inScope, start + HELP_BUDGET_MS),
  }
}

function* sessionsWith(
  search: Search,
  word: string,
  candidates: Candidates,
  inScope: (entry: Entry) => boolean,
  until: number,
  holding: Map<Entry, string[]>,
): Steps<{ sessions: number; atLeast: boolean }> {
  const rest = { excluded: [], edited: undefined, kinds: undefined, unit: "session" } as const
  const single: Search = { ...search, ...rest, tried: [candidates] }
  let sessions = 0
  for (const entry of search.catalog.entries) {
    if (!inScope(entry) || hiddenAs(entry, search.filter.include)) continue
    const known = knownMatch(single, entry, NOT_REVERTED)
    if (known === undefined && performance.now() > until) return { sessions, atLeast: true }
    if (!(known ?? (yield* matchesSession(single, entry, NOT_REVERTED)))) continue
    sessions++
    const held = holding.get(entry)
    if (held) held.push(word)
    else holding.set(entry, [word])
  }
  return { sessions, atLeast: false }
}

/** Most words first, then the rarest, then the newest: the map's own order is newest first. */
function closest(
  words: NoHitHelp["words"],
  holding: ReadonlyMap<Entry, readonly string[]>,
): NoHitHelp["closest"] {
  if (words.length < 2) return []
  const rarity = new Map(words.map((word) => [word.word, 1 / Math.max(1, word.sessions)]))
  const weight = (held: readonly string[]) => held.reduce((sum, word) => sum + (rarity.get(word) ?? 0), 0)
  return [...holding]
    .sort(
      ([a, one], [b, other]) =>
        other.length - one.length || weight(other) - weight(one) || b.session.updated - a.session.updated,
    )
    .slice(0, CLOSEST_SESSIONS)
    .map(([entry, held]) => ({ session: entry.session, words: held }))
}

function* elsewhere(search: Search, inScope: (entry: Entry) => boolean, until: number): Steps<number> {
  if (search.filter.scope.kind === "all") return 0
  const anywhere = scopeTest({ ...search.filter, scope: { kind: "all" } })
  let found = 0
  for (const entry of search.catalog.entries) {
    if (inScope(entry) || !anywhere(entry) || hiddenAs(entry, search.filter.include)) continue
    const known = knownMatch(search, entry, NOT_REVERTED)
    if (found >= ELSEWHERE_MAX || (known === undefined && performance.now() > until)) break
    if (known ?? (yield* matchesSession(search, entry, NOT_REVERTED))) found++
  }
  return found
}

/** Words that share a good part of the unknown one: a slip leaves one half or one third intact. */
function* spellings(
  search: Search,
  word: string,
  inScope: (entry: Entry) => boolean,
  until: number,
): Steps<readonly string[]> {
  const folded = foldWord(word)
  if (!isSpellable(folded)) return []
  const words: string[] = []
  for (const piece of piecesOf(folded)) {
    const candidates = openCandidates(search.database, search.catalog, piece)
    let left = SPELLING_STRETCHES
    for (const entry of search.catalog.entries) {
      if (!inScope(entry)) continue
      if (candidates.isTitled(entry.key)) words.push(...wordsAround(entry.foldedTitle, piece))
      if (!candidates.mayBeIn(entry.key)) continue
      if (left <= 0 || performance.now() > until) break
      for (const stretch of candidates.stretchesIn(entry.key).slice(0, left)) {
        for (const stored of search.messages.texts(stretch)) words.push(...wordsWith(candidates, stored))
        left--
        yield "pause"
      }
    }
  }
  return closeSpellings(folded, words, CLOSE_SPELLINGS)
}

/** The folded words of a text that hold the piece. Folding all of the text is left to texts that need it. */
function wordsWith(piece: Candidates, { text, plain }: StoredText): readonly string[] {
  if (!plain) return wordsAround(fold(text), piece.folded)
  const words: string[] = []
  for (let from = 0; ;) {
    const place = piece.placeIn(text.slice(from), plain)
    if (!place) return words
    words.push(fold(wordAt(text, from + place.start, from + place.end)))
    from += place.end
  }
}

function piecesOf(folded: string): readonly string[] {
  const characters = Array.from(folded)
  const count = characters.length >= 9 ? 3 : 2
  const size = Math.max(3, Math.floor(characters.length / count))
  const starts = Array.from({ length: count }, (_, at) =>
    Math.min(at * size, Math.max(0, characters.length - size)),
  )
  return [...new Set(starts.map((start) => characters.slice(start, start + size).join("")))]
}
