import { loadBun } from "./bun.ts"
import { loadNode } from "./node.ts"

// The one door to SQLite. Two drivers implement it; which one is there is found by trying, never by the
// runtime's name. A busy timeout is set on every connection before anything else runs on it.

export type SqlValue = string | number | bigint | null | Uint8Array
export type Row = Readonly<Record<string, SqlValue>>

/** The columns of a row in their order. */
export type Values = readonly SqlValue[]

export type Statement = {
  run(...values: readonly SqlValue[]): void
  get(...values: readonly SqlValue[]): Row | undefined
  all(...values: readonly SqlValue[]): readonly Row[]
  /** The rows as arrays in the order of the columns: where rows are many, half the cost of objects. */
  values(...values: readonly SqlValue[]): readonly Values[]
}

/** Rows one at a time. `close` must be called; it ends the read the statement holds. */
export type Rows = { next(): Row | undefined; close(): void }

/** What a driver offers; everything else is built on it here. */
export type Connection = {
  exec(sql: string): void
  prepare(sql: string): Statement
  iterate(sql: string, values: readonly SqlValue[]): Rows
  close(): void
}

export type Driver = {
  readonly name: "bun:sqlite" | "node:sqlite"
  open(path: string, readOnly: boolean): Connection
}

export type TransactionMode = "deferred" | "immediate" | "exclusive"

export type Database = {
  readonly driver: Driver["name"]
  exec(sql: string): void
  /** Prepared once per text and kept. */
  prepare(sql: string): Statement
  iterate(sql: string, ...values: readonly SqlValue[]): Rows
  /** The first column of a pragma's first row. */
  pragma(text: string): SqlValue | undefined
  /** Runs `work` in a transaction; in a savepoint when one is open. Rolled back when it throws. */
  transaction<Value>(mode: TransactionMode, work: () => Value): Value
  /** Finalizes and closes. Idempotent. */
  close(): void
}

export type OpenOptions = {
  readonly readOnly?: boolean
  /** How long a statement waits for another process's lock; never 0. */
  readonly busyTimeoutMs: number
}

let driver: Promise<Driver | undefined> | undefined

/** The driver this runtime has; undefined when it has none. */
export function sqliteDriver(): Promise<Driver | undefined> {
  driver ??= loadBun().then(async (found) => found ?? (await loadNode()))
  return driver
}

export const NO_SQLITE =
  "This runtime has no SQLite: neither bun:sqlite nor node:sqlite (Node 22.13 or later; Node 22.5 with --experimental-sqlite) could be loaded. History search is off; everything else works."

/** Opens a file. Throws what the driver throws; `sqliteTrouble` sorts it. */
export function openDatabase(driver: Driver, path: string, options: OpenOptions): Database {
  const connection = driver.open(path, options.readOnly ?? false)
  connection.exec(`PRAGMA busy_timeout = ${Math.max(1, Math.floor(options.busyTimeoutMs))}`)
  const statements = new Map<string, Statement>()
  let depth = 0
  let open = true

  const prepare = (sql: string): Statement => {
    const kept = statements.get(sql)
    if (kept) return kept
    const made = connection.prepare(sql)
    statements.set(sql, made)
    return made
  }

  return {
    driver: driver.name,
    exec: (sql) => connection.exec(sql),
    prepare,
    iterate: (sql, ...values) => connection.iterate(sql, values),
    pragma: (text) => Object.values(prepare(`PRAGMA ${text}`).get() ?? {})[0],
    transaction: (mode, work) => {
      const nested = depth > 0
      const name = `level_${depth}`
      connection.exec(nested ? `SAVEPOINT ${name}` : `BEGIN ${mode.toUpperCase()}`)
      depth++
      try {
        const value = work()
        if (isPromise(value))
          throw new TypeError("A transaction cannot hold a promise: it would commit too early.")
        connection.exec(nested ? `RELEASE ${name}` : "COMMIT")
        return value
      } catch (error) {
        rollBack(connection, nested ? name : undefined)
        throw error
      } finally {
        depth--
      }
    },
    close: () => {
      if (!open) return
      open = false
      statements.clear()
      connection.close()
    },
  }
}

/** The kinds of trouble the index reacts to differently. */
export type SqliteTrouble = "busy" | "corrupt" | "read-only" | "full" | "cannot-open" | "other"

/** Sorts an error of either driver by SQLite's primary result code. */
export function sqliteTrouble(error: unknown): SqliteTrouble {
  const code = resultCode(error)
  if (code === 5 || code === 6) return "busy"
  if (code === 11 || code === 26) return "corrupt"
  if (code === 8) return "read-only"
  if (code === 13) return "full"
  if (code === 14) return "cannot-open"
  return "other"
}

function resultCode(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null) return undefined
  // bun:sqlite calls it errno, node:sqlite errcode; the low byte is the primary code.
  const code = "errcode" in error ? error.errcode : "errno" in error ? error.errno : undefined
  return typeof code === "number" ? code & 0xff : undefined
}

function rollBack(connection: Connection, savepoint: string | undefined): void {
  try {
    connection.exec(savepoint === undefined ? "ROLLBACK" : `ROLLBACK TO ${savepoint}; RELEASE ${savepoint}`)
  } catch (error) {
    // SQLite has rolled back by itself (full disk, I/O error); the first error is the one to report.
    if (sqliteTrouble(error) === "corrupt") throw error
  }
}

function isPromise(value: unknown): boolean {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"
}
