import { pathKey } from "../../query/paths.ts"
import type { Database } from "../../storage/sqlite.ts"
import type { MessageEdit } from "../documents/edits.ts"
import { numberIn, optionalNumber } from "../file/rows.ts"
import { putRow } from "../file/sums.ts"

// The file edits of a message, and the paths they name.

export function putEdits(database: Database, rid: number, at: number, edits: readonly MessageEdit[]): void {
  edits.forEach((edit, n) => {
    const movedFrom = edit.movedFrom === undefined ? null : pathId(database, edit.movedFrom)
    const path = pathId(database, edit.path)
    putRow(database, "INSERT", "edits", [rid, n, at, path, movedFrom, edit.kind, edit.status, edit.tool])
  })
}

function pathId(database: Database, path: string): number {
  const key = pathKey(path)
  const known = database.prepare("SELECT id FROM paths WHERE key = ?").get(key)
  if (known) return numberIn(known, "id")
  const last = database.prepare("SELECT max(id) AS id FROM paths").get()
  const id = ((last && optionalNumber(last, "id")) ?? 0) + 1
  putRow(database, "INSERT", "paths", [id, key, path])
  return id
}

export function removeEdits(database: Database, rid: number): void {
  const edits = database.prepare("DELETE FROM edits WHERE rid = ? RETURNING path, moved_from").all(rid)
  for (const edit of edits) {
    removeUnused(database, numberIn(edit, "path"))
    const movedFrom = optionalNumber(edit, "moved_from")
    if (movedFrom !== undefined) removeUnused(database, movedFrom)
  }
}

/** A path is text of the history like any other: it goes with its last edit. */
function removeUnused(database: Database, path: number): void {
  database
    .prepare(
      `DELETE FROM paths WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM edits WHERE path = ?1)
       AND NOT EXISTS (SELECT 1 FROM edits WHERE moved_from = ?1)`,
    )
    .run(path)
}
