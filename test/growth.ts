// How work grows, told by ratios of CPU time within one run: a busy machine slows both sides, and what other
// programs take counts on neither.

/** A garbage collection or a compilation falls on some runs, not on every run of one side. */
const MOST_ROUNDS = 8

/** Rounds that took this long were no chance, and work that grows too fast is not run for minutes. */
const ENOUGH_MS = 3_000

/** Below it the clock and the collector are measured, not the work. */
const LEAST_MS = 0.5

/**
 * How many times the CPU time of `small` that of `large` is, each at its cheapest. Runs them in turn until that is at
 * most `bound`, or often enough to be sure that it never will be.
 */
export async function costRatio(small: () => unknown, large: () => unknown, bound: number): Promise<number> {
  let [cheapestSmall, cheapestLarge, spent] = [Infinity, Infinity, 0]
  let ratio = Infinity
  for (let round = 0; round < MOST_ROUNDS && spent < ENOUGH_MS && ratio > bound; round++) {
    // Twice: the very first run pays for compilation, which would hide growth.
    const costs = [await cpuMs(small), await cpuMs(small)]
    const cost = await cpuMs(large)
    cheapestSmall = Math.min(cheapestSmall, ...costs)
    cheapestLarge = Math.min(cheapestLarge, cost)
    spent += cost
    ratio = cheapestLarge / Math.max(cheapestSmall, LEAST_MS)
  }
  return ratio
}

/** CPU time of this process for one run, in milliseconds. */
export async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
