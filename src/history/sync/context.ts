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
  /** Gives way to the host after a piece of work that began at `since`. */
  rest(since: number): Promise<void>
}

/** The longest rest: a host call that took longer was waiting, not working. */
export const REST_MAX_MS = 250

/**
 * Rests as long as the work took, so that of the host's time at most half is ours; not at all while a search
 * waits for the result.
 */
export function resting(clock: Clock, signal: AbortSignal, urgent: () => boolean): SyncContext["rest"] {
  return async (since) => {
    const tookMs = Math.max(0, clock.now() - since)
    await pause(clock, urgent() ? 0 : Math.min(Math.max(tookMs, 1), REST_MAX_MS), signal)
  }
}

/** Runs a task nobody waits for. What it throws is a bug, and becomes a line in the log. */
export function background(log: Log, what: string, task: () => Promise<void>): Promise<void> {
  return task().catch((error: unknown) => {
    log("error", `history sync: ${what} failed: ${error instanceof Error ? error.message : String(error)}`)
  })
}
