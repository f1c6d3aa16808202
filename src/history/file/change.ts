import type { Database } from "../../storage/sqlite.ts"
import { numberIn } from "./rows.ts"

/**
 * Counters of the file, each one higher with every change of its kind, so that a reader compares what it keeps in
 * memory: "change" of a session's row, "tail" of the texts not yet indexed, "runs" of the index. "keys" numbers sessions, "fetch" the fetches from a host in the order they began.
 */
export type Counter = "change" | "tail" | "runs" | "keys" | "fetch"

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
  return { change: of("change"), tail: of("tail"), runs: of("runs"), keys: of("keys"), fetch: of("fetch") }
}

/**
 * What a fetch brought is being written: of the fetches, the next one to begin is later than it. Only a fetch that was
 * under way while its index made room for a new one is ahead of the counter.
 */
export function noteFetch(database: Database, fetchedAt: number): void {
  database
    .prepare("UPDATE meta SET value = ?1 WHERE name = 'fetch' AND value < ?1")
    .run(Math.trunc(fetchedAt))
  database.prepare("INSERT OR REPLACE INTO meta VALUES('stored at', ?)").run(Date.now())
}

/** When something from a host was stored last, by the clock of then. For people: nothing is decided by it. */
export function storedAt(database: Database): number | undefined {
  const row = database.prepare("SELECT value FROM meta WHERE name = 'stored at'").get()
  return row && numberIn(row, "value")
}

/** Marks a change of a session's row. */
export function nextChange(database: Database): number {
  return nextOf(database, "change")
}
