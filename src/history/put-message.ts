import type { Message } from "../session/model.ts"
import { fold } from "../text/fold.ts"
import { pathKey } from "../query/paths.ts"
import type { Database } from "../storage/sqlite.ts"
import { nextChange } from "./change.ts"
import type { MessageDocuments } from "./documents.ts"
import type { MessageEdit } from "./edits.ts"
import { bytesIn, numberIn } from "./rows.ts"
import { MESSAGES_PER_SESSION } from "./schema.ts"
import { writeSegments } from "./segments.ts"

// One message in and out of the tables, inside the caller's transaction. The cost is the message's, whatever
// its session holds.

/** Stores a message unless something later is known of it. */
export function putMessage(
  database: Database,
  key: number,
  sessionID: string,
  message: Message,
  documents: MessageDocuments,
  fetchedAt: number,
  words: WordChange[],
): "written" | "unchanged" | "stale" {
  const gone = database
    .prepare("SELECT at FROM gone_messages WHERE session = ? AND id = ?")
    .get(sessionID, message.id)
  if (gone && numberIn(gone, "at") >= fetchedAt) return "stale"
  if (gone)
    database.prepare("DELETE FROM gone_messages WHERE session = ? AND id = ?").run(sessionID, message.id)

  const known = database
    .prepare("SELECT rid, created, print, units, fetched_at FROM messages WHERE session = ? AND id = ?")
    .get(key, message.id)
  if (known && numberIn(known, "fetched_at") > fetchedAt) return "stale"
  if (known && sameBytes(bytesIn(known, "print"), documents.print)) return "unchanged"

  const rid = known ? numberIn(known, "rid") : nextRid(database, key)
  if (rid === undefined) return "stale"
  const created = Math.trunc(message.created)
  const hadText = known !== undefined && numberIn(known, "units") > 0
  if (known) removeRows(database, rid, hadText)
  database
    .prepare(
      `INSERT OR REPLACE INTO messages(rid, session, id, created, role, summary, compaction, units, lost, segments,
       print, fetched_at) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      rid,
      key,
      message.id,
      created,
      message.role,
      message.summary ? 1 : 0,
      message.parts.some((part) => part.type === "compaction") ? 1 : 0,
      documents.text.length,
      documents.lost,
      writeSegments(documents.segments),
      documents.print,
      fetchedAt,
    )
  if (documents.text !== "") {
    database.prepare("INSERT INTO texts(rid, body) VALUES(?, ?)").run(rid, documents.text)
    markShared(database, key, documents.print)
  }
  if (hadText || documents.text !== "") words.push({ rid, hadText, folded: fold(documents.text) })
  putEdits(database, rid, created, documents.edits)
  if (!known) noteOrder(database, key, created, message.id)
  else if (numberIn(known, "created") !== created) {
    database.prepare("UPDATE sessions SET in_order = 0 WHERE key = ?").run(key)
  }
  return "written"
}

/** What becomes of a message in the full-text index. */
export type WordChange = { readonly rid: number; readonly hadText: boolean; readonly folded: string }

/**
 * Applies a transaction's changes to the full-text index, after everything else in it and in row order. FTS5
 * writes out a segment whenever another statement opens a savepoint or a smaller row id comes: mixed with the
 * other tables, indexing takes twice the time.
 */
export function putWords(database: Database, words: readonly WordChange[]): void {
  for (const { rid, hadText, folded } of [...words].sort((one, other) => one.rid - other.rid)) {
    if (hadText) database.prepare("DELETE FROM words WHERE rowid = ?").run(rid)
    if (folded !== "") database.prepare("INSERT INTO words(rowid, body) VALUES(?, ?)").run(rid, folded)
  }
}

/** Removes a message unless a later fetch wrote it; leaves a tombstone against earlier ones. */
export function removeMessage(
  database: Database,
  key: number,
  sessionID: string,
  id: string,
  fetchedAt: number,
): "removed" | "unknown" | "stale" {
  const row = database
    .prepare("SELECT rid, units, fetched_at FROM messages WHERE session = ? AND id = ?")
    .get(key, id)
  if (row && numberIn(row, "fetched_at") > fetchedAt) return "stale"
  database
    .prepare("INSERT INTO gone_messages VALUES(?, ?, ?) ON CONFLICT DO UPDATE SET at = max(at, excluded.at)")
    .run(sessionID, id, fetchedAt)
  if (!row) return "unknown"
  dropMessage(database, key, numberIn(row, "rid"), numberIn(row, "units") > 0)
  return "removed"
}

/** Removes a message's row and everything that hangs on it. */
export function dropMessage(database: Database, key: number, rid: number, hasText: boolean): void {
  if (hasText) database.prepare("DELETE FROM words WHERE rowid = ?").run(rid)
  removeRows(database, rid, hasText)
  database.prepare("DELETE FROM messages WHERE rid = ?").run(rid)
  database.prepare("UPDATE sessions SET messages = messages - 1 WHERE key = ?").run(key)
}

function removeRows(database: Database, rid: number, hasText: boolean): void {
  if (hasText) database.prepare("DELETE FROM texts WHERE rid = ?").run(rid)
  database.prepare("DELETE FROM edits WHERE rid = ?").run(rid)
}

/** Undefined when a session holds a million messages: further ones are refused. */
function nextRid(database: Database, key: number): number | undefined {
  const row = database.prepare("SELECT next FROM sessions WHERE key = ?").get(key)
  const next = row ? numberIn(row, "next") : MESSAGES_PER_SESSION
  if (next >= MESSAGES_PER_SESSION) return undefined
  database.prepare("UPDATE sessions SET next = next + 1, messages = messages + 1 WHERE key = ?").run(key)
  return key * MESSAGES_PER_SESSION + next
}

/** While row ids follow the host's order a search takes hits as they come; otherwise it sorts them. */
function noteOrder(database: Database, key: number, created: number, id: string): void {
  database
    .prepare(
      `UPDATE sessions SET in_order = in_order AND (last_created, last_id) <= (?, ?), last_created = ?,
       last_id = ? WHERE key = ?`,
    )
    .run(created, id, created, id, key)
}

/** Copies of a message in forks: both sessions are marked, so that only they pay for telling them apart. */
function markShared(database: Database, key: number, print: Uint8Array): void {
  const rows = database
    .prepare("SELECT DISTINCT session FROM messages WHERE print = ? AND units > 0 AND session <> ? LIMIT 64")
    .all(print, key)
  if (rows.length === 0) return
  const mark = database.prepare("UPDATE sessions SET shared = 1, change = ? WHERE key = ? AND shared = 0")
  const change = nextChange(database)
  mark.run(change, key)
  for (const row of rows) mark.run(change, numberIn(row, "session"))
}

function putEdits(database: Database, rid: number, at: number, edits: readonly MessageEdit[]): void {
  edits.forEach((edit, n) => {
    const movedFrom = edit.movedFrom === undefined ? null : pathId(database, edit.movedFrom)
    database
      .prepare(
        "INSERT INTO edits(rid, n, at, path, moved_from, kind, status, tool) VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
      )
      .run(rid, n, at, pathId(database, edit.path), movedFrom, edit.kind, edit.status, edit.tool)
  })
}

function pathId(database: Database, path: string): number {
  const key = pathKey(path)
  const known = database.prepare("SELECT id FROM paths WHERE key = ?").get(key)
  if (known) return numberIn(known, "id")
  const made = database.prepare("INSERT INTO paths(key, path) VALUES(?, ?) RETURNING id").get(key, path)
  if (!made) throw new Error("A path could not be stored.")
  return numberIn(made, "id")
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at])
}
