import { type Entry, newestFirst } from "../read/catalog.ts"
import type { NoHitHelp } from "../contract.ts"
import type { Steps } from "../steps.ts"
import type { Candidates } from "./candidates.ts"
import { possibleIn } from "./possible.ts"
import { hiddenAs, type Homes, homesInScope, isAmong } from "./scope.ts"
import type { Reach, Search } from "./open.ts"
import { knownMatch, matchesSession } from "./session.ts"
import { spellings } from "./suggestions.ts"

// What to say when nothing was found: how far each word reaches, which sessions come closest, how an unknown word
// is spelt here. Bounded by time; counts that ended early say so.

/** Time for all of it. */
export const HELP_BUDGET_MS = 800

/** Sessions told as close. */
export const CLOSEST_SESSIONS = 5

/** Sessions of which it is asked whether they hold the words that were not counted to the end. */
const CLOSEST_ASKED = 20

/** Sessions read to count those with a word: what a common word needs of all is half a second of reading. */
export const COUNTED_SESSIONS = 100

/** Matches counted in projects outside the scope. */
export const ELSEWHERE_MAX = 99

const NOT_REVERTED: Reach = { reverted: false }

/** `searched`: the search that found nothing went through all sessions of the scope. */
export function* noHitHelp(search: Search, searched: boolean): Steps<NoHitHelp> {
  const { filter } = search
  const start = performance.now()
  const inScope = homesInScope(search.catalog.allHomes, filter)
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
    closest: yield* closest(search, words, holding),
    elsewhere: yield* elsewhere(search, inScope, start + HELP_BUDGET_MS),
    others: othersThan(search, inScope).includes(1),
  }
}

function* sessionsWith(
  search: Search,
  word: string,
  candidates: Candidates,
  inScope: Homes,
  until: number,
  holding: Map<Entry, string[]>,
): Steps<{ sessions: number; atLeast: boolean }> {
  const single = searchFor(search, candidates)
  let sessions = 0
  let atLeast = false
  const possible = possibleIn(single, inScope)
  for (let entry = possible.next(); entry !== undefined; entry = possible.next()) {
    if (hiddenAs(entry, search.filter.include)) continue
    const known = knownMatch(single, entry, NOT_REVERTED)
    if (known === undefined && (sessions >= COUNTED_SESSIONS || performance.now() > until)) {
      atLeast = true
      continue
    }
    if (!(known ?? (yield* matchesSession(single, entry, NOT_REVERTED)))) continue
    sessions++
    const held = holding.get(entry)
    if (held) held.push(word)
    else holding.set(entry, [word])
  }
  return { sessions, atLeast }
}

/** The search for one word alone. */
function searchFor(search: Search, word: Candidates): Search {
  return { ...search, tried: [word], excluded: [], edited: undefined, kinds: undefined, unit: "session" }
}

/** Most words first, then the rarest, then the newest. Words not counted to the end are asked of the nearest. */
function* closest(
  search: Search,
  words: NoHitHelp["words"],
  holding: ReadonlyMap<Entry, string[]>,
): Steps<NoHitHelp["closest"]> {
  if (words.length < 2) return []
  const rarity = new Map(words.map((word) => [word.word, 1 / Math.max(1, word.sessions)]))
  const nearest = (sessions: Iterable<readonly [Entry, string[]]>) =>
    Array.from(sessions, ([entry, held]) => ({
      entry,
      held,
      weight: held.reduce((sum, word) => sum + (rarity.get(word) ?? 0), 0),
    })).sort(
      (one, other) =>
        other.held.length - one.held.length ||
        other.weight - one.weight ||
        newestFirst(one.entry, other.entry),
    )
  const near = nearest(holding).slice(0, CLOSEST_ASKED)
  for (const { entry, held } of near)
    for (const [at, { word, candidates }] of search.words.entries())
      if (words[at]?.atLeast === true && !held.includes(word))
        if (yield* matchesSession(searchFor(search, candidates), entry, NOT_REVERTED)) held.push(word)
  return nearest(near.map(({ entry, held }) => [entry, held] as const))
    .slice(0, CLOSEST_SESSIONS)
    .map(({ entry, held }) => ({
      session: entry.session,
      words: words.map(({ word }) => word).filter((word) => held.includes(word)),
    }))
}

function* elsewhere(search: Search, inScope: Homes, until: number): Steps<number> {
  if (search.filter.scope.kind === "all" || search.filter.onlyScope === true) return 0
  const others = othersThan(search, inScope)
  let found = 0
  const possible = possibleIn(search, others)
  for (let entry = possible.next(); entry !== undefined; entry = possible.next()) {
    if (hiddenAs(entry, search.filter.include)) continue
    const known = knownMatch(search, entry, NOT_REVERTED)
    if (found >= ELSEWHERE_MAX || (known === undefined && performance.now() > until)) break
    if (known ?? (yield* matchesSession(search, entry, NOT_REVERTED))) found++
  }
  return found
}

/** The homes outside of the scope that are not excluded. */
function othersThan({ filter, catalog: { allHomes } }: Search, inScope: Homes): Uint8Array {
  const anywhere = homesInScope(allHomes, { ...filter, scope: { kind: "all" } })
  return Uint8Array.from(allHomes, ({ home }) => (!isAmong(inScope, home) && isAmong(anywhere, home) ? 1 : 0))
}
