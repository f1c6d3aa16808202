import type { Message } from "../../session/model.ts"
import type { Database } from "../../storage/sqlite.ts"
import { nextChange, nextOf } from "../file/change.ts"
import type { MessageDocuments } from "../documents/documents.ts"
import { putEdits, removeEdits } from "./edits.ts"
import type { RecentText } from "../runs/recent.ts"
import { bytesIn, numberIn, optionalNumber } from "../file/rows.ts"
import { MESSAGES_PER_SESSION } from "../file/schema.ts"
import { putRow } from "../file/sums.ts"
import { writeSegments } from "../documents/segments.ts"
import { putText } from "./texts.ts"

// One message in and out of the tables, inside the caller's transaction. The cost is the message's, whatever
// its session holds.

/** What putting messages into one session needs to know of it, read once and written back by `closeSession`. */
export type OpenSession = {
  readonly key: number
  readonly id: string
  /** Some of its messages were removed lately. */
  readonly hasGone: boolean
  readonly stamp: number
  /** Written now. */
  readonly texts: RecentText[]
  /** Ids written now, of a session that held no message before: only they need a look. */
  readonly ids: Set<string> | undefined
  next: number
  messages: number
  oldest: number
  newest: number
}

/** `stamp`: of this transaction, higher than that of any before. */
export function openSession(database: Database, key: number, id: string, stamp: number): OpenSession {
  const row = database.prepare("SELECT next, messages, oldest, newest FROM sessions WHERE key = ?").get(key)
  if (!row) throw new Error(`Session ${id} is not stored.`)
  const hasGone =
    database.prepare("SELECT 1 FROM gone_messages WHERE session = ? LIMIT 1").get(id) !== undefined
  return {
    key,
    id,
    hasGone,
    stamp,
    texts: [],
    ids: numberIn(row, "next") === 0 ? new Set() : undefined,
    next: numberIn(row, "next"),
    messages: numberIn(row, "messages"),
    oldest: optionalNumber(row, "oldest") ?? Infinity,
    newest: optionalNumber(row, "newest") ?? -Infinity,
  }
}

export function closeSession(database: Database, session: OpenSession): void {
  const { oldest, newest } = session
  database
    .prepare("UPDATE sessions SET next = ?, messages = ?, oldest = ?, newest = ?, change = ? WHERE key = ?")
    .run(
      session.next,
      session.messages,
      Number.isFinite(oldest) ? oldest : null,
      Number.isFinite(newest) ? newest : null,
      nextChange(database),
      session.key,
    )
}

/** Stores a message unless something later is known of it. */
export function putMessage(
  database: Database,
  session: OpenSession,
  message: Message,
  documents: MessageDocuments,
  fetchedAt: number,
): "written" | "unchanged" | "stale" {
  const { key } = session
  if (session.hasGone && isGone(database, session.id, message.id, fetchedAt)) return "stale"
  const known =
    session.ids?.has(message.id) === false
      ? undefined
      : database
          .prepare("SELECT rid, print, units, fetched_at FROM messages WHERE session = ? AND id = ?")
          .get(key, message.id)
  session.ids?.add(message.id)
  if (known && numberIn(known, "fetched_at") > fetchedAt) return "stale"
  if (known && sameBytes(bytesIn(known, "print"), documents.print)) return "unchanged"
  if (!known && session.next >= MESSAGES_PER_SESSION) return "stale"

  const rid = known ? numberIn(known, "rid") : key * MESSAGES_PER_SESSION + session.next
  const created = Math.trunc(message.created)
  if (known) removeRows(database, rid, numberIn(known, "units") > 0)
  putRow(database, "INSERT OR REPLACE", "messages", [
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
  ])
  if (documents.text !== "") {
    putText(database, rid, documents.text, message.role)
    const isUser = message.role === "user" ? 1 : 0
    putRow(database, "INSERT", "tail", [rid, session.stamp, documents.text.length, created, isUser])
    session.texts.push({ rid, stamp: session.stamp, text: documents.text })
    markShared(database, key, documents.print)
  }
  putEdits(database, rid, created, documents.edits)
  session.oldest = Math.min(session.oldest, created)
  session.newest = Math.max(session.newest, created)
  if (!known) {
    session.next++
    session.messages++
  }
  return "written"
}

/** True while a removal is later than the fetch; an earlier one is forgotten. */
function isGone(database: Database, sessionID: string, id: string, fetchedAt: number): boolean {
  const gone = database
    .prepare("SELECT at FROM gone_messages WHERE session = ? AND id = ?")
    .get(sessionID, id)
  if (!gone) return false
  if (numberIn(gone, "at") >= fetchedAt) return true
  database.prepare("DELETE FROM gone_messages WHERE session = ? AND id = ?").run(sessionID, id)
  return false
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
  const before = database
    .prepare("SELECT at FROM gone_messages WHERE session = ? AND id = ?")
    .get(sessionID, id)
  const at = before ? Math.max(numberIn(before, "at"), fetchedAt) : fetchedAt
  putRow(database, "INSERT OR REPLACE", "gone_messages", [sessionID, id, at])
  if (!row) return "unknown"
  dropMessage(database, key, numberIn(row, "rid"), numberIn(row, "units") > 0)
  return "removed"
}

/** Removes a message's row and everything that hangs on it. */
export function dropMessage(database: Database, key: number, rid: number, hasText: boolean): void {
  removeRows(database, rid, hasText)
  database.prepare("DELETE FROM messages WHERE rid = ?").run(rid)
  database.prepare("UPDATE sessions SET messages = messages - 1 WHERE key = ?").run(key)
}

function removeRows(database: Database, rid: number, hasText: boolean): void {
  if (hasText) {
    database.prepare("DELETE FROM texts WHERE rid = ?").run(rid)
    const waited = database.prepare("DELETE FROM tail WHERE rid = ? RETURNING rid").get(rid) !== undefined
    if (!waited) putRow(database, "INSERT OR IGNORE", "dead", [rid])
    nextOf(database, "tail")
  }
  removeEdits(database, rid)
}

/** Copies of a message in forks: both sessions are marked, so that only they pay for telling them apart. */
function markShared(database: Database, key: number, print: Uint8Array): void {
  const rows = database
    .prepare("SELECT session FROM messages WHERE print = ? AND units > 0 AND session <> ? LIMIT 64")
    .all(print, key)
  if (rows.length === 0) return
  const mark = database.prepare("UPDATE sessions SET shared = 1, change = ? WHERE key = ? AND shared = 0")
  const change = nextChange(database)
  mark.run(change, key)
  for (const row of rows) mark.run(change, numberIn(row, "session"))
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at])
}
