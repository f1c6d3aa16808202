import type { Database, Row } from "../../storage/sqlite.ts"
import { DamageError } from "./damage.ts"
import { numberIn } from "./rows.ts"

/**
 * Counters of the file, each one higher with every change of its kind, so that a reader compares what it keeps in
 * memory: "change" of a session's row, "tail" of the texts not yet indexed, "runs" of the index. "keys" numbers sessions, "fetch" the fetches from a host in the order they began.
 */
export type Counter = "change" | "tail" | "runs" | "keys" | "fetch"

/** Raises the counter; its new value. */
export function nextOf(database: Database, counter: Counter): number {
  const row = database
    .prepare("UPDATE meta SET value = value + 1, again = again + 1 WHERE name = ? RETURNING value, again")
    .get(counter)
  return valueIn(row, counter)
}

export function valueOf(database: Database, counter: Counter): number {
  return valueIn(database.prepare("SELECT value, again FROM meta WHERE name = ?").get(counter), counter)
}

/** Tables whose rows are counted as they come and go: that one is missing shows only so. */
export const COUNTED = [
  "sessions",
  "tail",
  "dead",
  "paths",
  "edits",
  "gone",
  "gone_messages",
  "forgotten",
] as const

/** The name of the count of a table's rows. */
export function rowsOf(table: (typeof COUNTED)[number]): string {
  return `rows of ${table}`
}

/** Runs are counted while they are searched. */
export const WHOLE_RUNS = "whole runs"

/** What was counted by this name. */
export function countOf(database: Database, name: string): number {
  return valueIn(database.prepare("SELECT value, again FROM meta WHERE name = ?").get(name), name)
}

/** A number the file was made with: "schema" is a sum of its tables, "serial" tells it from one that takes its place. */
export function numberOfFile(database: Database, name: "schema" | "serial"): number {
  return valueIn(database.prepare("SELECT value, again FROM meta WHERE name = ?").get(name), name)
}

/** Each number is stored twice. */
export function valueIn(row: Row | undefined, name: string): number {
  const value = row && numberIn(row, "value")
  if (value === undefined || value !== row?.["again"])
    throw new DamageError(`The number of ${name} is damaged.`)
  return value
}

export type Counters = Readonly<Record<Counter, number>>

/** All of them at once. */
export function countersOf(database: Database): Counters {
  const rows = new Map(
    database
      .prepare("SELECT * FROM meta")
      .all()
      .map((row) => [row["name"], row]),
  )
  const of = (counter: Counter) => valueIn(rows.get(counter), counter)
  return { change: of("change"), tail: of("tail"), runs: of("runs"), keys: of("keys"), fetch: of("fetch") }
}

/**
 * The point at which a fetch begins: the file's serial above 2^42, below it the count of fetches, which is all that is
 * stored. So a fetch that began before the file took another's place is told from those of this one.
 */
const SERIAL_UNIT = 2 ** 42

/** A point behind all others. Inside of a transaction. */
export function nextFetch(database: Database): number {
  return pointOf(database, nextOf(database, "fetch"))
}

/** A stored count as the point it was. */
export function pointOf(database: Database, count: number): number {
  return numberOfFile(database, "serial") * SERIAL_UNIT + count
}

/**
 * The count of the fetch whose changes are being written. Throws ReplacedError when it began in another file. A caller
 * may count by itself, without a serial: fetches that begin are then later than that.
 */
export function noteFetch(database: Database, point: number): number {
  const serial = Math.floor(point / SERIAL_UNIT)
  if (serial !== 0 && serial !== numberOfFile(database, "serial")) throw new ReplacedError()
  const count = Math.trunc(point) % SERIAL_UNIT
  database.prepare("UPDATE meta SET value = ?1, again = ?1 WHERE name = 'fetch' AND value < ?1").run(count)
  database.prepare("INSERT OR REPLACE INTO meta VALUES('stored at', ?1, ?1)").run(Date.now())
  return count
}

export class ReplacedError extends Error {
  override readonly name = "ReplacedError"
  constructor() {
    super("The index was made anew meanwhile.")
  }
}

/** When something from a host was stored last, by the clock of then. For people: nothing is decided by it. */
export function storedAt(database: Database): number | undefined {
  const row = database.prepare("SELECT value, again FROM meta WHERE name = 'stored at'").get()
  return row && valueIn(row, "stored at")
}

/** Marks a change of a session's row. */
export function nextChange(database: Database): number {
  return nextOf(database, "change")
}
