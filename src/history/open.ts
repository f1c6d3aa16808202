import { type Database, NO_SQLITE, sqliteDriver, sqliteTrouble } from "../storage/sqlite.ts"
import type { HistoryFault } from "./contract.ts"
import { isDamage } from "./file/damage.ts"
import { type OpenedIndex, openIndexFile } from "./file/file.ts"
import { BusyError, emptyLog, SEAL_UNITS } from "./file/writer.ts"
import { type Catalog, createCatalog } from "./read/catalog.ts"
import { createRecent, type Recent } from "./runs/recent.ts"
import { AbortedError, runSteps, type Steps } from "./steps.ts"
import type { Writing } from "./writing.ts"

// The index opened for an engine: its two connections, what a killed process left behind, and how it is closed.

/** An open index. */
export type Open = OpenedIndex & { readonly catalog: { refresh(): Catalog }; readonly recent: Recent }
export type Opening =
  | { readonly ok: true; readonly open: Open }
  | { readonly ok: false; readonly fault: HistoryFault }

/** Expected trouble is a value. */
export async function openEngine(dataDir: string, notes: string[]): Promise<Opening> {
  const unavailable = (message: string): Opening => ({ ok: false, fault: { reason: "unavailable", message } })
  const driver = await sqliteDriver()
  if (!driver) return unavailable(NO_SQLITE)
  try {
    const result = openIndexFile(driver, dataDir)
    if (!result.ok) return unavailable(result.message)
    const recent = createRecent(SEAL_UNITS)
    const open = { ...result.index, catalog: createCatalog(result.index.reader), recent }
    if (open.writer) await resume(open, open.writer, notes)
    return { ok: true, open }
  } catch (error) {
    return { ok: false, fault: faultOf(error) }
  }
}

/** Loaded with the first change. */
export function loadWriting(): Promise<Writing> {
  return import("./writing.ts")
}

/** A row when there is a removal or a merge that did not come to its end, or still goes on. */
const LEFT_BEHIND =
  "SELECT 1 FROM sessions WHERE removed = 1 UNION ALL SELECT 1 FROM runs WHERE state <> 'whole' LIMIT 1"

/** Removals that a kill interrupted are finished; being locked now is no reason not to search. */
async function resume({ path, recent }: Open, database: Database, notes: string[]): Promise<void> {
  try {
    if (!database.prepare(LEFT_BEHIND).get()) return
    const { clearRuns, resumeRemovals } = await loadWriting()
    const writer = { database, path, maskSecrets: true, sealUnits: SEAL_UNITS, recent }
    await runSteps(resumeRemovals(writer), 10)
    await runSteps(clearRuns(writer), 10)
  } catch (error) {
    if (error instanceof BusyError)
      notes.push("Removed sessions are still being erased; the index was locked by another process.")
    // A damaged page or a full disk is met again by the call that needs it, which then says or repairs it.
    else if (sqliteTrouble(error) === "other" && !isDamage(error)) throw error
  }
}

/** Reads what is there now, whatever is written meanwhile. */
export function* inSnapshot<Value>(
  open: Open,
  start: (database: Database, catalog: Catalog) => Steps<Value>,
): Steps<Value> {
  const { reader } = open
  reader.prepare("BEGIN").run()
  try {
    return yield* start(reader, open.catalog.refresh())
  } finally {
    reader.prepare("COMMIT").run()
  }
}

export function closeFiles(open: Open): void {
  try {
    if (open.writer) emptyLog({ database: open.writer, path: open.path })
  } catch (error) {
    // A damaged file is about to be moved aside; emptying its log is not worth an error.
    if (sqliteTrouble(error) === "other") throw error
  } finally {
    open.reader.close()
    open.writer?.close()
  }
}

export function faultOf(error: unknown): HistoryFault {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof AbortedError) return { reason: "aborted", message: "The call was aborted." }
  if (error instanceof BusyError) return { reason: "busy", message }
  if (error instanceof ReadOnlyError) return { reason: "read-only", message }
  const trouble = sqliteTrouble(error)
  if (trouble === "busy") return { reason: "busy", message }
  if (trouble === "read-only") return { reason: "read-only", message }
  return { reason: "failed", message }
}

export class ReadOnlyError extends Error {
  override readonly name = "ReadOnlyError"
}
