import type { Entry } from "../read/catalog.ts"
import type { Coverage, HiddenCounts } from "../contract.ts"
import type { Steps } from "../steps.ts"
import { originalOf } from "./forks.ts"
import { possibleIn } from "./possible.ts"
import { hiddenAs, hiddenFrom, homesInScope, isAmong, mayBeReverted } from "./scope.ts"
import type { Reach, Search } from "./open.ts"
import { knownMatch, matchesSession } from "./session.ts"

// The walk of a search: sessions newest first, ended at the first match too many. Hidden sessions are counted
// on the way and a little beyond; what the time did not allow is told, never guessed.

/** An answer that needs longer says how far it got. Half the wait a person takes for a stall. */
export const SEARCH_BUDGET_MS = 2_500

/** Hidden matches are counted to this number of each kind: a page of them. For a common word they are most of the work. */
export const HIDDEN_COUNT_MAX = 20

/** Time for counting hidden matches once the answer itself is complete. */
export const HIDDEN_BUDGET_MS = 150

export type Match = { readonly entry: Entry; readonly reverted: boolean }

export type Walk = {
  readonly matches: readonly Match[]
  readonly more: boolean
  readonly hidden: HiddenCounts
  readonly coverage: Coverage
  readonly shown: (entry: Entry) => boolean
}

export type WalkOptions = {
  readonly limit: number
  readonly after?: { readonly updated: number; readonly sessionID: string }
  /** Subagents count as any other session. */
  readonly subagentsShown?: boolean
  readonly budgetMs?: number
}

export function* walkSessions(search: Search, options: WalkOptions): Steps<Walk> {
  const { include } = search.filter
  const included = options.subagentsShown === true ? [...include, "subagents" as const] : include
  const homes = homesInScope(search.catalog.allHomes, search.filter)
  const inScope = (entry: Entry) => isAmong(homes, entry.home)
  const shown = (entry: Entry) => inScope(entry) && hiddenAs(entry, included) === undefined
  const deadline = performance.now() + (options.budgetMs ?? SEARCH_BUDGET_MS)
  const counting = HIDDEN_KINDS.filter((kind) => !included.includes(kind))
  let countUntil = Infinity
  const matches: Match[] = []
  const counted = { subagents: 0, archived: 0, reverted: 0 }
  let atLeast = false
  let more = false
  let late = false
  let unseen: Entry | undefined
  const possible = possibleIn(search, homes)

  for (let entry = possible.next(); entry !== undefined; entry = possible.next()) {
    if (more && counting.every((kind) => counted[kind] >= HIDDEN_COUNT_MAX)) {
      atLeast = counting.length > 0
      unseen = entry
      break
    }
    const known = knownMatch(search, entry, NOT_REVERTED)
    if (known === undefined) {
      const now = performance.now()
      if (now > deadline || now > countUntil) {
        late = true
        atLeast = true
        unseen = entry
        break
      }
    }
    if (known === false) continue
    const hidden = hiddenAs(entry, included)
    if (hidden !== undefined) {
      if (counted[hidden] >= HIDDEN_COUNT_MAX) atLeast = true
      else if (known ?? (yield* matchesSession(search, entry, NOT_REVERTED))) counted[hidden]++
      continue
    }
    if (isSkipped(entry, options.after) || (more && !mayBeReverted(entry, include))) continue
    const match =
      known === true && !entry.shared
        ? { entry, reverted: false }
        : yield* matchShown(search, entry, shown, include.includes("reverted"))
    if (match === undefined) continue
    if (match === "only reverted") counted.reverted++
    else if (matches.length < options.limit) matches.push(match)
    else if (!more) {
      more = true
      countUntil = performance.now() + HIDDEN_BUDGET_MS
    }
  }
  const searched = possible.passed() - (unseen === undefined ? 0 : 1)
  const coverage = { complete: more || !late, searched, sessions: possible.total() }
  // Without words nothing matches by a reverted message alone.
  const told = search.tried.length > 0 ? included : [...included, "reverted" as const]
  const uncounted = hiddenFrom(unseen, search.catalog.entries, inScope, told)
  const hidden = { ...counted, atLeast, ...(uncounted.length > 0 && { uncounted }) }
  return { matches, more, hidden, coverage, shown }
}

const HIDDEN_KINDS = ["subagents", "archived"] as const
const NOT_REVERTED: Reach = { reverted: false }

function* matchShown(
  search: Search,
  entry: Entry,
  shown: (entry: Entry) => boolean,
  includeReverted: boolean,
): Steps<Match | "only reverted" | undefined> {
  const plain = yield* matchesSession(search, entry, NOT_REVERTED)
  let reverted = false
  if (!plain && entry.session.revertedFrom !== undefined && search.tried.length > 0) {
    reverted = yield* matchesSession(search, entry, { reverted: true })
    if (reverted && !includeReverted) return "only reverted"
  }
  if (!plain && !reverted) return undefined
  const original = yield* originalOf(search, entry, { reverted: includeReverted }, shown)
  if (original && (yield* matchesSession(search, original, { reverted: includeReverted }))) return undefined
  return { entry, reverted }
}

function isSkipped(entry: Entry, after: WalkOptions["after"]): boolean {
  if (after === undefined) return false
  const { updated, id } = entry.session
  return updated > after.updated || (updated === after.updated && id >= after.sessionID)
}
