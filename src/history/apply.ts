import { readRecord } from "../handoff/record.ts"
import type { Message, Session } from "../session/model.ts"
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
import type { RecentText } from "./recent.ts"
import { purgeTombstones, removeSessionSteps } from "./remove.ts"
import { numberIn, textIn } from "./rows.ts"
import type { Steps } from "./steps.ts"
import { storedText } from "./stored-text.ts"
import { write, type Writer } from "./writer.ts"

// Applies what a sync fetched. Documents are made outside the transactions; inside, each row's own fetch time
// decides, so that an older answer never replaces a newer one, whoever writes it.

/** Text of one transaction: about 5 ms of writing, during which other processes' writes wait. */
export const BATCH_UNITS = 256 * 1024
/** Rows of one transaction, for many small messages and for listing data. */
export const BATCH_ROWS = 200

export function* applyChanges(writer: Writer, changes: Changes): Steps<Applied> {
  const tally: Tally = { written: 0, unchanged: 0, removed: 0, stale: new Set(), forgotten: new Set() }
  for (const id of changes.removedSessions ?? []) {
    const removed = yield* removeSessionSteps(writer, id, changes.fetchedAt)
    if (removed === "stale") tally.stale.add(id)
    else tally.removed += removed
  }
  yield* applySessions(writer, changes, tally)
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

/** What one transaction writes of a session. */
type Piece = {
  readonly change: SessionChange
  readonly batch: Prepared[]
  /** Its listing data is written first. */
  readonly starts: boolean
  /** Its marker and removals are written last. */
  ends: boolean
}

/** A transaction costs some thirty pages whatever it writes: small sessions share one. */
function* applySessions(writer: Writer, changes: Changes, tally: Tally): Steps<void> {
  let pieces: Piece[] = []
  let rows = 0
  let units = 0
  for (const change of changes.sessions ?? []) {
    let piece: Piece = { change, batch: [], starts: true, ends: false }
    pieces.push(piece)
    rows++
    for (const message of change.messages ?? []) {
      if (rows >= BATCH_ROWS || units >= BATCH_UNITS) {
        yield* applyPieces(writer, pieces, changes.fetchedAt, tally)
        piece = { change, batch: [], starts: false, ends: false }
        pieces = [piece]
        rows = 0
        units = 0
      }
      const { maskSecrets: mask } = writer
      const documents = messageDocuments(message, { maskSecrets: mask, directory: change.session.directory })
      piece.batch.push({ message, documents })
      rows++
      units += documents.text.length
      yield "pause"
    }
    piece.ends = true
  }
  if (pieces.length > 0) yield* applyPieces(writer, pieces, changes.fetchedAt, tally)
}

function* applyPieces(
  writer: Writer,
  pieces: readonly Piece[],
  fetchedAt: number,
  tally: Tally,
): Steps<void> {
  const texts = yield* write(writer, () =>
    pieces.flatMap(({ change, batch, starts, ends }) => {
      const { id } = change.session
      const key = starts ? putSession(writer, change, fetchedAt, tally) : liveKey(writer, id)
      if (key === undefined) return []
      const written = putBatch(writer, key, change.session, batch, fetchedAt, tally)
      if (ends) finish(writer, key, change, fetchedAt, tally)
      return written
    }),
  )
  writer.recent.note(texts)
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
  return [
    isForgottenTitle(database, session) ? FORGOTTEN_TITLE : storedText(session.title, mask),
    session.projectID,
    storedText(session.directory, mask),
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
): readonly RecentText[] {
  if (batch.length === 0) return []
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
  return open.texts
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
