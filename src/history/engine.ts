import { type Database, NO_SQLITE, sqliteDriver, sqliteTrouble } from "../storage/sqlite.ts"
import { type Catalog, createCatalog } from "./read/catalog.ts"
import type { Changes, History, HistoryFault, HistoryResult, Progress, Status } from "./contract.ts"
import {
  identityOf,
  isFileTrouble,
  moveAside,
  type OpenedIndex,
  openIndexFile,
  unusable,
} from "./file/file.ts"
import { createGroups } from "./group.ts"
import { readLineage } from "./read/lineage.ts"
import { readMarkers, readMessages } from "./read/read.ts"
import { createRecent, type Recent } from "./runs/recent.ts"
import { createQueue, type Queue } from "./queue.ts"
import { createReporter, writeReport } from "./report.ts"
import type { SealThread } from "./runs/seal-thread.ts"
import { searchEdits } from "./search/edits.ts"
import { searchProjects } from "./search/projects.ts"
import { within } from "./search/scope.ts"
import { searchSessions } from "./search/search.ts"
import { statusOf } from "./status.ts"
import { AbortedError, LOCK_RETRY_MS, pause, runSteps, type Steps } from "./steps.ts"
import { createTidying } from "./runs/tidying.ts"
import { BusyError, emptyLog, SEAL_UNITS, type Writer } from "./file/writer.ts"
import type { Writing } from "./writing.ts"

// The index itself, on the thread it runs on: one connection writes, one reads a snapshot, each a queue of its
// own, so that a search never waits for a write. Whatever fails becomes a value.

export type EngineOptions = {
  readonly dataDir: string
  readonly maskSecrets: boolean
  /** How long work goes on before other work of this thread may run. */
  readonly sliceMs: number
  readonly runs: Status["runs"]
  /** SEAL_UNITS, or less so that a small history has runs too. */
  readonly sealUnits?: number
  /** Starts a thread that seals; without one the engine does it itself. Undefined where none can be started. */
  readonly sealThread?: (path: string) => SealThread | undefined
}

/** Free pages that are kept for reuse: giving back less than 2 MB is not worth the writing. */
const FREE_PAGES_KEPT = 128

/** A read that meets a file being opened or repaired by another process tries again: about 5 s with SQLite's own wait. */
const BUSY_TRIES = 20

type Open = OpenedIndex & { readonly catalog: { refresh(): Catalog }; readonly recent: Recent }
type Opening =
  | { readonly ok: true; readonly open: Open }
  | { readonly ok: false; readonly fault: HistoryFault }

/** Opens lazily, with the first call. */
export function createEngine(options: EngineOptions): History {
  const notes: string[] = []
  let opening: Promise<Opening> | undefined
  let progress: Progress | undefined
  let closed = false
  let wrote = false
  const writes = createQueue()
  const reads = createQueue()

  /** For the status, once. */
  const note = (text: string): void => {
    if (!notes.includes(text)) notes.push(text)
  }

  const opened = (): Promise<Opening> => {
    // What a killed process left unindexed is not left for good.
    if (opening === undefined) tidying.later()
    opening ??= openEngine(options.dataDir, notes)
    return opening
  }

  const recover = async (open: Open): Promise<void> => {
    const current = await opening
    if (current?.ok !== true || current.open !== open) return
    await tidying.end()
    closeFiles(open)
    opening = undefined
    try {
      // Another process may have moved it already: what is there now is a good file.
      if (identityOf(open.path) === open.identity) notes.push(moveAside(open.path))
    } catch (error) {
      if (!isFileTrouble(error)) throw error
      const { reason, message } = unusable(open.path, error.message)
      opening = Promise.resolve({ ok: false, fault: { reason, message } })
    }
  }

  const run = async <Value>(
    queue: Queue,
    signal: AbortSignal | undefined,
    start: (open: Open) => Steps<Value>,
  ): Promise<HistoryResult<Value>> => {
    if (closed) return CLOSED
    return queue.add(async () => {
      let recovered = false
      for (let tries = 0; ; tries++) {
        if (closed) return CLOSED
        const current = await opened()
        if (!current.ok) return { ok: false, fault: current.fault }
        try {
          return { ok: true, value: await runSteps(start(current.open), options.sliceMs, signal) }
        } catch (error) {
          const trouble = sqliteTrouble(error)
          if (trouble === "corrupt" && !recovered) {
            recovered = true
            await recover(current.open)
          } else if (trouble === "busy" && tries < BUSY_TRIES) await pause(LOCK_RETRY_MS)
          else return { ok: false, fault: faultOf(error) }
        }
      }
    })
  }

  const read = <Value>(
    signal: AbortSignal | undefined,
    start: (database: Database, catalog: Catalog) => Steps<Value>,
  ) => run(reads, signal, (open) => inSnapshot(open, start))

  const writerOf = (open: Open, database: Database): Writer => ({
    database,
    path: open.path,
    maskSecrets: options.maskSecrets,
    sealUnits: options.sealUnits ?? SEAL_UNITS,
    recent: open.recent,
  })

  const change = async <Value>(
    signal: AbortSignal | undefined,
    start: (writer: Writer, writing: Writing) => Steps<Value>,
  ) => {
    tidying.later()
    wrote = true
    const writing = await loadWriting()
    return run(writes, signal, (open) => {
      if (!open.writer)
        throw new ReadOnlyError(`The index ${open.path} cannot be written to; searches go on.`)
      return start(writerOf(open, open.writer), writing)
    })
  }

  const apply = (begin: () => readonly Changes[], signal: AbortSignal | undefined) =>
    change(signal, function* (writer, writing) {
      const applied = yield* writing.applyChanges(writer, begin())
      yield* tidying.whenMuch(writer, writing)
      if (applied.some(({ removed }) => removed > 0)) yield* writing.giveBack(writer, FREE_PAGES_KEPT)
      return applied
    })
  const groups = createGroups(apply)

  const tidying = createTidying({
    queue: writes,
    sliceMs: options.sliceMs,
    writer: async () => {
      const current = await opening
      return current?.ok === true && current.open.writer
        ? writerOf(current.open, current.open.writer)
        : undefined
    },
    writing: loadWriting,
    thread: options.sealThread,
    note,
  })

  /** Beside the changes, which tell a file that cannot be written: a report is only noted, and told again. */
  const storeReport = async (value: Progress): Promise<void> => {
    const current = await opening
    const database = current?.ok === true ? current.open.writer : undefined
    try {
      database?.transaction("immediate", () => writeReport(database, value, Date.now()))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (sqliteTrouble(error) !== "busy") note(`The progress of the sync could not be noted (${reason}).`)
    }
  }

  const reporter = createReporter((value) => writes.add(() => storeReport(value)))

  return {
    applyChanges: (changes, signal) => {
      // Removing can take long, and its own signal ends it.
      const apart = (changes.removedSessions ?? []).length > 0
      if (apart) groups.end()
      const applied = groups.add(changes, signal)
      if (apart) groups.end()
      return applied
    },
    forget: (target, signal) => {
      groups.end()
      return change(signal, (writer, writing) => writing.forget(writer, target, Date.now()))
    },
    search: (request, signal) =>
      read(signal, (database, catalog) => searchSessions(database, catalog, request)),
    projects: (request, signal) =>
      read(signal, (database, catalog) => searchProjects(database, catalog, request)),
    edits: (request, signal) => read(signal, (database, catalog) => searchEdits(database, catalog, request)),
    messages: (request, signal) =>
      read(signal, (database, catalog) => readMessages(database, catalog, request)),
    lineage: (request, signal) =>
      read(signal, (database, catalog) => readLineage(database, catalog, request)),
    markers: (signal) => read(signal, (database) => once(() => readMarkers(database))),
    session: (id, signal) => read(signal, (_database, catalog) => once(() => catalog.byID(id)?.session)),
    projectsIn: (directory, signal) =>
      read(signal, (_database, catalog) => once(() => projectsIn(catalog, directory))),
    progress: (value) => {
      progress = value
      reporter.report(value)
    },
    status: () =>
      run(reads, undefined, (open) =>
        once(() => ({
          ...statusOf(open, [...open.notes, ...notes], options.runs),
          ...(progress ? { progress } : {}),
        })),
      ),
    close: async () => {
      if (closed) return
      closed = true
      // Who only read does not wait for what others wrote.
      await Promise.all([
        wrote ? writes.add(() => tidying.now()) : undefined,
        reporter.flush(),
        reads.add(done),
      ])
      const current = await opening
      if (current?.ok === true) closeFiles(current.open)
    },
  }
}

/** One session of each project and directory tells of all. */
function projectsIn(catalog: Catalog, directory: string): readonly string[] {
  const homes = new Map(catalog.entries.map(({ home, session }) => [home, session]))
  const isInside = within([directory])
  const inside = [...homes.values()].filter((session) => isInside(session.directory))
  return [...new Set(inside.map((session) => session.projectID))]
}

class ReadOnlyError extends Error {
  override readonly name = "ReadOnlyError"
}

const CLOSED: { readonly ok: false; readonly fault: HistoryFault } = {
  ok: false,
  fault: { reason: "closed", message: "The history index is closed." },
}

async function done(): Promise<void> {
  return undefined
}

// oxlint-disable-next-line require-yield
function* once<Value>(work: () => Value): Steps<Value> {
  return work()
}

async function openEngine(dataDir: string, notes: string[]): Promise<Opening> {
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

function loadWriting(): Promise<Writing> {
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
    else if (sqliteTrouble(error) === "other") throw error
  }
}

function* inSnapshot<Value>(
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

function closeFiles(open: Open): void {
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

function faultOf(error: unknown): HistoryFault {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof AbortedError) return { reason: "aborted", message: "The call was aborted." }
  if (error instanceof BusyError) return { reason: "busy", message }
  if (error instanceof ReadOnlyError) return { reason: "read-only", message }
  const trouble = sqliteTrouble(error)
  if (trouble === "busy") return { reason: "busy", message }
  if (trouble === "read-only") return { reason: "read-only", message }
  return { reason: "failed", message }
}
