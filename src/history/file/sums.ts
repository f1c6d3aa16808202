import { crc32 } from "node:zlib"
import type { Database, SqlValue, Values } from "../../storage/sqlite.ts"
import { type COUNTED, countOf, rowsOf } from "./change.ts"
import { checkOrder, DamageError } from "./damage.ts"
import { numberOf } from "./rows.ts"

// Every row that an answer is made of ends with a sum of all its columns, its key among them: of a row that is not what
// was written, or lies where another should, the sum is wrong. A row that is missing shows in the counts (schema.ts).

/** The sum of a row's first `end` columns: CRC-32 as SQLite stores it in the fewest bytes, signed. */
export function rowSum(values: Values, end = values.length): number {
  let text = ""
  let sum = 0
  for (let at = 0; at < end; at++) {
    const value = values[at] ?? null
    if (value instanceof Uint8Array) sum = crcOf(value, sum)
    else if (value !== null) text += String(value)
    text += value === null ? NULL : END
  }
  return crc32(text, sum) | 0
}

const END = "\u0001"
const NULL = "\u0002"

/** The sum of a text or of grams, which most of the file is: the key is the sum's start. */
export function bodySum(key: number, body: string | Uint8Array): number {
  const start = (key ^ Math.imul(Math.floor(key / 2 ** 32), 0x9e3779b1)) >>> 0
  return crcOf(body, start) | 0
}

/** Of nothing, Node answers 0 or the start, depending on where the nothing lies. */
function crcOf(body: string | Uint8Array, start: number): number {
  return body.length === 0 ? start : crc32(body, start)
}

/** Throws unless the row's last column is the sum of the others. */
export function checkRow(table: string, row: Values): void {
  const end = row.length - 1
  if (numberOf(row[end], "sum") !== rowSum(row, end)) throw new DamageError(`A row of ${table} is damaged.`)
}

/** Throws unless the body is what was stored under the key. */
export function checkBody(table: string, key: number, body: SqlValue | undefined, sum: SqlValue | undefined) {
  const isBody = typeof body === "string" || body instanceof Uint8Array
  if (!isBody || numberOf(sum, "sum") !== bodySum(key, body))
    throw new DamageError(`A row of ${table} is damaged.`)
}

/** Inserts a row given in the order of the table's columns, with its sum. */
export function putRow(
  database: Database,
  verb: "INSERT" | "INSERT OR IGNORE" | "INSERT OR REPLACE",
  table: string,
  row: Values,
): void {
  database.prepare(`${verb} INTO ${table} VALUES(${"?, ".repeat(row.length)}?)`).run(...row, rowSum(row))
}

/** Throws unless a counted table holds what was written into it, all of it, in order. Reads the table. */
export function checkTable(database: Database, table: Counted): void {
  checkOrder(database, table)
  const rows = database.iterate(`SELECT * FROM ${table}`)
  let count = 0
  try {
    for (let row = rows.next(); row; row = rows.next()) {
      checkRow(table, Object.values(row))
      count++
    }
  } finally {
    rows.close()
  }
  checkCount(database, rowsOf(table), count)
}

type Counted = (typeof COUNTED)[number]

/** Throws unless so many were counted. */
export function checkCount(database: Database, name: string, count: number): void {
  if (countOf(database, name) !== count) throw new DamageError(`Of the ${name} some are missing.`)
}

/** Renews the sums of the sessions that were changed behind this value of the counter. */
export function sealSessions(database: Database, change: number): void {
  const put = database.prepare("UPDATE sessions SET sum = ? WHERE key = ?")
  for (const row of database.prepare("SELECT * FROM sessions WHERE change > ?").values(change))
    put.run(rowSum(row, row.length - 1), numberOf(row[0], "key"))
}

/** A sum of the tables and indexes as they are defined, and where each begins. */
export function schemaSum(database: Database): number {
  const rows = database
    .prepare("SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master ORDER BY type, name")
    .values()
  return rows.reduce((sum, row) => (Math.imul(sum, 31) + rowSum(row)) | 0, 0)
}
