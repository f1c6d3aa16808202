import { existsSync } from "node:fs"
import { join } from "node:path"
import { type Database, type Driver, openDatabase, sqliteTrouble } from "../../storage/sqlite.ts"
import { create } from "./create.ts"
import {
  identityOf,
  inspectIndex,
  isFileTrouble,
  isFolder,
  makeFolder,
  moveAside,
  removeIndex,
} from "./disk.ts"
import { numberOfFile } from "./change.ts"
import { DamageError, isDamage } from "./damage.ts"
import { CACHE_KIB, LAYOUT_VERSION, READ_BUSY_MS, tuneConnection } from "./schema.ts"
import { checkTable, schemaSum } from "./sums.ts"

// Which file is the index, and what to do with what lies in its place: a file of another program is never
// opened, an older layout makes room, a newer one is left alone, a damaged one is moved aside.

export const INDEX_FOLDER = "history-search"
export const INDEX_FILE = "index-v1.sqlite"
/** Used when another program's file has our name. */
export const OTHER_INDEX_FILE = "index-baton-v1.sqlite"

/** How long SQLite itself waits for another process before a write. Short, because it blocks the thread: a writer waits outside SQLite (WRITE_WAIT_MS). */
export const WRITE_BUSY_MS = 5

export type OpenedIndex = {
  readonly path: string
  readonly mode: "read-write" | "read-only"
  readonly writer?: Database
  readonly reader: Database
  readonly notes: readonly string[]
  /** Device and inode, to know whether the path still is this file. */
  readonly identity: string
}

type Unavailable = { readonly ok: false; readonly reason: "unavailable"; readonly message: string }

export type OpenResult = { readonly ok: true; readonly index: OpenedIndex } | Unavailable

/** Opens or creates the index below the host's data directory. Expected trouble is a value. */
export function openIndexFile(driver: Driver, dataDir: string): OpenResult {
  const folder = join(dataDir, INDEX_FOLDER)
  const notes: string[] = []
  const trouble = makeFolder(folder)
  if (trouble !== undefined && !isFolder(folder)) {
    return unusable(join(folder, INDEX_FILE), trouble)
  }
  for (const name of [INDEX_FILE, OTHER_INDEX_FILE]) {
    const path = join(folder, name)
    try {
      const result = openAt(driver, path, notes, trouble)
      if (result) return result
    } catch (error) {
      // What was to make room stays where it is.
      if (isFileTrouble(error)) return unusable(path, error.message)
      throw error
    }
  }
  return {
    ok: false,
    reason: "unavailable",
    message: `${notes.join(" ")} There is no free name for the index in ${folder}.`,
  }
}

/** Undefined when the file is another program's. Throws what keeps an older or damaged file from making room. */
function openAt(
  driver: Driver,
  path: string,
  notes: string[],
  folderTrouble: string | undefined,
): OpenResult | undefined {
  const found = inspectIndex(path)
  if (found.kind === "foreign") {
    notes.push(`${path} belongs to another program and was left alone.`)
    return undefined
  }
  if (found.kind === "not-a-file") {
    const message = `The history index cannot be opened: ${found.at} is not a regular file. Move it away; the index is then built anew.`
    return { ok: false, reason: "unavailable", message }
  }
  if (found.kind === "newer") {
    const message = `${path} was written by a newer opencode-baton (layout ${found.version}, this one reads ${LAYOUT_VERSION}). It is left alone; update opencode-baton to search history.`
    return { ok: false, reason: "unavailable", message }
  }
  if (found.kind === "older") {
    removeIndex(path)
    notes.push(`The index had an older layout (${found.version}) and is being rebuilt.`)
  }
  if (found.kind === "damaged") notes.push(moveAside(path))
  return openOurs(driver, path, notes, folderTrouble)
}

function openOurs(
  driver: Driver,
  path: string,
  notes: string[],
  folderTrouble: string | undefined,
): OpenResult {
  try {
    if (!existsSync(path)) create(driver, path)
    const writer = openTuned(driver, path, WRITE_BUSY_MS, CACHE_KIB.writing)
    if (isWritable(writer)) {
      const reader = openTuned(driver, path, READ_BUSY_MS, CACHE_KIB.reading)
      checkOpened(reader, writer)
      return {
        ok: true,
        index: { path, mode: "read-write", writer, reader, notes, identity: identityOf(path) },
      }
    }
    writer.close()
  } catch (error) {
    if (isDamage(error) && !notes.some((note) => note.includes("damaged"))) {
      notes.push(moveAside(path))
      return openOurs(driver, path, notes, folderTrouble)
    }
    if (!existsSync(path)) {
      const message = folderTrouble ?? (error instanceof Error ? error.message : String(error))
      return unusable(path, message)
    }
  }
  return openReadOnly(driver, path, notes)
}

function openReadOnly(driver: Driver, path: string, notes: readonly string[]): OpenResult {
  try {
    const reader = openDatabase(driver, path, { readOnly: true, busyTimeoutMs: READ_BUSY_MS })
    checkOpened(reader)
    return { ok: true, index: { path, mode: "read-only", reader, notes, identity: identityOf(path) } }
  } catch (error) {
    return unusable(path, error instanceof Error ? error.message : String(error))
  }
}

/** What is to be done when the file at the path cannot be used. */
export function unusable(path: string, why: string): Unavailable {
  const message = `The history index ${path} cannot be opened (${why}). Make its folder writable, or set the dataDir option to a folder that is.`
  return { ok: false, reason: "unavailable", message }
}

/** Another connection that writes to an index which is open already. */
export function openWriter(driver: Driver, path: string, busyTimeoutMs: number): Database {
  return openTuned(driver, path, busyTimeoutMs, CACHE_KIB.writing)
}

/** Throws DamageError, and closes what was opened, unless the tables are ours and the small ones whole. */
function checkOpened(...databases: readonly Database[]): void {
  const [database] = databases
  if (database === undefined) return
  try {
    if (numberOfFile(database, "schema") !== schemaSum(database))
      throw new DamageError("The index has other tables than it was made with.")
    // What a write is refused by. The larger tables are checked as they are read.
    for (const table of ["gone", "gone_messages", "forgotten"] as const) checkTable(database, table)
  } catch (error) {
    for (const one of databases) one.close()
    throw error
  }
}

function openTuned(driver: Driver, path: string, busyTimeoutMs: number, cacheKiB: number): Database {
  const database = openDatabase(driver, path, { busyTimeoutMs })
  try {
    tuneConnection(database, cacheKiB)
    database.prepare("SELECT value FROM meta WHERE name = 'change'").get()
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function isWritable(database: Database): boolean {
  try {
    database.transaction("immediate", () => undefined)
    return true
  } catch (error) {
    const kind = sqliteTrouble(error)
    if (kind === "read-only" || kind === "cannot-open") return false
    if (kind === "busy") return true
    throw error
  }
}
