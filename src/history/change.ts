import type { Database } from "../storage/sqlite.ts"
import { numberIn } from "./rows.ts"

/** A number that grows with every change of a session's row: what a reader keeps in memory is compared by it. */
export function nextChange(database: Database): number {
  const row = database
    .prepare("UPDATE meta SET value = value + 1 WHERE name = 'change' RETURNING value")
    .get()
  if (!row) throw new Error("The index has no change counter.")
  return numberIn(row, "value")
}
