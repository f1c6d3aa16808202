import type { Database } from "../../storage/sqlite.ts"
import { numberIn } from "./rows.ts"

/**
 * Counters of the file, each one higher with every change of its kind, so that a reader compares what it keeps in
 * memory: "change" of a session's row, "tail" of the texts not yet indexed, "runs" of the index. "keys" numbers sessions.
 */
export type Counter = "change" | "tail" | "runs" | "keys"

/** Raises the counter; its new value. */
export function nextOf(database: Database, counter: Counter): number {
  const row = database
    .prepare("UPDATE meta SET value = value + 1 WHERE name = ? RETURNING value")
    .get(counter)
  if (!row) throw new Error(`The index has no counter ${counter}.`)
  return numberIn(row, "value")
}

export function valueOf(database: Database, counter: Counter): number {
  const row = database.prepare("SELECT value FROM meta WHERE name = ?").get(counter)
  if (!row) throw new Error(`The index has no counter ${counter}.`)
  return numberIn(row, "value")
}

export type Counters = Readonly<Record<Counter, number>>

/** All of them at once. */
export function countersOf(database: Database): Counters {
  const rows = database.prepare("SELECT name, value FROM meta").all()
  const values = new Map(rows.map((row) => [row["name"], numberIn(row, "value")]))
  const of = (counter: Counter) => values.get(counter) ?? 0
  return { change: of("change"), tail: of("tail"), runs: of("runs"), keys: of("keys") }
}

/** Marks a change of a session's row. */
export function nextChange(database: Database): number {
  return nextOf(database, "change")
}
