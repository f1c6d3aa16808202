// How long to wait after failures in a row.

/** The first wait: a host that is starting or a locked file is usually back within it. */
export const BACKOFF_FIRST_MS = 1_000

/** The longest wait: what is repaired by hand is picked up within ten minutes, without a restart. */
export const BACKOFF_MAX_MS = 600_000

/** The wait after the `failures`-th failure in a row (1 or more), doubling from the first to the longest. */
export function backoffMs(failures: number): number {
  const doublings = Math.min(Math.max(failures - 1, 0), 30)
  return Math.min(BACKOFF_FIRST_MS * 2 ** doublings, BACKOFF_MAX_MS)
}
