// Waiting for something that has no event: look, and look again. The time limit only ends a test that has
// already failed.

/** How long a wait lasts unless told otherwise; the slowest step seen, a terminal's start under load, took 12 s. */
export const WAIT_MS = 40_000

/** Short beside what is waited for (a screen, a process), long enough to leave the CPU to the host. */
const LOOK_EVERY_MS = 25

/** The first value of `look` that is not undefined, every `everyMs`. Rejects with `trouble()` after `timeoutMs`. */
export async function waitUntil<Value>(
  look: () => Value | undefined | Promise<Value | undefined>,
  trouble: () => string,
  timeoutMs: number = WAIT_MS,
  everyMs: number = LOOK_EVERY_MS,
): Promise<Value> {
  const end = performance.now() + timeoutMs
  for (;;) {
    const value = await look()
    if (value !== undefined) return value
    if (performance.now() > end) throw new Error(`after ${timeoutMs} ms: ${trouble()}`)
    await pause(everyMs)
  }
}

/** `promise`, or a rejection with `trouble()` after `timeoutMs`. */
export async function within<Value>(
  promise: Promise<Value>,
  trouble: () => string,
  timeoutMs: number = WAIT_MS,
): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`after ${timeoutMs} ms: ${trouble()}`)), timeoutMs)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
