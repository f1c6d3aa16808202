import { statSync } from "node:fs"
import { type Database, NO_SQLITE, sqliteDriver, sqliteTrouble } from "../storage/sqlite.ts"
import { type Catalog, createCatalog } from "./catalog.ts"
import type { History, HistoryFault, HistoryResult, Progress, Status } from "./contract.ts"
import { identityOf, isFileTrouble, moveAside, type OpenedIndex, openIndexFile, unusable } from "./file.ts"
import { readLineage } from "./lineage.ts"
import { readMarkers, readMessages } from "./read.ts"
import { createRecent, type Recent } from "./recent.ts"
import { createReporter, readReport, writeReport } from "./report.ts"
import { numberIn, optionalNumber } from "./rows.ts"
import { LAYOUT_VERSION } from "./schema.ts"
import { searchEdits } from "./search/edits.ts"
import { searchProjects } from "./search/projects.ts"
import { within } from "./search/scope.ts"
import { searchSessions } from "./search/search.ts"
import { AbortedError, LOCK_RETRY_MS, pause, runSteps, type Steps, untilWait } from "./steps.ts"
import { BusyError, emptyLog, logBytes, QUIET_SEAL_UNITS, SEAL_UNITS, type Writer } from "./writer.ts"

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
}

/** Without a write for this long, what waits is indexed: a search finds little left to look through. */
const QUIET_MS = 1_000

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
  let quiet: ReturnType<typeof setTimeout> | undefined
  const writes = createQueue()
  const reads = createQueue()

  const opened = (): Promise<Opening> => {
    // What a killed process left unindexed is not left for good.
    if (opening === undefined) tidyWhenQuiet()
    opening ??= openEngine(options.dataDir, notes)
    return opening
  }

  const recover = async (open: Open): Promise<void> => {
    const current = await opening
    if (current?.ok !== true || current.open !== open) return
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
    tidyWhenQuiet()
    wrote = true
    const writing = await loadWriting()
    return run(writes, signal, (open) => {
      if (!open.writer)
        throw new ReadOnlyError(`The index ${open.path} cannot be written to; searches go on.`)
      return start(writerOf(open, open.writer), writing)
    })
  }

  const tidyWhenQuiet = (): void => {
    clearTimeout(quiet)
    quiet = setTimeout(() => void writes.add(tidy), QUIET_MS)
    quiet.unref()
  }

  /** Leaves it to the next time when another process writes: nothing waits for it. */
  const tidy = async (): Promise<void> => {
    const current = await opening
    if (current?.ok !== true || !current.open.writer || quiet === undefined) return
    clearTimeout(quiet)
    quiet = undefined
    const writer = writerOf(current.open, current.open.writer)
    try {
      const leastUnits = Math.min(writer.sealUnits, QUIET_SEAL_UNITS)
      const { tidyRuns } = await loadWriting()
      await runSteps(untilWait(tidyRuns(writer, leastUnits)), options.sliceMs)
    } catch (error) {
      // Nobody waits for an answer; the status tells it. Searches look through the tail meanwhile.
      const reason = error instanceof Error ? error.message : String(error)
      const note = `New text could not be indexed (${reason}); it is searched without an index.`
      if (!notes.includes(note)) notes.push(note)
    }
  }

  /** Beside the changes, which tell a file that cannot be written: a report is only noted, and told again. */
  const storeReport = async (value: Progress): Promise<void> => {
    const current = await opening
    const database = current?.ok === true ? current.open.writer : undefined
    try {
      database?.transaction("immediate", () => writeReport(database, value, Date.now()))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const note = `The progress of the sync could not be noted (${reason}).`
      if (sqliteTrouble(error) !== "busy" && !notes.includes(note)) notes.push(note)
    }
  }

  const reporter = createReporter((value) => writes.add(() => storeReport(value)))

  return {
    applyChanges: (changes, signal) =>
      change(signal, function* (writer, writing) {
        const applied = yield* writing.applyChanges(writer, changes)
        // What other processes write they seal themselves.
        if (writer.recent.units >= writer.sealUnits)
          yield* untilWait(writing.tidyRuns(writer, writer.sealUnits))
        if (applied.removed > 0) yield* writing.giveBack(writer, FREE_PAGES_KEPT)
        return applied
      }),
    forget: (target, signal) =>
      change(signal, (writer, writing) => writing.forget(writer, target, Date.now())),
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
      await Promise.all([wrote ? writes.add(tidy) : undefined, reporter.flush(), reads.add(done)])
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

type Queue = { add<Value>(work: () => Promise<Value>): Promise<Value> }

function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve()
  return {
    add: (work) => {
      const next = last.then(work)
      last = next.catch(() => undefined)
      return next
    },
  }
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

type Writing = typeof import("./writing.ts")

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

/** The latest time a fetch of listing data or messages began. */
function syncedAt(open: Open): { readonly syncedAt?: number } {
  const row = open.reader
    .prepare("SELECT max(max(fetched_at), max(marker_at)) AS at FROM sessions WHERE removed = 0")
    .get()
  const at = row === undefined ? undefined : optionalNumber(row, "at")
  return at === undefined ? {} : { syncedAt: at }
}

function reported({ reader }: Open): Pick<Status, "reported"> {
  const report = readReport(reader)
  return report === undefined ? {} : { reported: report }
}

function statusOf(open: Open, notes: readonly string[], runs: Status["runs"]): Status {
  const count = (sql: string) => {
    const row = open.reader.prepare(sql).get()
    return row ? numberIn(row, "n") : 0
  }
  return {
    file: open.path,
    mode: open.mode,
    runs,
    driver: open.reader.driver,
    sessions: count("SELECT count(*) AS n FROM sessions WHERE removed = 0"),
    complete: count("SELECT count(*) AS n FROM sessions WHERE removed = 0 AND marker IS NOT NULL"),
    messages: count("SELECT coalesce(sum(messages), 0) AS n FROM sessions WHERE removed = 0"),
    edits: count("SELECT count(*) AS n FROM edits"),
    bytes: statSync(open.path, { throwIfNoEntry: false })?.size ?? 0,
    logBytes: logBytes(open.path),
    layout: LAYOUT_VERSION,
    forgotten: count("SELECT count(*) AS n FROM forgotten"),
    ...syncedAt(open),
    ...reported(open),
    notes,
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
