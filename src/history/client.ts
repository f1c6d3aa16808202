import { existsSync } from "node:fs"
import { Worker } from "node:worker_threads"
import type { History, HistoryFault, Progress } from "./contract.ts"
import {
  isFromWorker,
  type Operation,
  type Operations,
  perform,
  QUIET_ARGUMENT,
  type Reply,
  type Result,
  tell,
  type ToWorker,
} from "./operations.ts"

// The index as the host's thread sees it: every call a message to the worker. Where no worker starts, the same
// engine runs here in short slices.

/** Longest stretch of work beside the host's own when there is no worker. */
export const IN_PROCESS_SLICE_MS = 10

/** A worker that crashes this often is not started again. */
export const MAX_WORKER_STARTS = 3

/** Closing waits this long for a running write, then ends the thread; SQLite undoes what was not committed. */
export const CLOSE_WAIT_MS = 5_000

export type ClientOptions = {
  readonly dataDir: string
  readonly maskSecrets: boolean
  /** Keep the process alive until pending writes are done, as a command does. Searches always do. */
  readonly keepAlive?: boolean
  /** Where the worker's code lies; found by itself. */
  readonly workerURL?: URL
}

type Pending = {
  readonly settle: (reply: Reply) => void
  readonly fail: (fault: HistoryFault) => void
  readonly again: () => void
}
type Running = { readonly worker: Worker; ready: boolean; readonly queued: ToWorker[] }

export function createClient(options: ClientOptions): History {
  const pending = new Map<number, Pending>()
  const awaited = new Set<number>()
  let nextID = 1
  let starts = 0
  let running: Running | undefined
  let loading: Promise<History> | undefined
  let local: History | undefined
  let progress: Progress | undefined
  let closing: Promise<void> | undefined

  /** Loaded only where it is needed: beside a worker, this thread never runs the engine. */
  const engine = (): Promise<History> => {
    loading ??= import("./engine.ts").then(({ createEngine }) => {
      local = createEngine({ ...options, sliceMs: IN_PROCESS_SLICE_MS, runs: "in-process" })
      if (progress) local.progress(progress)
      return local
    })
    return loading
  }

  const performHere = async <Op extends Operation>(
    operation: Op,
    argument: Operations[Op]["argument"],
    signal?: AbortSignal,
  ): Promise<Result<Op>> => {
    try {
      return await perform(await engine(), operation, argument, signal)
    } catch (error) {
      return { ok: false, fault: { reason: "failed", message: reasonOf(error) } }
    }
  }

  /** To the worker, or kept until it is ready. */
  const post = (message: ToWorker): void => {
    if (running?.ready) deliver(running, message)
    else running?.queued.push(message)
  }

  const deliver = (state: Running, message: ToWorker): void => {
    try {
      tell(state.worker, message)
    } catch (error) {
      // Something in it cannot be copied to another thread (a function in a host's metadata).
      if (message.kind === "call")
        pending.get(message.id)?.fail({ reason: "failed", message: reasonOf(error) })
    }
  }

  const start = (): Running | undefined => {
    const url = options.workerURL ?? workerURL()
    if (url === undefined || starts >= MAX_WORKER_STARTS) return undefined
    starts++
    try {
      const { dataDir, maskSecrets } = options
      const worker = new Worker(url, { workerData: { dataDir, maskSecrets }, execArgv: [QUIET_ARGUMENT] })
      const state: Running = { worker, ready: false, queued: [] }
      worker.unref()
      worker.on("message", (message: unknown) => received(state, message))
      worker.on("error", () => ended(state))
      worker.on("exit", () => ended(state))
      return state
    } catch {
      // A runtime without worker threads, or a host that forbids them: the engine runs here.
      return undefined
    }
  }

  const received = (state: Running, message: unknown): void => {
    if (!isFromWorker(message)) return
    if (message.kind === "ready") {
      state.ready = true
      for (const waiting of state.queued.splice(0)) deliver(state, waiting)
    }
    if (message.kind === "reply") pending.get(message.id)?.settle(message)
  }

  /** Before it was ready, no call was begun: all are made again here. Later, what it did is unknown. */
  const ended = (state: Running): void => {
    if (running !== state) return
    running = undefined
    if (!state.ready) starts = MAX_WORKER_STARTS
    for (const call of pending.values()) {
      if (state.ready)
        call.fail({ reason: "failed", message: "The history worker ended; the next call starts it again." })
      else call.again()
    }
  }

  const call = <Op extends Operation>(
    operation: Op,
    argument: Operations[Op]["argument"],
    signal?: AbortSignal,
  ): Promise<Result<Op>> => {
    if (closing) return Promise.resolve(CLOSED)
    if (signal?.aborted) return Promise.resolve(ABORTED)
    if (!loading) running ??= start()
    if (!running) return performHere(operation, argument, signal)
    return new Promise((resolve) => {
      const id = nextID++
      const finish = (result: Result<Op>): void => {
        pending.delete(id)
        signal?.removeEventListener("abort", abort)
        awaited.delete(id)
        if (awaited.size === 0) running?.worker.unref()
        resolve(result)
      }
      const abort = (): void => {
        post({ kind: "abort", id })
        finish(ABORTED)
      }
      pending.set(id, {
        settle: (reply) => {
          if (isReplyTo(reply, operation)) finish(reply.result)
        },
        fail: (fault) => finish({ ok: false, fault }),
        again: () => {
          pending.delete(id)
          awaited.delete(id)
          signal?.removeEventListener("abort", abort)
          void performHere(operation, argument, signal).then(resolve)
        },
      })
      signal?.addEventListener("abort", abort, { once: true })
      if (options.keepAlive === true || !WRITES.has(operation)) {
        awaited.add(id)
        running?.worker.ref()
      }
      send(operation, id, argument)
    })
  }

  const send = <Op extends Operation>(
    operation: Op,
    id: number,
    argument: Operations[Op]["argument"],
  ): void => {
    const message = { kind: "call", id, operation, argument }
    if (isCall(message)) post(message)
  }

  const close = async (): Promise<void> => {
    const state = running
    if (state) await closeWorker(state)
    running = undefined
    for (const call of pending.values()) call.fail(CLOSED.fault)
    await Promise.allSettled([loading])
    await local?.close()
  }

  return {
    beginFetch: (signal) => call("beginFetch", undefined, signal),
    applyChanges: (changes, signal) => call("applyChanges", changes, signal),
    search: (request, signal) => call("search", request, signal),
    projects: (request, signal) => call("projects", request, signal),
    edits: (request, signal) => call("edits", request, signal),
    markers: (signal) => call("markers", undefined, signal),
    session: (id, signal) => call("session", id, signal),
    messages: (request, signal) => call("messages", request, signal),
    lineage: (request, signal) => call("lineage", request, signal),
    projectsIn: (directory, signal) => call("projectsIn", directory, signal),
    forget: (target, signal) => call("forget", target, signal),
    status: () => call("status", undefined),
    progress: (value) => {
      progress = value
      if (loading) local?.progress(value)
      else post({ kind: "progress", progress: value })
    },
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

/** Calls of a sync, which nobody waits for: they keep no process alive. */
const WRITES: ReadonlySet<Operation> = new Set(["beginFetch", "applyChanges", "forget"])

const CLOSED = { ok: false, fault: { reason: "closed", message: "The history index is closed." } } as const
const ABORTED = { ok: false, fault: { reason: "aborted", message: "The call was aborted." } } as const

/** The worker beside this file: as source, in a bundle's chunk, or in the bundle itself. */
function workerURL(): URL | undefined {
  return ["./worker.ts", "../history-worker.js", "./history-worker.js"]
    .map((path) => new URL(path, import.meta.url))
    .find((url) => existsSync(url))
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function isReplyTo<Op extends Operation>(reply: Reply, operation: Op): reply is Reply<Op> {
  return reply.operation === operation
}

function isCall(message: { readonly kind: string }): message is ToWorker & { readonly kind: "call" } {
  return message.kind === "call"
}

/** Asks it to finish, ends it in any case, and waits until the thread is gone. */
function closeWorker({ worker, ready, queued }: Running): Promise<void> {
  return new Promise((resolve) => {
    const end = () => void worker.terminate().then(() => resolve())
    const timer = setTimeout(end, CLOSE_WAIT_MS)
    worker.on("message", (message: unknown) => {
      if (!isFromWorker(message) || message.kind !== "closed") return
      clearTimeout(timer)
      end()
    })
    worker.on("exit", () => {
      clearTimeout(timer)
      resolve()
    })
    if (ready) tell(worker, { kind: "close" })
    else queued.push({ kind: "close" })
  })
}
