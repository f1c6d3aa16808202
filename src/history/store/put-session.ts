import { readRecord } from "../../handoff/record.ts"
import type { Session } from "../../session/model.ts"
import type { SessionChange } from "../contract.ts"
import { storedText } from "../documents/stored-text.ts"
import { nextChange, nextOf } from "../file/change.ts"
import { numberIn } from "../file/rows.ts"
import type { Writer } from "../file/writer.ts"
import { FORGOTTEN_TITLE, isForgotten, isForgottenTitle } from "./forgotten.ts"
import type { Tally } from "./tally.ts"

// What a listing says of a session, into the tables, inside the caller's transaction.

/** The session's key; undefined when nothing of it may be written. */
export function putSession(
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
