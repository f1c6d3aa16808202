import type { Log } from "../../hosts/host.ts"
import type { History } from "../contract.ts"
import { createBackfill } from "./backfill.ts"
import { catchUp, type CaughtUp } from "./catch-up.ts"
import { eventFilter } from "./changes.ts"
import { systemClock, type Clock } from "./clock.ts"
import { pacing, type SyncContext } from "./context.ts"
import type { Excluded } from "./exclude.ts"
import type { HostFeed } from "./feed.ts"
import { createLedger } from "./ledger.ts"
import { createLive } from "./live.ts"
import { createWork } from "./work.ts"

// Keeps the index in step with one host. Backfill and live sync share no state but the index: each write says
// when its fetch began, and the index refuses what is older than what it holds.

export type HistorySync = {
  /** Begins to list; events are followed from creation on. Idempotent; returns at once. */
  start(): void
  /** Brings in what happened lately; at most CATCH_UP_MS. */
  catchUp(signal?: AbortSignal): Promise<CaughtUp>
  /** Events may have been missed: lists everything and trusts no session's events till it was fetched. */
  reconcile(): void
  /** Ends everything: no timer, no listener, no host call begins afterwards. Idempotent. */
  dispose(): void
}

export type SyncSetup = {
  readonly feed: HostFeed
  readonly history: History
  readonly log: Log
  readonly excluded: Excluded
  readonly clock?: Clock
}

/** A sync that does nothing until `start`, an event or `catchUp`. */
export function createSync(setup: SyncSetup): HistorySync {
  const clock = setup.clock ?? systemClock
  const ending = new AbortController()
  let urgent = 0
  let started = false
  let reporting = false
  const context: SyncContext = {
    feed: setup.feed,
    history: setup.history,
    log: setup.log,
    clock,
    signal: ending.signal,
    ...pacing(clock, ending.signal, () => urgent > 0),
  }
  const ledger = createLedger(reportSoon)
  const work = createWork(context, { ledger, excluded: setup.excluded })
  const live = createLive(context, { ledger, work, excluded: setup.excluded })
  const backfill = createBackfill(context, { ledger, work, excluded: setup.excluded })
  const isNew = eventFilter()
  const unsubscribe = setup.feed.subscribe((event) => {
    if (isNew(event)) live.take(event)
  })

  /** A page of a listing changes a hundred states at once: that is one report. */
  function reportSoon(): void {
    if (reporting) return
    reporting = true
    queueMicrotask(() => {
      reporting = false
      if (!ending.signal.aborted) setup.history.progress(ledger.progress())
    })
  }

  const start = () => {
    if (started || ending.signal.aborted) return
    started = true
    backfill.start()
  }

  return {
    start,
    async catchUp(signal = ending.signal) {
      start()
      urgent += 1
      try {
        return await catchUp(context, { live, backfill, work, ledger }, signal)
      } finally {
        urgent -= 1
      }
    },
    reconcile() {
      live.uncover()
      if (started && !ending.signal.aborted) backfill.restart()
    },
    dispose() {
      if (ending.signal.aborted) return
      ending.abort()
      unsubscribe()
      live.dispose()
      backfill.dispose()
      work.dispose()
    },
  }
}
