import { matchesPath, pathKey } from "../../query/paths.ts"
import type { Database, Row } from "../../storage/sqlite.ts"
import type { Catalog } from "../read/catalog.ts"
import { numberIn, textIn } from "../file/rows.ts"
import { MESSAGES_PER_SESSION, PATH_NAME } from "../file/schema.ts"
import { pathNames } from "../real-paths.ts"

// Files behind `path:`. Paths are few beside edits, so each is compared once and edits are found by number.

/** The value behind `path:`, and the folder where one that is relative is looked up. */
export type PathAsked = { readonly path: string; readonly pathFrom?: string }

/** Numbers of the stored paths a `path:` value means. */
export function pathsMeant(database: Database, catalog: Catalog, asked: PathAsked): ReadonlySet<number> {
  catalog.checked.edits()
  const folders = new Set(catalog.entries.map(({ session }) => session.directory))
  const patterns = pathNames(asked.path, asked.pathFrom, folders)
  return new Set(
    patterns.flatMap((pattern) =>
      rowsLike(database, pathKey(pattern))
        .filter((row) => matchesPath(pattern, textIn(row, "path")))
        .map((row) => numberIn(row, "id")),
    ),
  )
}

/** The paths of a file's name; for a folder, those that hold the name of the folder. */
function rowsLike(database: Database, normal: string): readonly Row[] {
  const isFolder = normal.endsWith("/")
  const name = normal.split("/").at(isFolder ? -2 : -1) ?? ""
  // SQLite's lower() knows ASCII only.
  if (!isFolder && IS_ASCII.test(name))
    return database.prepare(`SELECT id, path FROM paths WHERE ${PATH_NAME} = ?`).all(name.toLowerCase())
  return database
    .prepare("SELECT id, path FROM paths WHERE instr(lower(key), lower(?)) > 0")
    .all(asciiPart(name))
}

// oxlint-disable-next-line no-control-regex
const IS_ASCII = /^[\u0000-\u007f]*$/

/** Keys of the sessions that edited a file meant by the pattern; failed and empty edits do not count. */
export function editedSessions(database: Database, catalog: Catalog, asked: PathAsked): ReadonlySet<number> {
  const keys = new Set<number>()
  for (const id of pathsMeant(database, catalog, asked)) {
    for (const column of ["path", "moved_from"]) {
      const rows = database
        .prepare(
          `SELECT DISTINCT rid / ${MESSAGES_PER_SESSION} AS key FROM edits WHERE ${column} = ? AND status = 'done'`,
        )
        .all(id)
      for (const row of rows) keys.add(numberIn(row, "key"))
    }
  }
  return keys
}

/** The longest run of ASCII narrows, the exact comparison follows. */
function asciiPart(name: string): string {
  // oxlint-disable-next-line no-control-regex
  const runs = name.match(/[\u0000-\u007f]+/g) ?? [""]
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), "")
}
