import { fold } from "../../text/fold.ts"
import type { Entry } from "../catalog.ts"
import type { NoHitHelp } from "../contract.ts"
import { trigramQuery } from "../grams.ts"
import { numberIn } from "../rows.ts"
import { sessionKeyOf } from "../schema.ts"
import type { Steps } from "../steps.ts"
import { hiddenAs, scopeTest } from "./scope.ts"
import { matchesSession, openSearch, closeSearch, type Search } from "./session.ts"
import { closeSpellings } from "./spelling.ts"

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

/** Texts looked through for close spellings of one word. */
const SPELLING_TEXTS = 300

export function* noHitHelp(search: Search): Steps<NoHitHelp> {
  const { filter } = search
  const start = performance.now()
  const inScope = scopeTest(filter)
  const entries = search.catalog.entries.filter((entry) => inScope(entry) && !hiddenAs(entry, filter.include))
  const holding = new Map<Entry, string[]>()
  const words: NoHitHelp["words"][number][] = []
  for (const [at, word] of filter.words.entries()) {
    const until = start + ((at + 1) / filter.words.length) * (HELP_BUDGET_MS / 2)
    const counted = yield* sessionsWith(search, word, entries, until, holding)
    const close = counted.sessions === 0 && !counted.atLeast ? yield* spellings(search, word, inScope) : []
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
  entries: readonly Entry[],
  until: number,
  holding: Map<Entry, string[]>,
): Steps<{ sessions: number; atLeast: boolean }> {
  const { path: _path, ...rest } = search.filter
  const single = openSearch(search.database, search.catalog, { ...rest, words: [word], excluded: [] })
  let sessions = 0
  try {
    for (const entry of entries) {
      if (performance.now() > until) return { sessions, atLeast: true }
      if (!(yield* matchesSession(single, entry, { reverted: false }))) continue
      sessions++
      const known = holding.get(entry)
      if (known) known.push(word)
      else holding.set(entry, [word])
    }
    return { sessions, atLeast: false }
  } finally {
    closeSearch(single)
  }
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
    if (found >= ELSEWHERE_MAX || performance.now() > until) break
    if (inScope(entry) || !anywhere(entry) || hiddenAs(entry, search.filter.include)) continue
    if (yield* matchesSession(search, entry, { reverted: false })) found++
  }
  return found
}

/** Words of texts that share a good part of the unknown word: a slip leaves one half or one third intact. */
function* spellings(
  search: Search,
  word: string,
  inScope: (entry: Entry) => boolean,
): Steps<readonly string[]> {
  const folded = fold(word)
  const texts: string[] = []
  for (const query of piecesOf(folded).map(trigramQuery)) {
    if (query === undefined) continue
    const rows = search.database
      .prepare("SELECT rowid AS rid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?")
      .all(query, SPELLING_TEXTS)
    for (const row of rows) {
      const entry = search.catalog.byKey(sessionKeyOf(numberIn(row, "rid")))
      if (entry && inScope(entry)) texts.push(fold(search.messages.text(numberIn(row, "rid"))))
      yield "pause"
    }
  }
  texts.push(...search.catalog.entries.filter(inScope).map((entry) => entry.foldedTitle))
  return yield* closeSpellings(folded, texts, CLOSE_SPELLINGS)
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
