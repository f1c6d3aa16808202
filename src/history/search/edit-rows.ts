import type { Database, Row } from "../../storage/sqlite.ts"
import type { Entry } from "../read/catalog.ts"
import type { EditKind, EditStatus } from "../contract.ts"
import { numberIn, optionalNumber, textIn } from "../file/rows.ts"
import { sessionKeyOf } from "../file/schema.ts"
import type { MessageRow } from "./messages.ts"
import type { Search } from "./open.ts"

// The stored edits, newest first, as a search walks them.

/** More paths than this are found by walking all edits instead of looking each up. */
const MAX_PATHS_LOOKED_UP = 400

export type EditRow = {
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

/** The edits of the paths, or all, between two times: those of equal time together, in the order of an answer. */
export function* editsByTime(
  search: Search,
  paths: ReadonlySet<number> | undefined,
  from: number,
  to: number,
): Iterable<readonly EditRow[]> {
  for (const group of groups(storedEdits(search.database, paths, from, to))) yield sorted(group, search)
}

/** Keys of the sessions that have such edits, whatever became of them. */
export function editingSessions(
  database: Database,
  paths: ReadonlySet<number> | undefined,
  from: number,
  to: number,
): ReadonlySet<number> {
  const keys = new Set<number>()
  for (const row of storedEdits(database, paths, from, to)) keys.add(sessionKeyOf(numberIn(row, "rid")))
  return keys
}

/** Rows of equal time at once, newest first: only within them an order must be made. */
function* groups(rows: Iterable<Row>): Iterable<readonly Row[]> {
  let group: Row[] = []
  for (const row of rows) {
    const [first] = group
    if (first && numberIn(first, "at") !== numberIn(row, "at")) {
      yield group
      group = []
    }
    group.push(row)
  }
  if (group.length > 0) yield group
}

function* storedEdits(
  database: Database,
  paths: ReadonlySet<number> | undefined,
  from: number,
  to: number,
): Iterable<Row> {
  const columns = "e.rid, e.at, e.path, e.moved_from, e.kind, e.status, e.tool"
  const looked = paths && paths.size <= MAX_PATHS_LOOKED_UP ? [...paths].join(",") : undefined
  const where = looked === undefined ? "" : `AND (e.path IN (${looked}) OR e.moved_from IN (${looked}))`
  const rows = database.iterate(
    `SELECT ${columns} FROM edits e WHERE e.at BETWEEN ? AND ? ${where} ORDER BY e.at DESC`,
    from,
    to,
  )
  try {
    for (let row = rows.next(); row; row = rows.next())
      if (paths === undefined || looked !== undefined || isMeant(paths, row)) yield row
  } finally {
    rows.close()
  }
}

function isMeant(paths: ReadonlySet<number>, row: Row): boolean {
  const movedFrom = optionalNumber(row, "moved_from")
  return paths.has(numberIn(row, "path")) || (movedFrom !== undefined && paths.has(movedFrom))
}

function sorted(group: readonly Row[], search: Search): readonly EditRow[] {
  return group
    .map((row) => readEdit(row, search))
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

function readEdit(row: Row, search: Search): EditRow | undefined {
  const rid = numberIn(row, "rid")
  const entry = search.catalog.byKey(sessionKeyOf(rid))
  if (!entry) return undefined
  const message = search.messages.row(rid)
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
