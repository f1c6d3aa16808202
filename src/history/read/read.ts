import { sliceUnits } from "../../text/unicode.ts"
import type { Database, Row } from "../../storage/sqlite.ts"
import type { Catalog, Entry } from "./catalog.ts"
import type { Segment } from "../documents/documents.ts"
import type {
  DocumentKind,
  MessagesAnswer,
  MessagesRequest,
  StoredMarker,
  StoredMessage,
} from "../contract.ts"
import { type Point, revertPoint } from "./reverted.ts"
import { pointOf } from "../file/change.ts"
import { DamageError } from "../file/damage.ts"
import { numberIn, optionalTextOf, textIn } from "../file/rows.ts"
import { checkRow } from "../file/sums.ts"
import { readSegments } from "../documents/segments.ts"
import type { Steps } from "../steps.ts"
import { textAt } from "../store/texts.ts"

// Stored messages page by page, and what a sync compares. The work is the page's: positions are counted in the
// order index, no text outside the page is read.

/** Messages of one page. */
export const MESSAGES_PAGE_MAX = 500

export function* readMessages(
  database: Database,
  catalog: Catalog,
  request: MessagesRequest,
): Steps<MessagesAnswer> {
  const entry = catalog.byID(request.sessionID)
  if (!entry) return { found: false, missing: "session" }
  catalog.checked.messages(entry)
  const anchor = anchorOf(database, entry, request)
  if (request.anchor !== undefined && anchor === undefined) return { found: false, missing: "anchor" }
  const forward = request.direction === "forward"
  const limit = Math.min(MESSAGES_PAGE_MAX, Math.max(1, request.limit))
  const revert = request.includeReverted === true ? undefined : revertPoint(database, catalog, entry)

  const where = ["session = ?"]
  const values: (string | number)[] = [entry.key]
  const add = (sql: string, point: Point) => {
    where.push(`(created, id) ${sql} (?, ?)`)
    values.push(point.created, point.id)
  }
  const equal = request.inclusive === true ? "=" : ""
  if (anchor) add(`${forward ? ">" : "<"}${equal}`, anchor)
  if (revert) add("<", revert)
  if (request.role !== undefined) {
    where.push("role = ?")
    values.push(request.role)
  }
  const order = forward ? "created, id" : "created DESC, id DESC"
  const rows = database
    .prepare(
      `SELECT rid, id, role, created, summary, units, lost, segments FROM messages WHERE ${where.join(" AND ")} ORDER BY ${order} LIMIT ?`,
    )
    .all(...values, limit + 1)
  const page = rows.slice(0, limit)
  if (!forward) page.reverse()
  const messages: StoredMessage[] = []
  let index: number | undefined
  for (const row of page) {
    // With a role, messages lie between the rows of a page; then each position is counted.
    index = index === undefined || request.role !== undefined ? positionOf(database, entry, row) : index + 1
    messages.push({ ...readMessage(database, row, request), index })
    yield "pause"
  }
  const reverted = revert ? entry.session.messages - countBefore(database, entry, revert) : 0
  return { found: true, messages, more: rows.length > limit, total: entry.session.messages, reverted }
}

export function readMarkers(database: Database): readonly StoredMarker[] {
  return database
    .prepare("SELECT * FROM sessions WHERE removed = 0 ORDER BY created DESC, key DESC")
    .all()
    .map((row) => {
      checkRow("sessions", Object.values(row))
      const marker = optionalTextOf(row["marker"], "marker")
      return {
        sessionID: textIn(row, "id"),
        projectID: textIn(row, "project"),
        directory: textIn(row, "directory"),
        ...(marker === undefined ? {} : { marker }),
        fetchedAt: pointOf(database, numberIn(row, "fetched_at")),
      }
    })
}

function anchorOf(database: Database, entry: Entry, request: MessagesRequest): Point | undefined {
  const { anchor } = request
  if (anchor === undefined) return undefined
  const row =
    "messageID" in anchor
      ? database
          .prepare("SELECT created, id FROM messages WHERE session = ? AND id = ?")
          .get(entry.key, anchor.messageID)
      : database
          .prepare("SELECT created, id FROM messages WHERE session = ? ORDER BY created, id LIMIT 1 OFFSET ?")
          .get(entry.key, Math.max(0, Math.trunc(anchor.index)))
  return row ? { created: numberIn(row, "created"), id: textIn(row, "id") } : undefined
}

function positionOf(database: Database, entry: Entry, row: Row): number {
  return countBefore(database, entry, { created: numberIn(row, "created"), id: textIn(row, "id") })
}

function countBefore(database: Database, entry: Entry, point: Point): number {
  const row = database
    .prepare("SELECT count(*) AS n FROM messages WHERE session = ? AND (created, id) < (?, ?)")
    .get(entry.key, point.created, point.id)
  return row ? numberIn(row, "n") : 0
}

function readMessage(database: Database, row: Row, request: MessagesRequest): Omit<StoredMessage, "index"> {
  const { kinds, maxChars } = request
  const all = readSegments(textIn(row, "segments"))
  const isAsked = (segment: Segment) => kinds === undefined || kinds.includes(kindOf(segment))
  const asked = all.filter(isAsked)
  const leftOut = all.filter((segment) => !isAsked(segment)).map(kindOf)
  const isTold = maxChars > 0 && asked.length > 0 && numberIn(row, "units") > 0
  const stored = isTold ? textOf(database, numberIn(row, "rid")) : ""
  const { whole, pieces } = kinds === undefined ? { whole: stored, pieces: asked } : joined(stored, asked)
  const text = sliceUnits(whole, 0, maxChars)
  const units = pieces.at(-1)?.end ?? 0
  return {
    id: textIn(row, "id"),
    role: textIn(row, "role") === "user" ? "user" : "assistant",
    created: numberIn(row, "created"),
    summary: numberIn(row, "summary") === 1,
    text,
    cut: text.length < units,
    lost: numberIn(row, "lost"),
    pieces: pieces
      .map(({ kind, start, end }) => ({ kind, start, end: Math.min(end, text.length) }))
      .filter((piece) => piece.start < piece.end),
    ...(leftOut.length === 0 ? {} : { leftOut }),
  }
}

function textOf(database: Database, rid: number): string {
  const stored = textAt(database, rid)
  if (stored === undefined) throw new DamageError("A text is missing.")
  return stored.text
}

function kindOf({ kind, input }: Segment): DocumentKind | "tool-input" {
  return input ? "tool-input" : kind
}

/** Some documents of a text as a text of their own. */
function joined(text: string, segments: readonly Segment[]): { whole: string; pieces: readonly Segment[] } {
  let length = 0
  const pieces = segments.map(({ kind, start, end }) => {
    const piece = { kind, start: length, end: length + end - start }
    length = piece.end + 1
    return piece
  })
  return { whole: segments.map(({ start, end }) => text.slice(start, end)).join("\n"), pieces }
}
