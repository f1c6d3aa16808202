import type { Database } from "../../storage/sqlite.ts"
import type { Catalog, Entry } from "./catalog.ts"
import { numberIn, textIn } from "../file/rows.ts"

// Where a reverted session ends: the same for searching and for reading.

/** A place in a session's order: messages are ordered by when they were created, then by id. */
export type Point = { readonly created: number; readonly id: string }

/** The first message that is reverted; undefined when none that is stored is. */
export function revertPoint(
  database: Database,
  { checked }: Pick<Catalog, "checked">,
  entry: Entry,
): Point | undefined {
  const id = entry.session.revertedFrom
  if (id === undefined) return undefined
  checked.messages(entry)
  const row = database.prepare("SELECT created FROM messages WHERE session = ? AND id = ?").get(entry.key, id)
  // Not stored: nothing stored is known to be behind it but what has a later id; hosts' ids ascend.
  if (row) return { created: numberIn(row, "created"), id }
  const next = database
    .prepare("SELECT created, id FROM messages WHERE session = ? AND id > ? ORDER BY created, id LIMIT 1")
    .get(entry.key, id)
  return next ? { created: numberIn(next, "created"), id: textIn(next, "id") } : undefined
}
