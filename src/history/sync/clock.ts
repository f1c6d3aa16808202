// Time as the sync sees it, so that a test can run an hour in a moment. No timer here keeps a process alive.

export type Clock = {
  /** Milliseconds since the epoch, to be compared with a host's times. The user may set it, forwards and back. */
  now(): number
  /** Milliseconds since some moment: never goes back. Whatever takes its time, is due or was done lately is told by it. */
  elapsed(): number
  /** Runs `task` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, task: () => void): () => void
}

export const systemClock: Clock = {
  now: Date.now,
  elapsed: () => performance.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** Resolves after `delayMs`, or at once when the signal is aborted. Leaves neither timer nor listener. */
export async function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const over = Promise.withResolvers<void>()
  const end = () => over.resolve()
  const cancel = clock.after(delayMs, end)
  signal.addEventListener("abort", end)
  await over.promise
  signal.removeEventListener("abort", end)
  cancel()
}
