import { parentPort, workerData } from "node:worker_threads"
import { createEngine } from "./engine.ts"
import {
  type Call,
  type FromWorker,
  isToWorker,
  isWorkerData,
  type Operation,
  perform,
} from "./operations.ts"

// The thread that owns the index. It answers calls and nothing else; it ends when told to.

/** Between two looks for an abort or a call of the other kind. */
const SLICE_MS = 20

function serve(port: NonNullable<typeof parentPort>, data: unknown): void {
  if (!isWorkerData(data)) throw new TypeError("The history worker was started without its data.")
  const history = createEngine({ ...data, sliceMs: SLICE_MS, runs: "worker" })
  const running = new Map<number, AbortController>()
  const tell = (message: object) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    port.postMessage(message)
  }
  const send = (message: FromWorker) => tell(message)

  const answer = async <Op extends Operation>(call: Call<Op>): Promise<void> => {
    const controller = new AbortController()
    running.set(call.id, controller)
    const result = await perform(history, call.operation, call.argument, controller.signal)
    running.delete(call.id)
    tell({ kind: "reply", id: call.id, operation: call.operation, result })
  }

  port.on("message", (message: unknown) => {
    if (!isToWorker(message)) return
    if (message.kind === "abort") running.get(message.id)?.abort()
    else if (message.kind === "progress") history.progress(message.progress)
    else if (message.kind === "close") void history.close().then(() => send({ kind: "closed" }))
    else void answer(message)
  })
  send({ kind: "ready" })
}

if (parentPort) serve(parentPort, workerData)
