import type { Database } from "../../storage/sqlite.ts"
import { nextChange, noteFetch, valueOf } from "../file/change.ts"
import { dropMessage } from "./put-message.ts"
import { numberIn, textIn } from "../file/rows.ts"
import { ridRange } from "../file/schema.ts"
import { putRow } from "../file/sums.ts"
import type { Steps } from "../steps.ts"
import { write, type Writer } from "../file/writer.ts"

// Removing a session: invisible at once by one small transaction, its rows in further ones. A kill in between
// leaves a session marked as removed; opening the index goes on with it.

/**
 * Deletions are remembered until so many fetches have begun, so that one that was under way does not bring a session
 * back: a day of one fetch a second, and far longer than any fetch waits.
 */
export const TOMBSTONE_FETCHES = 100_000

/** Messages removed in one transaction. */
const REMOVE_BATCH = 200

/** Removes a session unless a later fetch saw it. The number of messages removed. */
export function* removeSessionSteps(writer: Writer, id: string, point: number): Steps<number | "stale"> {
  const { database } = writer
  const key = yield* write(writer, () => {
    const fetchedAt = noteFetch(database, point)
    const row = database.prepare("SELECT key, fetched_at FROM sessions WHERE id = ?").get(id)
    if (row && numberIn(row, "fetched_at") > fetchedAt) return "stale"
    const gone = database.prepare("SELECT at FROM gone WHERE session = ?").get(id)
    const at = gone ? Math.max(numberIn(gone, "at"), fetchedAt) : fetchedAt
    putRow(database, "INSERT OR REPLACE", "gone", [id, at])
    if (!row) return undefined
    hideSession(database, numberIn(row, "key"))
    return numberIn(row, "key")
  })
  if (key === "stale") return key
  return key === undefined ? 0 : yield* removeRowsSteps(writer, key)
}

/** Makes a session invisible; its rows are removed by `removeRowsSteps`. */
export function hideSession(database: Database, key: number): void {
  database.prepare("UPDATE sessions SET removed = 1, change = ? WHERE key = ?").run(nextChange(database), key)
}

/** Removes the rows of a hidden session. */
export function* removeRowsSteps(writer: Writer, key: number): Steps<number> {
  const { database } = writer
  const [from, to] = ridRange(key)
  let total = 0
  for (;;) {
    const removed = yield* write(writer, () => {
      const rows = database
        .prepare("SELECT rid, units FROM messages WHERE rid BETWEEN ? AND ? ORDER BY rid LIMIT ?")
        .all(from, to, REMOVE_BATCH)
      for (const row of rows) dropMessage(database, key, numberIn(row, "rid"), numberIn(row, "units") > 0)
      if (rows.length < REMOVE_BATCH)
        database.prepare("DELETE FROM sessions WHERE key = ? AND removed = 1").run(key)
      hideSession(database, key)
      return rows.length
    })
    total += removed
    if (removed < REMOVE_BATCH) return total
  }
}

/** Goes on with removals that a kill interrupted. */
export function* resumeRemovals(writer: Writer): Steps<void> {
  const rows = writer.database.prepare("SELECT key FROM sessions WHERE removed = 1").all()
  for (const row of rows) yield* removeRowsSteps(writer, numberIn(row, "key"))
}

/** Forgets tombstones that no running fetch can be older than. */
export function purgeTombstones(database: Database): void {
  const kept = valueOf(database, "fetch") - TOMBSTONE_FETCHES
  database.prepare("DELETE FROM gone WHERE at < ?").run(kept)
  database.prepare("DELETE FROM gone_messages WHERE at < ?").run(kept)
}

/** Ids of the sessions that are stored and match a condition of ours. */
export function sessionIds(database: Database, where: string, ...values: readonly (string | number)[]) {
  return database
    .prepare(`SELECT key, id FROM sessions WHERE removed = 0 AND ${where}`)
    .all(...values)
    .map((row) => ({ key: numberIn(row, "key"), id: textIn(row, "id") }))
}
