import { readRecord } from "../handoff/record.ts"
import type { Message, Session } from "../session/model.ts"
import { maskSecrets } from "../text/secrets.ts"
import { repairText } from "../text/unicode.ts"
import { nextChange, nextOf } from "./change.ts"
import type { Applied, Changes, SessionChange } from "./contract.ts"
import { type MessageDocuments, messageDocuments } from "./documents.ts"
import {
  FORGOTTEN_TITLE,
  hasForgottenDates,
  isForgotten,
  isForgottenMessage,
  isForgottenTitle,
} from "./forgotten.ts"
import { closeSession, openSession, putMessage, removeMessage } from "./put-message.ts"
import { purgeTombstones, removeSessionSteps } from "./remove.ts"
import { numberIn, textIn } from "./rows.ts"
import type { Steps } from "./steps.ts"
import { write, type Writer } from "./writer.ts"

// Applies what a sync fetched. Documents are made outside the transactions; inside, each row's own fetch time
// decides, so that an older answer never replaces a newer one, whoever writes it.

/** Text of one transaction: about 30 ms of indexing, during which other processes' writes wait. */
export const BATCH_UNITS = 256 * 1024
/** Messages of one transaction, for many small ones. */
export const BATCH_MESSAGES = 200

export function* applyChanges(writer: Writer, changes: Changes): Steps<Applied> {
  const tally: Tally = { written: 0, unchanged: 0, removed: 0, stale: new Set(), forgotten: new Set() }
  for (const id of changes.removedSessions ?? []) {
    const removed = yield* removeSessionSteps(writer, id, changes.fetchedAt)
    if (removed === "stale") tally.stale.add(id)
    else tally.removed += removed
  }
  for (const change of changes.sessions ?? []) yield* applySession(writer, change, changes.fetchedAt, tally)
  if ((changes.removedSessions ?? []).length > 0)
    yield* write(writer, () => purgeTombstones(writer.database, changes.fetchedAt))
  return { ...tally, stale: [...tally.stale], forgotten: [...tally.forgotten] }
}

type Tally = {
  written: number
  unchanged: number
  removed: number
  readonly stale: Set<string>
  readonly forgotten: Set<string>
}

type Prepared = { readonly message: Message; readonly documents: MessageDocuments }

function* applySession(writer: Writer, change: SessionChange, fetchedAt: number, tally: Tally): Steps<void> {
  const { session } = change
  const messages = change.messages ?? []
  let at = 0
  let first = true
  do {
    const batch: Prepared[] = []
    let units = 0
    while (at < messages.length && batch.length < BATCH_MESSAGES && units < BATCH_UNITS) {
      const message = messages[at++]
      if (message === undefined) continue
      const documents = messageDocuments(message, {
        maskSecrets: writer.maskSecrets,
        directory: session.directory,
      })
      units += documents.text.length
      batch.push({ message, documents })
      yield "pause"
    }
    const starting = first
    const ending = at >= messages.length
    first = false
    const outcome = yield* write(writer, () => {
      const key = starting ? putSession(writer, change, fetchedAt, tally) : liveKey(writer, session.id)
      if (key === undefined) return false
      putBatch(writer, key, session, batch, fetchedAt, tally)
      if (ending) finish(writer, key, change, fetchedAt, tally)
      return true
    })
    if (!outcome) return
  } while (at < messages.length)
}

/** The session's key; undefined when nothing of it may be written. */
function putSession(
  writer: Writer,
  change: SessionChange,
  fetchedAt: number,
  tally: Tally,
): number | undefined {
  const { database } = writer
  const { session } = change
  if (isForgotten(database, session)) {
    tally.forgotten.add(session.id)
    return undefined
  }
  const gone = database.prepare("SELECT at FROM gone WHERE session = ?").get(session.id)
  if (gone && numberIn(gone, "at") >= fetchedAt) {
    tally.stale.add(session.id)
    return undefined
  }
  if (gone) database.prepare("DELETE FROM gone WHERE session = ?").run(session.id)
  const known = database.prepare("SELECT key, fetched_at, removed FROM sessions WHERE id = ?").get(session.id)
  if (!known) return insertSession(writer, session, fetchedAt)
  if (numberIn(known, "removed") === 1) {
    // Its messages are still being removed by somebody; the next fetch finds it gone and starts anew.
    tally.stale.add(session.id)
    return undefined
  }
  const key = numberIn(known, "key")
  if (numberIn(known, "fetched_at") > fetchedAt) {
    tally.stale.add(session.id)
    return key
  }
  database
    .prepare(
      `UPDATE sessions SET title = ?, project = ?, directory = ?, parent = ?, created = ?, updated = ?, archived = ?,
       reverted_from = ?, handoff_from = ?, fork_from = ?, fetched_at = ?, change = ? WHERE key = ?`,
    )
    .run(...sessionValues(writer, session), fetchedAt, nextChange(database), key)
  return key
}

function insertSession(writer: Writer, session: Session, fetchedAt: number): number {
  const { database } = writer
  const key = nextOf(database, "keys")
  database
    .prepare(
      `INSERT INTO sessions(title, project, directory, parent, created, updated, archived, reverted_from,
       handoff_from, fork_from, fetched_at, change, key, id) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(...sessionValues(writer, session), fetchedAt, nextChange(database), key, session.id)
  return key
}

function sessionValues({ database, maskSecrets: mask }: Writer, session: Session) {
  const title = repairText(session.title)
  return [
    isForgottenTitle(database, session) ? FORGOTTEN_TITLE : mask ? maskSecrets(title).text : title,
    session.projectID,
    session.directory,
    session.parentID ?? null,
    Math.trunc(session.created),
    Math.trunc(session.updated),
    session.archived === undefined ? null : Math.trunc(session.archived),
    session.revertedFrom ?? null,
    readRecord(session.metadata)?.source ?? null,
    session.forkedFrom ?? null,
  ] as const
}

function liveKey(writer: Writer, id: string): number | undefined {
  const row = writer.database.prepare("SELECT key FROM sessions WHERE id = ? AND removed = 0").get(id)
  return row ? numberIn(row, "key") : undefined
}

function putBatch(
  writer: Writer,
  key: number,
  session: Session,
  batch: readonly Prepared[],
  fetchedAt: number,
  tally: Tally,
): void {
  if (batch.length === 0) return
  const { database } = writer
  const open = openSession(database, key, session.id, nextOf(database, "tail"))
  const mayBeForgotten = hasForgottenDates(database)
  let written = 0
  for (const { message, documents } of batch) {
    if (mayBeForgotten && isForgottenMessage(database, session.projectID, message)) continue
    const outcome = putMessage(database, open, message, documents, fetchedAt)
    if (outcome === "stale") tally.stale.add(session.id)
    else tally[outcome]++
    if (outcome === "written") written++
  }
  if (written > 0) closeSession(database, open)
}

function finish(writer: Writer, key: number, change: SessionChange, fetchedAt: number, tally: Tally): void {
  const { database } = writer
  const removed = new Set(change.removedMessages ?? [])
  if (change.complete === true) {
    const listed = new Set((change.messages ?? []).map((message) => message.id))
    const rows = database.prepare("SELECT id FROM messages WHERE session = ?").all(key)
    for (const row of rows) if (!listed.has(textIn(row, "id"))) removed.add(textIn(row, "id"))
  }
  for (const id of removed) {
    const outcome = removeMessage(database, key, change.session.id, id, fetchedAt)
    if (outcome === "removed") tally.removed++
    if (outcome === "stale") tally.stale.add(change.session.id)
  }
  if (removed.size > 0)
    database.prepare("UPDATE sessions SET change = ? WHERE key = ?").run(nextChange(database), key)
  if (change.marker === undefined) return
  database
    .prepare("UPDATE sessions SET marker = ?, marker_at = ? WHERE key = ? AND marker_at <= ?")
    .run(change.marker, fetchedAt, key, fetchedAt)
}
