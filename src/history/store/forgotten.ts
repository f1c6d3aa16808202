import type { Message, Session } from "../../session/model.ts"
import type { Database } from "../../storage/sqlite.ts"

// What a person asked to forget stays out of the index for good, also when the host still delivers it. Asked
// inside the writing transaction, so that no backfill slips in between.

/** Stands for the title of a session that began in a forgotten range and went on after it. */
export const FORGOTTEN_TITLE = "(forgotten)"

/** True when nothing of the session may be stored. */
export function isForgotten(database: Database, session: Session): boolean {
  const created = Math.trunc(session.created)
  return (
    database
      .prepare(
        `SELECT 1 AS found FROM forgotten WHERE (kind = 'session' AND value = ?)
         OR (kind = 'project' AND value = ? AND ? <= until)
         OR (kind = 'dates' AND value IN ('', ?) AND ? BETWEEN since AND until AND ? BETWEEN since AND until)`,
      )
      .get(
        session.id,
        session.projectID,
        created,
        session.projectID,
        created,
        Math.trunc(session.updated),
      ) !== undefined
  )
}

/** False when no message can lie in a forgotten range: asked once for many. */
export function hasForgottenDates(database: Database): boolean {
  return database.prepare("SELECT 1 FROM forgotten WHERE kind = 'dates' LIMIT 1").get() !== undefined
}

/** True when a message lies in a forgotten range. */
export function isForgottenMessage(database: Database, projectID: string, message: Message): boolean {
  return inForgottenDates(database, projectID, message.created)
}

/** True when a session began in a forgotten range: its title is not to be stored. */
export function isForgottenTitle(database: Database, session: Session): boolean {
  return inForgottenDates(database, session.projectID, session.created)
}

function inForgottenDates(database: Database, projectID: string, at: number): boolean {
  return (
    database
      .prepare(
        "SELECT 1 AS found FROM forgotten WHERE kind = 'dates' AND value IN ('', ?) AND ? BETWEEN since AND until",
      )
      .get(projectID, Math.trunc(at)) !== undefined
  )
}
