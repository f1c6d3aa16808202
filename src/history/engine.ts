import { type Database, sqliteTrouble } from "../storage/sqlite.ts"
import type { Changes, History, HistoryFault, HistoryResult, Progress, Status } from "./contract.ts"
import { nextFetch } from "./file/change.ts"
import { isDamage } from "./file/damage.ts"
import { identityOf, isFileTrouble, moveAside } from "./file/disk.ts"
import { unusable } from "./file/file.ts"
import { SEAL_UNITS, write, type Writer } from "./file/writer.ts"
import { createGroups } from "./group.ts"
import {
  closeFiles,
  faultOf,
  inSnapshot,
  loadWriting,
  type Open,
  openEngine,
  type Opening,
  ReadOnlyError,
} from "./open.ts"
import { createQueue, type Queue } from "./queue.ts"
import type { Catalog } from "./read/catalog.ts"
import { readLineage } from "./read/lineage.ts"
import { projectsIn } from "./read/projects-in.ts"
import { readMarkers, readMessages } from "./read/read.ts"
import { createReporter, writeReport } from "./report.ts"
import type { SealThread } from "./runs/seal-thread.ts"
import { createTidying } from "./runs/tidying.ts"
import { searchEdits } from "./search/edits.ts"
import { searchProjects } from "./search/projects.ts"
import { searchSessions } from "./search/search.ts"
import { statusOf } from "./status.ts"
import { LOCK_RETRY_MS, pause, runSteps, type Steps } from "./steps.ts"
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
          if (isDamage(error) && !recovered) {
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

  const writable = (open: Open): Writer => {
    if (open.writer) return writerOf(open, open.writer)
    throw new ReadOnlyError(`The index ${open.path} cannot be written to; searches go on.`)
  }

  const change = async <Value>(
    signal: AbortSignal | undefined,
    start: (writer: Writer, writing: Writing) => Steps<Value>,
  ) => {
    tidying.later()
    wrote = true
    const writing = await loadWriting()
    return run(writes, signal, (open) => {
      return start(writable(open), writing)
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
    // Behind no write that waits: the host is asked when this is answered.
    beginFetch: (signal) =>
      run(AT_ONCE, signal, (open) => {
        const writer = writable(open)
        return write(writer, () => nextFetch(writer.database))
      }),
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
        inSnapshot(open, () =>
          once(() => ({
            ...statusOf(open, [...open.notes, ...notes], options.runs),
            ...(progress ? { progress } : {}),
          })),
        ),
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

const CLOSED: { readonly ok: false; readonly fault: HistoryFault } = {
  ok: false,
  fault: { reason: "closed", message: "The history index is closed." },
}

const AT_ONCE: Queue = { add: (work) => work() }

async function done(): Promise<void> {
  return undefined
}

// oxlint-disable-next-line require-yield
function* once<Value>(work: () => Value): Steps<Value> {
  return work()
}
