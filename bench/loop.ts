// How long the event loop of this thread was kept busy at a stretch.

export type LoopWatch = {
  /** Watches while `work` runs; what is done synchronously at its start counts. */
  during<Value>(work: () => Promise<Value>): Promise<Value>
  /** The longest stretch so far, milliseconds. */
  longestMs(): number
  stop(): void
}

/** Between two looks. */
const TICK_MS = 1

export async function watchLoop(): Promise<LoopWatch> {
  const clock = await threadClock()
  let last = clock()
  let longest = 0
  let watching = 0
  const look = (): void => {
    const now = clock()
    if (watching > 0) longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(look, TICK_MS)
  return {
    during: async (work) => {
      last = clock()
      watching++
      try {
        return await work()
      } finally {
        look()
        watching--
      }
    },
    longestMs: () => longest,
    stop: () => clearInterval(timer),
  }
}

/**
 * Time this thread has worked, where the system tells it: what others on the machine took from it is no block of
 * ours. Elsewhere the time that went by, less the tick.
 */
export async function threadClock(): Promise<() => number> {
  const libc =
    process.platform === "linux" && process.versions["bun"] !== undefined ? await linuxClock() : undefined
  return libc ?? (() => performance.now())
}

const CLOCK_THREAD_CPUTIME_ID = 3

async function linuxClock(): Promise<(() => number) | undefined> {
  const { dlopen, FFIType } = await import("bun:ffi")
  try {
    const { symbols } = dlopen("libc.so.6", {
      clock_gettime: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 },
    })
    const time = new BigInt64Array(2)
    return () => {
      symbols.clock_gettime(CLOCK_THREAD_CPUTIME_ID, time)
      return Number(time[0]) * 1_000 + Number(time[1]) / 1_000_000
    }
  } catch (error) {
    // Another libc: wall time is what is left.
    if (error instanceof Error) return undefined
    throw error
  }
}
