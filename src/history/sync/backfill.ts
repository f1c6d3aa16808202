import type { HostResult } from "../../hosts/host.ts"
import { backoffMs } from "./backoff.ts"
import { background, type SyncContext } from "./context.ts"
import { compareListing, type Depth, type ListingParts } from "./listing.ts"

// When the host is asked for its sessions: all of them at the start, after a gap and from time to time; the
// recent ones every minute. Listings run one after the other.

/** Sessions of other processes and other directories may send no events: this finds them. */
export const RECENT_LISTING_MS = 60_000

/** Deletions, and renames that leave the host's times alone, are found by complete listings only. */
export const COMPLETE_LISTING_MS = 600_000

export type Backfill = {
  /** Begins with a complete listing. */
  start(): void
  /** A complete listing soon. */
  restart(): void
  /** A listing of the recent sessions that begins after this call; complete when none ever was. */
  look(): Promise<HostResult<void>>
  dispose(): void
}

export function createBackfill(context: SyncContext, parts: ListingParts): Backfill {
  const { clock, log, signal } = context
  let cancelTimer: (() => void) | undefined
  let completedAt: number | undefined
  let failures = 0
  let last: Promise<HostResult<void>> = Promise.resolve({ ok: true, value: undefined })
  /** A look that has not begun; whoever asks meanwhile shares it. */
  let next: Promise<HostResult<void>> | undefined

  const look = () => {
    next ??= last.then(() => {
      next = undefined
      return list()
    })
    return next
  }

  function list(): Promise<HostResult<void>> {
    const due = completedAt === undefined || clock.elapsed() - completedAt >= COMPLETE_LISTING_MS
    const began = clock.elapsed()
    const depth: Depth = due ? "complete" : "recent"
    last = compareListing(context, parts, depth).then(
      (outcome) => {
        if (outcome.ok && due) completedAt = began
        if (!outcome.ok && !signal.aborted) fail(outcome.fault.message)
        if (outcome.ok) failures = 0
        return outcome
      },
      (error: unknown) => {
        // A bug of ours must not end the sync.
        const message = error instanceof Error ? error.message : String(error)
        fail(message)
        return { ok: false, fault: { reason: "failed", message } }
      },
    )
    return last
  }

  function fail(message: string): void {
    failures += 1
    if (failures === 1) log("warn", `history sync: listing sessions: ${message}; it is tried again`)
  }

  const again = () => {
    cancelTimer?.()
    cancelTimer = undefined
    void background(log, "listing sessions", async () => {
      await look()
      if (signal.aborted) return
      cancelTimer?.()
      cancelTimer = clock.after(failures > 0 ? backoffMs(failures) : RECENT_LISTING_MS, again)
    })
  }

  return {
    start: again,
    restart() {
      completedAt = undefined
      again()
    },
    look,
    dispose() {
      cancelTimer?.()
      cancelTimer = undefined
    },
  }
}
