import { sliceUnits } from "../../text/unicode.ts"
import type { Database, Row } from "../../storage/sqlite.ts"
import type { Catalog, Entry } from "../catalog.ts"
import type { EditKind, EditsAnswer, EditsRequest, EditStatus, FileEdit } from "../contract.ts"
import { numberIn, optionalNumber, textIn } from "../rows.ts"
import { readSegments } from "../segments.ts"
import { sessionKeyOf } from "../schema.ts"
import type { Steps } from "../steps.ts"
import { pathsMeant } from "./edited.ts"
import { copiesElsewhere, writtenIn } from "./forks.ts"
import { noHitHelp } from "./help.ts"
import type { MessageRow } from "./messages.ts"
import { hiddenAs, scopeTest } from "./scope.ts"
import { isReverted } from "./limits.ts"
import { openSearch, type Search } from "./open.ts"
import { matchesSession } from "./session.ts"
import { SEARCH_BUDGET_MS } from "./walk.ts"

// The search for file edits: edits newest first, each session asked once whether the words choose it.

/** The prompt before an edit is told to this length. */
export const PROMPT_UNITS = 300

/** More paths than this are found by walking all edits instead of looking each up. */
const MAX_PATHS_LOOKED_UP = 400

export function* searchEdits(
  database: Database,
  catalog: Catalog,
  request: EditsRequest,
): Steps<EditsAnswer> {
  // Dates choose edits, not words; the path chooses edits, not sessions.
  const { path, from = Number.MIN_SAFE_INTEGER, to = Number.MAX_SAFE_INTEGER, ...filter } = request
  const search = openSearch(database, catalog, filter)
  const paths = path === undefined ? undefined : new Set(pathsMeant(database, path))
  const found: FileEdit[] = []
  const hidden = { subagents: 0, archived: 0, reverted: 0 }
  const deadline = performance.now() + SEARCH_BUDGET_MS
  let done = 0
  let more = false
  let complete = true
  const choose = chooser(search)
  for (const group of groups(database, paths, from, to)) {
    if (performance.now() > deadline) {
      complete = false
      break
    }
    for (const row of sorted(group, catalog, search)) {
      const verdict = yield* choose(row.entry, row.message)
      if (verdict === "archived" || verdict === "reverted") hidden[verdict]++
      if (verdict !== "shown" && verdict !== "shown reverted") continue
      if (row.status === "done" && done === request.limit) {
        more = true
        break
      }
      if (row.status === "done") done++
      else if (found.length - done >= request.limit) continue
      found.push(describe(search, row, verdict === "shown reverted"))
    }
    yield "pause"
    if (more) break
  }
  const help = found.length === 0 && filter.words.length > 0 ? yield* noHitHelp(search, false) : undefined
  const since = knownSince(search)
  return {
    edits: found,
    more,
    hidden: { ...hidden, atLeast: more || !complete },
    coverage: { complete, searched: catalog.entries.length, sessions: catalog.entries.length },
    ...(help === undefined ? {} : { help }),
    ...(since === undefined ? {} : { knownSince: since }),
  }
}

type EditRow = {
  readonly entry: Entry
  readonly message: MessageRow
  readonly at: number
  readonly pathID: number
  readonly path: string
  readonly movedFrom: string | undefined
  readonly kind: EditKind
  readonly status: EditStatus
  readonly tool: string
}

type Verdict = "shown" | "shown reverted" | "archived" | "reverted" | "other"

/** Which edits are shown. Subagents' always are: who asked matters less than what was changed. */
function chooser(search: Search): (entry: Entry, message: MessageRow) => Steps<Verdict> {
  const { include } = search.filter
  const inScope = scopeTest(search.filter)
  const visible = (entry: Entry) => inScope(entry) && hiddenAs(entry, [...include, "subagents"]) === undefined
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

/** Rows of equal time at once, newest first: only within them an order must be made. */
function* groups(
  database: Database,
  paths: ReadonlySet<number> | undefined,
  from: number,
  to: number,
): Iterable<readonly Row[]> {
  const columns = "e.rid, e.at, e.path, e.moved_from, e.kind, e.status, e.tool"
  const looked = paths && paths.size <= MAX_PATHS_LOOKED_UP ? [...paths].join(",") : undefined
  const where = looked === undefined ? "" : `AND (e.path IN (${looked}) OR e.moved_from IN (${looked}))`
  const rows = database.iterate(
    `SELECT ${columns} FROM edits e WHERE e.at BETWEEN ? AND ? ${where} ORDER BY e.at DESC`,
    from,
    to,
  )
  let group: Row[] = []
  try {
    for (let row = rows.next(); row; row = rows.next()) {
      if (paths && looked === undefined && !isMeant(paths, row)) continue
      const [first] = group
      if (first && numberIn(first, "at") !== numberIn(row, "at")) {
        yield group
        group = []
      }
      group.push(row)
    }
    if (group.length > 0) yield group
  } finally {
    rows.close()
  }
}

function isMeant(paths: ReadonlySet<number>, row: Row): boolean {
  const movedFrom = optionalNumber(row, "moved_from")
  return paths.has(numberIn(row, "path")) || (movedFrom !== undefined && paths.has(movedFrom))
}

function sorted(group: readonly Row[], catalog: Catalog, search: Search): readonly EditRow[] {
  return group
    .map((row) => readEdit(row, catalog, search))
    .filter((row) => row !== undefined)
    .sort(
      (one, other) =>
        compare(other.entry.session.id, one.entry.session.id) ||
        compare(one.path, other.path) ||
        compare(other.message.id, one.message.id),
    )
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

function readEdit(row: Row, catalog: Catalog, search: Search): EditRow | undefined {
  const rid = numberIn(row, "rid")
  const entry = catalog.byKey(sessionKeyOf(rid))
  const message = entry && search.messages.row(rid)
  if (!message) return undefined
  const movedFrom = optionalNumber(row, "moved_from")
  const kind = EDIT_KINDS.get(textIn(row, "kind"))
  const status = EDIT_STATUSES.get(textIn(row, "status"))
  return {
    entry,
    message,
    at: numberIn(row, "at"),
    pathID: numberIn(row, "path"),
    path: pathOf(search.database, numberIn(row, "path")),
    movedFrom: movedFrom === undefined ? undefined : pathOf(search.database, movedFrom),
    kind: kind ?? "snapshot",
    status: status ?? "done",
    tool: textIn(row, "tool"),
  }
}

const KINDS: readonly EditKind[] = ["write", "edit", "add", "update", "delete", "move", "snapshot"]
const STATUSES: readonly EditStatus[] = ["done", "failed", "unchanged"]
const EDIT_KINDS = new Map<string, EditKind>(KINDS.map((kind) => [kind, kind]))
const EDIT_STATUSES = new Map<string, EditStatus>(STATUSES.map((status) => [status, status]))

function pathOf(database: Database, id: number): string {
  const row = database.prepare("SELECT path FROM paths WHERE id = ?").get(id)
  return row ? textIn(row, "path") : ""
}

function describe(search: Search, row: EditRow, reverted: boolean): FileEdit {
  const { entry, message } = row
  const prompt = promptBefore(search, entry, message)
  return {
    session: entry.session,
    messageID: message.id,
    at: row.at,
    path: row.path,
    ...(row.movedFrom === undefined ? {} : { movedFrom: row.movedFrom }),
    kind: row.kind,
    status: row.status,
    tool: row.tool,
    first: row.status === "done" && isFirst(search, row),
    reverted,
    alsoInForks: copiesElsewhere(search, entry, [message], scopeTest(search.filter)),
    ...(prompt === undefined ? {} : { prompt }),
  }
}

/** The last user message with text of a person before the edit. */
function promptBefore(search: Search, entry: Entry, message: MessageRow): FileEdit["prompt"] {
  const row = search.database
    .prepare(
      `SELECT rid, id, segments FROM messages WHERE session = ? AND role = 'user' AND units > 0
       AND (created, id) < (?, ?) ORDER BY created DESC, id DESC LIMIT 1`,
    )
    .get(entry.key, message.created, message.id)
  if (!row) return undefined
  const segment = readSegments(textIn(row, "segments")).find((one) => one.kind === "user")
  if (!segment) return undefined
  const whole = search.messages.text(numberIn(row, "rid")).text.slice(segment.start, segment.end)
  const text = sliceUnits(whole, 0, PROMPT_UNITS)
  return { messageID: textIn(row, "id"), text, cut: text.length < whole.length }
}

/** No earlier edit of this path that happened is known in the same project, whatever was asked for. */
function isFirst(search: Search, row: EditRow): boolean {
  const rows = search.database.iterate(
    "SELECT rid FROM edits WHERE path = ? AND status = 'done' AND at <= ? ORDER BY at, rid",
    row.pathID,
    row.at,
  )
  try {
    for (let earlier = rows.next(); earlier; earlier = rows.next()) {
      const rid = numberIn(earlier, "rid")
      if (rid === row.message.rid) return true
      const entry = search.catalog.byKey(sessionKeyOf(rid))
      if (entry?.session.projectID === row.entry.session.projectID) return false
    }
    return true
  } finally {
    rows.close()
  }
}

/** The time of the earliest stored edit in scope: nothing is known of what was before. */
function knownSince(search: Search): number | undefined {
  const inScope = scopeTest(search.filter)
  const rows = search.database.iterate("SELECT rid, at FROM edits ORDER BY at")
  try {
    for (let row = rows.next(); row; row = rows.next()) {
      const entry = search.catalog.byKey(sessionKeyOf(numberIn(row, "rid")))
      if (entry && inScope(entry)) return numberIn(row, "at")
    }
    return undefined
  } finally {
    rows.close()
  }
}
