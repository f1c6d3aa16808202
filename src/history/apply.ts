import { readRecord } from "../handoff/record.ts"
import type { Message, Session } from "../session/model.ts"
import { fold } from "../text/fold.ts"
import { maskSecrets } from "../text/secrets.ts"
import { repairText } from "../text/unicode.ts"
import { nextChange } from "./change.ts"
import type { Applied, Changes, SessionChange } from "./contract.ts"
import { type MessageDocuments, messageDocuments } from "./documents.ts"
import { isForgotten, isForgottenMessage, isForgottenTitle, FORGOTTEN_TITLE } from "./forgotten.ts"
import { addGrams, GRAM_BYTES } from "./grams.ts"
import { putMessage, putWords, removeMessage, type WordChange } from "./put-message.ts"
import { purgeTombstones, removeSessionSteps } from "./remove.ts"
import { bytesIn, numberIn, textIn } from "./rows.ts"
import { preferredKey } from "./schema.ts"
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
  const freshGrams = change.complete === true ? new Uint8Array(GRAM_BYTES) : undefined
  let at = 0
  let first = true
  let refused = false
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
      const words: WordChange[] = []
      if (!putBatch(writer, key, session, batch, fetchedAt, freshGrams, tally, words)) refused = true
      if (ending) finish(writer, key, change, fetchedAt, refused ? undefined : freshGrams, tally)
      putWords(writer.database, words)
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
       reverted_from = ?, handoff_from = ?, fetched_at = ?, change = ? WHERE key = ?`,
    )
    .run(...sessionValues(writer, session), fetchedAt, nextChange(database), key)
  return key
}

function insertSession(writer: Writer, session: Session, fetchedAt: number): number {
  const { database } = writer
  const taken = database.prepare("SELECT 1 AS taken FROM sessions WHERE key = ?")
  let key = preferredKey(session.created)
  while (taken.get(key)) key++
  database
    .prepare(
      `INSERT INTO sessions(title, project, directory, parent, created, updated, archived, reverted_from,
       handoff_from, fetched_at, change, key, id) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(...sessionValues(writer, session), fetchedAt, nextChange(database), key, session.id)
  database.prepare("INSERT INTO grams(key, bits) VALUES(?, ?)").run(key, new Uint8Array(GRAM_BYTES))
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
  ] as const
}

function liveKey(writer: Writer, id: string): number | undefined {
  const row = writer.database.prepare("SELECT key FROM sessions WHERE id = ? AND removed = 0").get(id)
  return row ? numberIn(row, "key") : undefined
}

/** False when a message was refused. */
function putBatch(
  writer: Writer,
  key: number,
  session: Session,
  batch: readonly Prepared[],
  fetchedAt: number,
  freshGrams: Uint8Array | undefined,
  tally: Tally,
  words: WordChange[],
): boolean {
  const { database } = writer
  let complete = true
  let bits: Uint8Array | undefined
  for (const { message, documents } of batch) {
    if (isForgottenMessage(database, session.projectID, message)) {
      complete = false
      continue
    }
    const outcome = putMessage(database, key, session.id, message, documents, fetchedAt, words)
    if (outcome === "stale") {
      tally.stale.add(session.id)
      complete = false
      continue
    }
    tally[outcome]++
    if (outcome === "unchanged" && freshGrams === undefined) continue
    const folded = fold(documents.text)
    if (freshGrams !== undefined) addGrams(freshGrams, folded)
    if (outcome === "unchanged") continue
    bits ??= storedGrams(database, key)
    addGrams(bits, folded)
  }
  if (bits) database.prepare("UPDATE grams SET bits = ? WHERE key = ?").run(bits, key)
  if (bits) database.prepare("UPDATE sessions SET change = ? WHERE key = ?").run(nextChange(database), key)
  return complete
}

function storedGrams(database: Writer["database"], key: number): Uint8Array {
  const row = database.prepare("SELECT bits FROM grams WHERE key = ?").get(key)
  return row ? new Uint8Array(bytesIn(row, "bits")) : new Uint8Array(GRAM_BYTES)
}

function finish(
  writer: Writer,
  key: number,
  change: SessionChange,
  fetchedAt: number,
  freshGrams: Uint8Array | undefined,
  tally: Tally,
): void {
  const { database } = writer
  const removed = new Set(change.removedMessages ?? [])
  if (change.complete === true) {
    const listed = new Set((change.messages ?? []).map((message) => message.id))
    const rows = database.prepare("SELECT id FROM messages WHERE session = ?").all(key)
    for (const row of rows) if (!listed.has(textIn(row, "id"))) removed.add(textIn(row, "id"))
  }
  let allRemoved = true
  for (const id of removed) {
    const outcome = removeMessage(database, key, change.session.id, id, fetchedAt)
    if (outcome === "removed") tally.removed++
    if (outcome !== "stale") continue
    tally.stale.add(change.session.id)
    allRemoved = false
  }
  // Bits of replaced texts pass the filter for nothing; a complete write is the occasion to drop them.
  if (freshGrams && allRemoved)
    database.prepare("UPDATE grams SET bits = ? WHERE key = ?").run(freshGrams, key)
  if (removed.size > 0)
    database.prepare("UPDATE sessions SET change = ? WHERE key = ?").run(nextChange(database), key)
  if (change.marker === undefined) return
  database
    .prepare("UPDATE sessions SET marker = ?, marker_at = ? WHERE key = ? AND marker_at <= ?")
    .run(change.marker, fetchedAt, key, fetchedAt)
}
