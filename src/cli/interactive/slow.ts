/** A search that takes longer says so: what is listed until then is what was found before. */
export const SLOW_MS = 200

/** The work's outcome; `tell` is called once if that takes longer than so many milliseconds, and never afterwards. */
export async function tellIfSlow<Value>(work: Promise<Value>, ms: number, tell: () => void): Promise<Value> {
  const timer = setTimeout(tell, ms)
  try {
    return await work
  } finally {
    clearTimeout(timer)
  }
}
