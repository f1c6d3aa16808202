import type { Log } from "../../hosts/host.ts"
import type { History } from "../contract.ts"
import { pause, type Clock } from "./clock.ts"
import type { HostFeed } from "./feed.ts"

// What every part of a running sync shares.

export type SyncContext = {
  readonly feed: HostFeed
  readonly history: History
  readonly clock: Clock
  readonly log: Log
  /** Aborted when the sync ends. */
  readonly signal: AbortSignal
  /** Waits until the host has rested from the call before. A call that nobody waits for begins behind it. */
  turn(): Promise<void>
  /** A call that began at `since` was answered: from now on the host rests, while we work on the answer. */
  answered(since: number): void
}

/** The longest rest: a host call that took longer was waiting, not working. */
export const REST_MAX_MS = 250

/**
 * Rests as long as the call took, so that of the host's time at most half is ours; not at all while a search waits for
 * the result. Writing to the index, which is another thread's work, goes on meanwhile.
 */
export function pacing(
  clock: Clock,
  signal: AbortSignal,
  urgent: () => boolean,
): Pick<SyncContext, "turn" | "answered"> {
  let rested = Number.NEGATIVE_INFINITY
  return {
    async turn() {
      const leftMs = urgent() ? 0 : rested - clock.elapsed()
      // No timer where none is needed: it would not keep a process alive that waits for a search.
      if (leftMs > 0) await pause(clock, leftMs, signal)
    },
    answered: (since) => {
      const now = clock.elapsed()
      rested = now + Math.min(Math.max(now - since, 1), REST_MAX_MS)
    },
  }
}

/** Runs a task nobody waits for. What it throws is a bug, and becomes a line in the log. */
export function background(log: Log, what: string, task: () => Promise<void>): Promise<void> {
  return task().catch((error: unknown) => {
    log("error", `history sync: ${what} failed: ${error instanceof Error ? error.message : String(error)}`)
  })
}
