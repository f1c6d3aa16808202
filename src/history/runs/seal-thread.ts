import { parentPort, Worker } from "node:worker_threads"
import { sqliteDriver } from "../../storage/sqlite.ts"
import { openWriter } from "../file/file.ts"
import { READ_BUSY_MS } from "../file/schema.ts"
import { createGramScratch, type GramScratch } from "./collect.ts"
import { QUIET_ARGUMENT, tell } from "../operations.ts"
import { createRecent } from "./recent.ts"
import { runSteps } from "../steps.ts"
import { BusyError, type Writer } from "../file/writer.ts"

// A thread beside the one that writes, for the grams of what is written: to the file it is what another process would
// be. It has the file open only while it works, and can be ended at any other time.

export type SealThread = {
  /** Seals the tail if it holds so much, and merges if no more waits; one order at a time. Never rejects. */
  seal(leastUnits: number): Promise<Sealed>
  busy(): boolean
  /** Resolves when it has done what it was doing and is gone. */
  end(): Promise<void>
}

/** `left`: units that wait still. `failed`: what kept it from sealing. */
export type Sealed = { readonly left: number; readonly failed?: string }

/** What the thread is started with. */
export type SealThreadData = { readonly sealed: string }

type Order = { readonly leastUnits: number }

/** How long it works before it looks for messages; none come. */
const SLICE_MS = 1_000

/** Undefined where no thread can be started. `url`: the worker's code, which does this when it is given a file. */
export function startSealThread(url: URL, path: string): SealThread | undefined {
  let worker: Worker
  try {
    const data: SealThreadData = { sealed: path }
    worker = new Worker(url, { workerData: data, execArgv: [QUIET_ARGUMENT] })
  } catch {
    // A runtime that forbids them: the writing thread seals itself.
    return undefined
  }
  let gone = false
  let settle: ((done: Sealed) => void) | undefined
  let sealing: Promise<Sealed> | undefined

  const finish = (done: Sealed): void => {
    settle?.(done)
    settle = undefined
    sealing = undefined
  }
  const ended = (): void => {
    gone = true
    finish(ENDED)
  }
  worker.unref()
  worker.on("message", finish)
  worker.on("error", ended)
  worker.on("exit", ended)

  return {
    seal(leastUnits) {
      if (gone) return Promise.resolve(ENDED)
      const order: Order = { leastUnits }
      sealing = new Promise((resolve) => (settle = resolve))
      tell(worker, order)
      return sealing
    },
    busy: () => sealing !== undefined,
    async end() {
      await sealing
      await worker.terminate()
    },
  }
}

const ENDED: Sealed = { left: 0, failed: "its thread ended" }

export function isSealThreadData(value: unknown): value is SealThreadData {
  return typeof value === "object" && value !== null && "sealed" in value
}

/** The thread itself. */
export function serveSeals(port: NonNullable<typeof parentPort>, { sealed }: SealThreadData): void {
  const scratch = createGramScratch()
  port.on("message", (order: Order) => {
    void sealFile(sealed, order.leastUnits, scratch).then(
      (left) => tell(port, { left } satisfies Sealed),
      (error: unknown) => {
        const failed = error instanceof Error ? error.message : String(error)
        tell(port, { left: 0, failed } satisfies Sealed)
      },
    )
  })
}

/** Units that wait still. */
async function sealFile(path: string, leastUnits: number, scratch: GramScratch): Promise<number> {
  const driver = await sqliteDriver()
  if (!driver) throw new Error("no SQLite")
  const { tailUnits, tidyTail } = await import("../writing.ts")
  const database = openWriter(driver, path, READ_BUSY_MS)
  const writer: Writer = {
    database,
    path,
    maskSecrets: true,
    sealUnits: leastUnits,
    recent: createRecent(0),
    scratch,
  }
  try {
    await runSteps(tidyTail(writer, leastUnits), SLICE_MS).catch((error: unknown) => {
      // Another process had the file for long: the tail waits for the next time.
      if (!(error instanceof BusyError)) throw error
    })
    return tailUnits(writer)
  } finally {
    database.close()
  }
}
