import { sliceUnits } from "../../text/unicode.ts"
import type { Entry } from "../read/catalog.ts"
import type { FileEdit } from "../contract.ts"
import { numberIn, optionalNumber, textIn } from "../file/rows.ts"
import { MESSAGES_PER_SESSION, sessionKeyOf } from "../file/schema.ts"
import { readSegments } from "../documents/segments.ts"
import type { EditRow } from "./edit-rows.ts"
import { copiesElsewhere } from "./forks.ts"
import type { MessageRow } from "./messages.ts"
import type { Row, Rows } from "../../storage/sqlite.ts"
import type { Search } from "./open.ts"
import { scopeTest } from "./scope.ts"

// What is told of an edit beside its own row: the prompt before it, whether it is the file's first.

/** The prompt before an edit is told to this length. */
export const PROMPT_UNITS = 300

/** What is told of an edit. */
export function describeEdit(search: Search, row: EditRow, reverted: boolean): FileEdit {
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

/**
 * No earlier edit of this path that happened is known in the same project, whatever was asked for; of sessions outside
 * the scope nothing is told where they may not be read. A fork's copy is the same edit as its original; row ids tell only
 * which of them was stored first.
 */
function isFirst(search: Search, row: EditRow): boolean {
  const editing = search.database
    .prepare(`SELECT DISTINCT rid / ${MESSAGES_PER_SESSION} AS key FROM edits WHERE path = ?`)
    .all(row.pathID)
  for (const { key } of editing) {
    const entry = search.catalog.byKey(Number(key))
    if (entry) search.catalog.checked.messages(entry)
  }
  const counts = search.filter.onlyScope === true ? scopeTest(search.filter) : () => true
  const rows = search.database.iterate(
    `SELECT e.rid, m.print = (SELECT print FROM messages WHERE rid = ?) AS same
     FROM edits e JOIN messages m ON m.rid = e.rid JOIN sessions s ON s.key = e.rid / ${MESSAGES_PER_SESSION}
     WHERE e.path = ? AND e.status = 'done' AND s.project = ? AND s.removed = 0
     ORDER BY e.at, s.created, s.id, m.id`,
    row.message.rid,
    row.pathID,
    row.entry.session.projectID,
  )
  const earliest = firstOf(rows, (found) => {
    const entry = search.catalog.byKey(sessionKeyOf(numberIn(found, "rid")))
    return entry !== undefined && counts(entry)
  })
  if (earliest === undefined) return false
  return numberIn(earliest, "rid") === row.message.rid || optionalNumber(earliest, "same") === 1
}

/** The time of the earliest stored edit in scope: nothing is known of what was before. */
export function knownSince(search: Search): number | undefined {
  const inScope = scopeTest(search.filter)
  const rows = search.database.iterate("SELECT rid, at FROM edits ORDER BY at")
  const earliest = firstOf(rows, (row) => {
    const entry = search.catalog.byKey(sessionKeyOf(numberIn(row, "rid")))
    return entry !== undefined && inScope(entry)
  })
  return earliest && numberIn(earliest, "at")
}

/** The first row that is meant; the others are not read. */
function firstOf(rows: Rows, isMeant: (row: Row) => boolean): Row | undefined {
  try {
    for (let row = rows.next(); row; row = rows.next()) if (isMeant(row)) return row
    return undefined
  } finally {
    rows.close()
  }
}
