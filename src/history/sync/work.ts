import { MOST_TOGETHER } from "../group.ts"
import { backoffMs } from "./backoff.ts"
import { background, type SyncContext } from "./context.ts"
import type { Excluded } from "./exclude.ts"
import type { Ledger } from "./ledger.ts"
import { refreshSession, type Refreshed, type Target } from "./refresh.ts"
import { failedBy, removeSessions } from "./write.ts"

// Sessions waiting to be brought up to date, newest first: fetched one at a time, while some before are still on their
// way into the index. A session that fails waits longer each time and holds up no other; it is logged once, until it
// succeeded again.

/** Sessions fetched and not yet stored: where the host is the faster one, the index writes them together. */
export const STORED_BEHIND = 2 * MOST_TOGETHER

export type Work = {
  /** Queues a session; a later listing of the same session replaces an earlier one. */
  add(target: Target): void
  /** Queues a session that failed elsewhere, to be fetched anew after a backoff. */
  retry(sessionID: string, message: string): void
  /** Nothing is to do for the session any more. */
  cancel(sessionID: string): void
  /** Failed sessions are tried at once. */
  wake(): void
  /** Resolves when only failed sessions are left, or the sync ended. */
  drained(): Promise<void>
  /** The index takes no writes now. */
  halted(): boolean
  dispose(): void
}

type Waiting = { readonly failures: number; due: number }

export function createWork(
  context: SyncContext,
  parts: { readonly ledger: Ledger; readonly excluded: Excluded },
): Work {
  const { clock, log, signal } = context
  const { ledger } = parts
  const fresh = new Map<string, Target>()
  const waiting = new Map<string, Waiting>()
  /** On their way into the index. */
  const storing = new Map<string, Promise<void>>()
  /** Oldest first, so that the newest is popped; rebuilt after an addition. */
  let order: string[] = []
  let sorted = true
  let running: Promise<void> | undefined
  let cancelTimer: (() => void) | undefined
  let haltedUntil = 0
  let halts = 0

  const run = () => {
    if (running !== undefined || signal.aborted) return
    cancelTimer?.()
    cancelTimer = undefined
    running = background(log, "indexing", loop).finally(() => {
      running = undefined
      plan()
    })
  }

  /** Sets the timer for the next try, when something waits. */
  const plan = () => {
    cancelTimer?.()
    cancelTimer = undefined
    if (signal.aborted) return
    const next = fresh.size > 0 ? clock.elapsed() : Math.min(...[...waiting.values()].map((one) => one.due))
    const at = Math.max(next, haltedUntil)
    if (Number.isFinite(at)) cancelTimer = clock.after(Math.max(0, at - clock.elapsed()), run)
  }

  async function loop(): Promise<void> {
    for (;;) {
      const sessionID = next()
      if (sessionID !== undefined) await fetched(sessionID)
      else if (storing.size === 0) return
      // What is on its way may fail or come again: then there is more to do.
      if (sessionID === undefined || storing.size >= STORED_BEHIND) await Promise.race(storing.values())
    }
  }

  /** The session to fetch now; one that is being stored has time. */
  function next(): string | undefined {
    if (signal.aborted || clock.elapsed() < haltedUntil) return undefined
    const due = [...waiting].find(([id, one]) => one.due <= clock.elapsed() && !storing.has(id))
    return due?.[0] ?? newest()
  }

  /** Resolves when the host has delivered the session; it is stored and settled behind that. */
  function fetched(sessionID: string): Promise<void> {
    return new Promise((resolve) => {
      const target = fresh.get(sessionID)
      fresh.delete(sessionID)
      const stored = bring(sessionID, target, resolve).finally(() => {
        storing.delete(sessionID)
        if (fresh.has(sessionID)) sorted = false
        resolve()
      })
      storing.set(sessionID, stored)
    })
  }

  async function bring(sessionID: string, target: Target | undefined, fetched: () => void): Promise<void> {
    try {
      const outcome =
        target === undefined
          ? await refetch(sessionID, fetched)
          : await refreshSession(context, target, fetched)
      if (signal.aborted) return
      if (outcome !== undefined) await settle(sessionID, target, outcome)
    } catch (error) {
      // A bug met by one session must not end the work on all others.
      fail(sessionID, error instanceof Error ? error.message : String(error))
    }
  }

  /** A failed session is fetched anew from its listing data on: what failed may be long out of date. */
  async function refetch(sessionID: string, fetched: () => void): Promise<Refreshed | undefined> {
    const begun = await context.history.beginFetch(signal)
    if (!begun.ok) return failedBy(begun.fault)
    await context.turn()
    const asked = clock.elapsed()
    const listed = await context.feed.session(sessionID, signal)
    context.answered(asked)
    if (!listed.ok)
      return listed.fault.reason === "not-found"
        ? { kind: "gone" }
        : { kind: "failed", message: listed.fault.message, halt: false }
    if (parts.excluded(listed.value.session)) {
      waiting.delete(sessionID)
      ledger.skip(sessionID, "excluded")
      return undefined
    }
    const target = { listed: listed.value, fetchedAt: begun.value, known: ledger.marker(sessionID) }
    return refreshSession(context, target, fetched)
  }

  async function settle(sessionID: string, target: Target | undefined, outcome: Refreshed): Promise<void> {
    switch (outcome.kind) {
      case "done":
        halts = 0
        waiting.delete(sessionID)
        ledger.store(outcome.session, outcome.marker)
        if (!fresh.has(sessionID)) ledger.set(sessionID, "indexed")
        return
      case "forgotten":
        waiting.delete(sessionID)
        return ledger.skip(sessionID, "forgotten")
      case "gone": {
        const removed = await removeSessions(context, [sessionID])
        if (removed.kind === "failed") return settle(sessionID, target, removed)
        waiting.delete(sessionID)
        return ledger.drop(sessionID)
      }
      case "failed":
        if (!outcome.halt) return fail(sessionID, outcome.message)
        // The others on their way meet the same.
        if (clock.elapsed() >= haltedUntil) {
          halts += 1
          haltedUntil = clock.elapsed() + backoffMs(halts)
          if (halts === 1) log("warn", `history sync waits: ${outcome.message}`)
        }
        if (target !== undefined && !fresh.has(sessionID)) add(target)
    }
  }

  function fail(sessionID: string, message: string): void {
    const before = waiting.get(sessionID)
    const failures = (before?.failures ?? 0) + 1
    if (before === undefined) log("warn", `history sync: session ${sessionID}: ${message}; it is tried again`)
    waiting.set(sessionID, { failures, due: clock.elapsed() + backoffMs(failures) })
    ledger.set(sessionID, "failed")
  }

  function newest(): string | undefined {
    if (!sorted) {
      const byActivity = [...fresh.values()].sort((a, b) => a.listed.activity - b.listed.activity)
      order = byActivity.map((target) => target.listed.session.id)
      sorted = true
    }
    for (let id = order.pop(); id !== undefined; id = order.pop())
      if (fresh.has(id) && !storing.has(id)) return id
    return undefined
  }

  function add(target: Target): void {
    const { id } = target.listed.session
    fresh.set(id, target)
    sorted = false
  }

  return {
    add(target) {
      const { id } = target.listed.session
      // A session that failed keeps its turn: a listing every minute must not undo the backoff.
      if (waiting.has(id)) return
      add(target)
      ledger.set(id, "pending")
      if (running === undefined) plan()
    },
    retry(sessionID, message) {
      fresh.delete(sessionID)
      fail(sessionID, message)
      if (running === undefined) plan()
    },
    cancel(sessionID) {
      fresh.delete(sessionID)
      waiting.delete(sessionID)
    },
    wake() {
      for (const one of waiting.values()) one.due = clock.elapsed()
      if (running === undefined) plan()
    },
    async drained() {
      while (!signal.aborted && fresh.size + storing.size > 0 && clock.elapsed() >= haltedUntil) {
        run()
        await running
      }
    },
    halted: () => clock.elapsed() < haltedUntil,
    dispose() {
      cancelTimer?.()
      cancelTimer = undefined
    },
  }
}
