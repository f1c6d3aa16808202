// Long work as generators that stop at safe places, and the runner that decides how long they may go on at a
// time. The same code thus runs in a worker and, in short slices, beside the host's own work.

/** "pause": other work may run here. "wait": another process holds the lock; try again in a moment. */
export type Step = "pause" | "wait"
export type Steps<Value> = Generator<Step, Value, void>

/** Between two tries for a lock: much shorter than any wait a person notices, long enough not to spin. */
export const LOCK_RETRY_MS = 25

export class AbortedError extends Error {
  override readonly name = "AbortedError"
}

/** Runs the steps to their end, giving way after each `sliceMs`. Rejects with AbortedError on the signal. */
export async function runSteps<Value>(
  steps: Steps<Value>,
  sliceMs: number,
  signal?: AbortSignal,
): Promise<Value> {
  let sliceStart = performance.now()
  for (;;) {
    // Thrown into the steps, so that what they hold (a transaction, an open read) is ended.
    const step = signal?.aborted ? steps.throw(new AbortedError("aborted")) : steps.next()
    if (step.done === true) return step.value
    if (step.value === "wait") await pause(LOCK_RETRY_MS)
    else if (performance.now() - sliceStart < sliceMs) continue
    else await giveWay()
    sliceStart = performance.now()
  }
}

/** The steps up to where they would have to wait for another process; for what can be left to another time. */
export function* untilWait(steps: Steps<void>): Steps<void> {
  try {
    for (let step = steps.next(); step.done !== true && step.value !== "wait"; step = steps.next())
      yield step.value
  } finally {
    steps.return()
  }
}

/** Resolves when other work of this thread had its turn. */
export function giveWay(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Resolves after so many milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
