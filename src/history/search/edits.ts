import type { Database } from "../../storage/sqlite.ts"
import type { Catalog, Entry } from "../read/catalog.ts"
import type { EditsAnswer, EditsRequest, FileEdit, Filter, Hidden } from "../contract.ts"
import type { Steps } from "../steps.ts"
import { describeEdit, knownSince } from "./describe-edit.ts"
import { editingSessions, editsByTime } from "./edit-rows.ts"
import { pathsMeant } from "./edited.ts"
import { writtenIn } from "./forks.ts"
import { noHitHelp } from "./help.ts"
import type { MessageRow } from "./messages.ts"
import { hiddenAs, hiddenFrom, scopeTest } from "./scope.ts"
import { isReverted } from "./limits.ts"
import { openSearch, type Search } from "./open.ts"
import { matchesSession } from "./session.ts"
import { SEARCH_BUDGET_MS } from "./walk.ts"

// The search for file edits: edits newest first, each session asked once whether the words choose it.

export function* searchEdits(
  database: Database,
  catalog: Catalog,
  request: EditsRequest,
): Steps<EditsAnswer> {
  // Dates choose edits, not words; the path chooses edits, not sessions.
  const { path, from = Number.MIN_SAFE_INTEGER, to = Number.MAX_SAFE_INTEGER, ...filter } = request
  catalog.checked.edits()
  const search = openSearch(database, catalog, filter)
  const paths = path === undefined ? undefined : pathsMeant(database, catalog, { ...request, path })
  const found: FileEdit[] = []
  const hidden = { subagents: 0, archived: 0, reverted: 0 }
  const deadline = performance.now() + SEARCH_BUDGET_MS
  let done = 0
  let more = false
  let leftOut = false
  let complete = true
  const choose = chooser(search)
  for (const group of editsByTime(search, paths, from, to)) {
    if (performance.now() > deadline) {
      complete = false
      break
    }
    for (const row of group) {
      const verdict = yield* choose(row.entry, row.message)
      if (verdict === "archived" || verdict === "reverted") hidden[verdict]++
      if (verdict !== "shown" && verdict !== "shown reverted") continue
      if (row.status === "done" && done === request.limit) {
        more = true
        break
      }
      if (row.status === "done") done++
      else if (found.length - done >= request.limit) {
        // What happened is still shown behind them: who changed the file is asked, not who failed to.
        leftOut = true
        continue
      }
      found.push(describeEdit(search, row, verdict === "shown reverted"))
    }
    yield "pause"
    if (more) break
  }
  const ended = more || !complete
  const help =
    found.length === 0 && filter.words.length > 0
      ? yield* noHitHelp(ofEdits(search, editingSessions(database, paths, from, to)), false)
      : undefined
  const since = knownSince(search)
  const { entries } = catalog
  const uncounted = hiddenFrom(ended ? entries[0] : undefined, entries, scopeTest(filter), shownOf(filter))
  return {
    edits: found,
    more: more || leftOut,
    hidden: { ...hidden, atLeast: ended, ...(uncounted.length > 0 && { uncounted }) },
    coverage: { complete, searched: entries.length, sessions: entries.length },
    ...(help === undefined ? {} : { help }),
    ...(since === undefined ? {} : { knownSince: since }),
  }
}

/** The search for sessions that have such edits: what help counts elsewhere would be shown there. */
function ofEdits(search: Search, edited: ReadonlySet<number>): Search {
  return { ...search, edited, filter: { ...search.filter, include: shownOf(search.filter) } }
}

/** Subagents' edits are always shown: who asked matters less than what was changed. */
function shownOf({ include }: Filter): readonly Hidden[] {
  return [...include, "subagents"]
}

type Verdict = "shown" | "shown reverted" | "archived" | "reverted" | "other"

/** Which edits are shown. */
function chooser(search: Search): (entry: Entry, message: MessageRow) => Steps<Verdict> {
  const { include } = search.filter
  const inScope = scopeTest(search.filter)
  const visible = (entry: Entry) => inScope(entry) && hiddenAs(entry, shownOf(search.filter)) === undefined
  const matching = new Map<number, boolean>()
  return function* choose(entry, message) {
    if (!inScope(entry)) return "other"
    let matches = matching.get(entry.key)
    if (matches === undefined) {
      matches = yield* matchesSession(search, entry, { reverted: include.includes("reverted") })
      matching.set(entry.key, matches)
    }
    if (!matches) return "other"
    if (!visible(entry)) return "archived"
    if (entry.shared && writtenIn(search, entry, message, visible) !== entry) return "other"
    if (!isReverted(search, entry, message)) return "shown"
    return include.includes("reverted") ? "shown reverted" : "reverted"
  }
}
