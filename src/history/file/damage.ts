import { type Database, sqliteTrouble } from "../../storage/sqlite.ts"

// SQLite tells a page that is none of its own. A page with another page's bytes, an older one or one of zeros it may take
// for good: what such a page holds or lacks shows by the sums and counts that are stored with the rows (sums.ts).

/** What is stored cannot have been written so. Met while reading, the file is moved aside and made anew. */
export class DamageError extends Error {
  override readonly name = "DamageError"
}

/** True for what only a damaged file leads to, whoever noticed it. */
export function isDamage(error: unknown): error is Error {
  return error instanceof DamageError || (error instanceof Error && sqliteTrouble(error) === "corrupt")
}

/** Throws unless a table's pages follow each other in order and its indexes hold its rows. Reads all of both. */
export function checkOrder(database: Database, table: string): void {
  const found = database.pragma(`integrity_check(${table})`)
  if (found !== "ok") throw new DamageError(`The index is damaged: ${String(found)}.`)
}
