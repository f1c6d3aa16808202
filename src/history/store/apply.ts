import type { Message, Session } from "../../session/model.ts"
import { nextChange, nextOf, noteFetch } from "../file/change.ts"
import type { Applied, Changes, SessionChange } from "../contract.ts"
import { type MessageDocuments, messageDocuments } from "../documents/documents.ts"
import { hasForgottenDates, isForgottenMessage } from "./forgotten.ts"
import { closeSession, openSession, putMessage, removeMessage } from "./put-message.ts"
import { putSession } from "./put-session.ts"
import type { RecentText } from "../runs/recent.ts"
import { purgeTombstones, removeSessionSteps } from "./remove.ts"
import { numberIn, textIn } from "../file/rows.ts"
import type { Steps } from "../steps.ts"
import { emptyTally, type Tally } from "./tally.ts"
import { write, type Writer } from "../file/writer.ts"

// Applies what a sync fetched. Documents are made outside the transactions; inside, each row's own fetch
// decides, so that an older answer never replaces a newer one, whoever writes it.

/** Text of one transaction: about 12 ms of writing, during which other processes' writes wait. */
export const BATCH_UNITS = 512 * 1024
/** Rows of one transaction, for many small messages and for listing data. */
export const BATCH_ROWS = 400

/** Applies what several calls bring as one after the other would; removals of sessions first. An answer a call. */
export function* applyChanges(writer: Writer, calls: readonly Changes[]): Steps<readonly Applied[]> {
  const works = calls.map((changes): Work => ({ changes, tally: emptyTally() }))
  for (const work of works) yield* applyRemovals(writer, work)
  yield* applySessions(writer, works)
  return works.map(({ tally }) => ({ ...tally, stale: [...tally.stale], forgotten: [...tally.forgotten] }))
}

type Work = { readonly changes: Changes; readonly tally: Tally }

function* applyRemovals(writer: Writer, { changes, tally }: Work): Steps<void> {
  const { fetchedAt, removedSessions = [] } = changes
  for (const id of removedSessions) {
    const removed = yield* removeSessionSteps(writer, id, fetchedAt)
    if (removed === "stale") tally.stale.add(id)
    else tally.removed += removed
  }
  if (removedSessions.length > 0) yield* write(writer, () => purgeTombstones(writer.database))
}

type Prepared = { readonly message: Message; readonly documents: MessageDocuments }

/** What one transaction writes of a session. */
type Piece = {
  readonly change: SessionChange
  readonly fetchedAt: number
  readonly tally: Tally
  readonly batch: Prepared[]
  /** Its listing data is written first. */
  readonly starts: boolean
  /** Its marker and removals are written last. */
  ends: boolean
}

/** A transaction costs some twenty pages whatever it writes: small sessions share one. */
function* applySessions(writer: Writer, works: readonly Work[]): Steps<void> {
  const { maskSecrets } = writer
  let pieces: Piece[] = []
  let rows = 0
  let units = 0
  for (const { changes, tally } of works) {
    const { fetchedAt } = changes
    for (const change of changes.sessions ?? []) {
      let piece: Piece = { change, fetchedAt, tally, batch: [], starts: true, ends: false }
      pieces.push(piece)
      rows++
      for (const message of change.messages ?? []) {
        if (rows >= BATCH_ROWS || units >= BATCH_UNITS) {
          yield* applyPieces(writer, pieces)
          piece = { ...piece, batch: [], starts: false }
          pieces = [piece]
          rows = 0
          units = 0
        }
        const documents = messageDocuments(message, { maskSecrets, directory: change.session.directory })
        piece.batch.push({ message, documents })
        rows++
        units += documents.text.length
        yield "pause"
      }
      piece.ends = true
    }
  }
  if (pieces.length > 0) yield* applyPieces(writer, pieces)
}

function* applyPieces(writer: Writer, pieces: readonly Piece[]): Steps<void> {
  const texts = yield* write(writer, () => {
    return pieces.flatMap((piece) => applyPiece(writer, piece, noteFetch(writer.database, piece.fetchedAt)))
  })
  writer.recent.note(texts)
}

function applyPiece(writer: Writer, piece: Piece, fetchedAt: number): readonly RecentText[] {
  const { change, tally, batch, starts, ends } = piece
  const { id } = change.session
  const key = starts ? putSession(writer, change, fetchedAt, tally) : liveKey(writer, id)
  if (key === undefined) return []
  const written = putBatch(writer, key, change.session, batch, fetchedAt, tally)
  if (ends) finish(writer, key, change, fetchedAt, tally)
  return written
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
  if (removed.size > 0 || change.marker !== undefined)
    database.prepare("UPDATE sessions SET change = ? WHERE key = ?").run(nextChange(database), key)
  if (change.marker === undefined) return
  database
    .prepare("UPDATE sessions SET marker = ?, marker_at = ? WHERE key = ? AND marker_at <= ?")
    .run(change.marker, fetchedAt, key, fetchedAt)
}
