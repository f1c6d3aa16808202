import { noChanges, noteEvent, type SessionChanges } from "./changes.ts"
import { background, type SyncContext } from "./context.ts"
import type { Excluded } from "./exclude.ts"
import type { FeedEvent, ListedSession } from "./feed.ts"
import type { Ledger } from "./ledger.ts"
import { encodeMarker, isOpen, markerOf, unreadableOf } from "./marker.ts"
import { fetchNamed } from "./named.ts"
import { refreshSession, type Refreshed } from "./refresh.ts"
import type { Work } from "./work.ts"
import { failedBy, removeSessions, writeSession } from "./write.ts"

// Follows the host's events. The first event of a session brings it up to date; from then on only the messages
// that events name are fetched, so that one more message costs the same in a session of ten and of ten thousand.

/** Events of one turn come in bursts; this long they are collected. */
export const LIVE_DELAY_MS = 200

/** Each session is written at most this often. */
export const LIVE_EVERY_MS = 1_000

/** Sessions written at a time: one slow answer of the host holds up no other session. */
export const LIVE_AT_ONCE = 4

/**
 * A session without an event for this long is brought up to date anew with its next one: until then another
 * process, whose events never come here, may have gone on with it. A listing runs about as often.
 */
export const COVERED_MS = 60_000

export type Live = {
  take(event: FeedEvent): void
  /** Writes what is noted without waiting for its turn; resolves when it is written or failed. */
  flush(): Promise<void>
  /** Events may have been missed: every session is brought up to date with its next event. */
  uncover(): void
  dispose(): void
}

type Entry = {
  changes: SessionChanges
  last: number
  cancel?: (() => void) | undefined
  running?: Promise<void> | undefined
}

export function createLive(
  context: SyncContext,
  parts: { readonly ledger: Ledger; readonly work: Work; readonly excluded: Excluded },
): Live {
  const { clock, log, signal } = context
  const { ledger } = parts
  const entries = new Map<string, Entry>()
  /** When a session's last event was written; all events since its last refresh were. */
  const covered = new Map<string, number>()
  const atOnce = gate(LIVE_AT_ONCE)

  const schedule = (sessionID: string, entry: Entry) => {
    if (signal.aborted || entry.cancel !== undefined || entry.running !== undefined) return
    const delayMs = Math.max(LIVE_DELAY_MS, entry.last + LIVE_EVERY_MS - clock.elapsed())
    entry.cancel = clock.after(delayMs, () => start(sessionID, entry))
  }

  const start = (sessionID: string, entry: Entry) => {
    entry.cancel?.()
    entry.cancel = undefined
    entry.running = background(log, `following ${sessionID}`, () =>
      atOnce(async () => {
        const changes = entry.changes
        entry.changes = noChanges()
        entry.last = clock.elapsed()
        if (!signal.aborted) await write(sessionID, changes)
      }),
    ).finally(() => {
      entry.running = undefined
      if (entry.changes.noted) schedule(sessionID, entry)
    })
  }

  async function write(sessionID: string, changes: SessionChanges): Promise<void> {
    if (changes.gone) return settle(sessionID, { kind: "gone" })
    const begun = await context.history.beginFetch(signal)
    if (!begun.ok) return settle(sessionID, failedBy(begun.fault))
    const fetchedAt = begun.value
    const found = await context.feed.session(sessionID, signal)
    if (!found.ok)
      return settle(
        sessionID,
        found.fault.reason === "not-found"
          ? { kind: "gone" }
          : { kind: "failed", message: found.fault.message, halt: false },
      )
    const listed = found.value
    if (parts.excluded(listed.session)) return ledger.skip(sessionID, "excluded")
    if (clock.elapsed() - (covered.get(sessionID) ?? Number.NEGATIVE_INFINITY) < COVERED_MS)
      return settle(sessionID, await writeChanged(listed, fetchedAt, changes))
    if (!ledger.loaded()) {
      const markers = await context.history.markers(signal)
      if (markers.ok) ledger.load(markers.value)
    }
    const known = ledger.marker(sessionID)
    const refreshed = await refreshSession(context, { listed, fetchedAt, known })
    if (refreshed.kind !== "done") return settle(sessionID, refreshed)
    ledger.store(refreshed.session, refreshed.marker)
    // Events may name messages further back than the refresh went.
    for (const id of refreshed.fetched) changes.messages.delete(id)
    if (changes.messages.size === 0 && changes.removed.size === 0) return settle(sessionID, refreshed)
    return settle(sessionID, await writeChanged(listed, fetchedAt, changes))
  }

  async function settle(sessionID: string, outcome: Refreshed): Promise<void> {
    if (signal.aborted) return
    switch (outcome.kind) {
      case "done":
        covered.set(sessionID, clock.elapsed())
        parts.work.cancel(sessionID)
        ledger.store(outcome.session, outcome.marker)
        return ledger.set(sessionID, "indexed")
      case "forgotten":
        return ledger.skip(sessionID, "forgotten")
      case "gone": {
        const removed = await removeSessions(context, [sessionID])
        if (removed.kind === "failed") return settle(sessionID, removed)
        covered.delete(sessionID)
        entries.delete(sessionID)
        parts.work.cancel(sessionID)
        return ledger.drop(sessionID)
      }
      case "failed":
        covered.delete(sessionID)
        // What the events named may lie anywhere in the session, so all of it is fetched then.
        ledger.unmark(sessionID)
        return parts.work.retry(sessionID, outcome.message)
    }
  }

  /** Writes only what the events named. */
  async function writeChanged(
    listed: ListedSession,
    fetchedAt: number,
    changes: SessionChanges,
  ): Promise<Refreshed> {
    const { session } = listed
    const fetched = await fetchNamed(context, session.id, changes.messages)
    if (fetched.kind === "failed") return fetched
    const { messages } = fetched
    const newest = messages.toSorted((a, b) => a.created - b.created).at(-1)
    const known = ledger.marker(session.id)
    const wasOpen = known?.open ?? true
    const open = (wasOpen || newest !== undefined) && isOpen(listed, newest, clock.now())
    const marker = markerOf(context.feed.kind, listed, { open, ...unreadableOf(known) })
    const outcome = await writeSession(context, fetchedAt, {
      session,
      marker: encodeMarker(marker),
      messages,
      removedMessages: [...changes.removed, ...fetched.gone],
    })
    if (outcome.kind !== "written") return outcome
    return { kind: "done", session, marker, fetched: new Set(messages.map((message) => message.id)) }
  }

  return {
    take(event) {
      const { sessionID } = event
      if (signal.aborted || ledger.isSkipped(sessionID)) return
      if (event.kind === "session" && event.session !== undefined && parts.excluded(event.session)) {
        ledger.skip(sessionID, "excluded")
        return
      }
      const entry = entries.get(sessionID) ?? { changes: noChanges(), last: Number.NEGATIVE_INFINITY }
      entries.set(sessionID, entry)
      noteEvent(entry.changes, event)
      schedule(sessionID, entry)
    },
    async flush() {
      await Promise.all(
        [...entries].map(async ([sessionID, entry]) => {
          await entry.running
          if (entry.changes.noted && entry.running === undefined) start(sessionID, entry)
          await entry.running
        }),
      )
    },
    uncover: () => covered.clear(),
    dispose() {
      for (const entry of entries.values()) entry.cancel?.()
      entries.clear()
    },
  }
}

/** Runs at most `places` tasks at a time, in order of their arrival. */
function gate(places: number): (task: () => Promise<void>) => Promise<void> {
  const queue: (() => void)[] = []
  let free = places
  return async (task) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => queue.push(resolve))
    try {
      await task()
    } finally {
      const next = queue.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}
