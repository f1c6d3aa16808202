import { pathKey } from "../../query/paths.ts"
import type { Database } from "../../storage/sqlite.ts"
import type { MessageEdit } from "../documents/edits.ts"
import { numberIn, optionalNumber } from "../file/rows.ts"

// The file edits of a message, and the paths they name.

export function putEdits(database: Database, rid: number, at: number, edits: readonly MessageEdit[]): void {
  edits.forEach((edit, n) => {
    const movedFrom = edit.movedFrom === undefined ? null : pathId(database, edit.movedFrom)
    database
      .prepare(
        "INSERT INTO edits(rid, n, at, path, moved_from, kind, status, tool) VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
      )
      .run(rid, n, at, pathId(database, edit.path), movedFrom, edit.kind, edit.status, edit.tool)
  })
}

function pathId(database: Database, path: string): number {
  const key = pathKey(path)
  const known = database.prepare("SELECT id FROM paths WHERE key = ?").get(key)
  if (known) return numberIn(known, "id")
  const made = database.prepare("INSERT INTO paths(key, path) VALUES(?, ?) RETURNING id").get(key, path)
  if (!made) throw new Error("A path could not be stored.")
  return numberIn(made, "id")
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
