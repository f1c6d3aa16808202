import { parentPort, workerData } from "node:worker_threads"
import { createEngine } from "./engine.ts"
import {
  type Call,
  type FromWorker,
  isToWorker,
  isWorkerData,
  type Operation,
  perform,
  type Result,
  tell,
  type ToWorker,
} from "./operations.ts"
import { isSealThreadData, serveSeals, startSealThread } from "./runs/seal-thread.ts"

// The thread that owns the index. It answers calls and nothing else; it ends when told to. The same file is the code of
// the second thread, which only seals.

/** Between two looks for an abort or a call of the other kind. */
const SLICE_MS = 20

function serve(port: NonNullable<typeof parentPort>, data: unknown): void {
  if (!isWorkerData(data)) throw new TypeError("The history worker was started without its data.")
  const history = createEngine({
    ...data,
    sliceMs: SLICE_MS,
    runs: "worker",
    sealThread: (path) => startSealThread(new URL(import.meta.url), path),
  })
  const running = new Map<number, AbortController>()
  const send = (message: FromWorker) => tell(port, message)

  const answer = async <Op extends Operation>(call: Call<Op>): Promise<void> => {
    const controller = new AbortController()
    running.set(call.id, controller)
    const { id, operation } = call
    const failed = (error: unknown): Result<Op> => ({
      ok: false,
      fault: { reason: "failed", message: error instanceof Error ? error.message : String(error) },
    })
    const result = await perform(history, operation, call.argument, controller.signal).catch(failed)
    running.delete(id)
    try {
      tell(port, { kind: "reply", id, operation, result })
    } catch (error) {
      // An answer that cannot be copied to the other thread: whoever waits is told so.
      tell(port, { kind: "reply", id, operation, result: failed(error) })
    }
  }

  const receive = (message: ToWorker): void => {
    if (message.kind === "abort") running.get(message.id)?.abort()
    else if (message.kind === "progress") history.progress(message.progress)
    else if (message.kind === "close") void history.close().then(() => send({ kind: "closed" }))
    else void answer(message)
  }

  // Calls that came together are taken up together: each alone would be carried out before the next is looked at.
  let inbox: ToWorker[] = []
  port.on("message", (message: unknown) => {
    if (!isToWorker(message)) return
    inbox.push(message)
    if (inbox.length > 1) return
    setImmediate(() => {
      const messages = inbox
      inbox = []
      for (const one of messages) receive(one)
    })
  })
  send({ kind: "ready" })
}

if (parentPort && isSealThreadData(workerData)) serveSeals(parentPort, workerData)
else if (parentPort) serve(parentPort, workerData)
