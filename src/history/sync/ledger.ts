import type { Progress, StoredMarker } from "../contract.ts"
import { decodeMarker, encodeMarker, type Marker } from "./marker.ts"

// What the sync knows of every session: how it is stored, and what is still to do. Of the host's sessions each
// is exactly one of indexed, pending and failed, so the three always add up to the total.

export type State = "indexed" | "pending" | "failed"

/** Why a session must not be touched. */
export type Skipped = "excluded" | "forgotten"

export type Ledger = {
  /** Replaces what is known of the index by what the index says. */
  load(markers: readonly StoredMarker[]): void
  loaded(): boolean
  stored(): Iterable<StoredMarker>
  isStored(sessionID: string): boolean
  marker(sessionID: string): Marker | undefined
  /** A marker was written. */
  store(
    session: { readonly id: string; readonly projectID: string; readonly directory: string },
    marker: Marker,
  ): void
  /** The stored marker is not to be trusted: the session is fetched as a whole next time. */
  unmark(sessionID: string): void
  set(sessionID: string, state: State): void
  state(sessionID: string): State | undefined
  /** The session is gone, at the host and in the index. */
  drop(sessionID: string): void
  /** The session must not be touched. It is counted apart from the others. */
  skip(sessionID: string, why: Skipped): void
  isSkipped(sessionID: string): boolean
  /** The session is listed and not excluded: it is looked at anew. */
  unskip(sessionID: string): void
  /**
   * A complete listing named these sessions: no other one counts. Its rows without a usable shape are sessions that
   * cannot be indexed, so they count as failed.
   */
  keepOnly(sessionIDs: ReadonlySet<string>, unreadable: number): void
  progress(): Progress
}

/** `changed` is called whenever `progress` may answer something else. */
export function createLedger(changed: () => void): Ledger {
  const stored = new Map<string, StoredMarker>()
  const states = new Map<string, State>()
  const skipped = new Map<string, Skipped>()
  const unmarked = new Set<string>()
  const count: Record<State, number> = { indexed: 0, pending: 0, failed: 0 }
  let loaded = false
  let listed = false
  let unreadableRows = 0

  const forgetState = (sessionID: string) => {
    const state = states.get(sessionID)
    if (state === undefined) return
    states.delete(sessionID)
    count[state] -= 1
    changed()
  }

  const leftOut = (why: Skipped): Partial<Record<Skipped, number>> => {
    const sessions = [...skipped.values()].filter((one) => one === why).length
    return sessions === 0 ? {} : { [why]: sessions }
  }

  return {
    load(markers) {
      loaded = true
      stored.clear()
      for (const marker of markers) stored.set(marker.sessionID, marker)
    },
    loaded: () => loaded,
    stored: () => stored.values(),
    isStored: (sessionID) => stored.has(sessionID),
    marker: (sessionID) =>
      unmarked.has(sessionID) ? undefined : decodeMarker(stored.get(sessionID)?.marker),
    store(session, marker) {
      const { id, projectID, directory } = session
      unmarked.delete(id)
      stored.set(id, { sessionID: id, projectID, directory, marker: encodeMarker(marker), fetchedAt: 0 })
    },
    unmark(sessionID) {
      unmarked.add(sessionID)
    },
    set(sessionID, state) {
      const before = states.get(sessionID)
      if (before === state) return
      if (before !== undefined) count[before] -= 1
      states.set(sessionID, state)
      count[state] += 1
      changed()
    },
    state: (sessionID) => states.get(sessionID),
    drop(sessionID) {
      unmarked.delete(sessionID)
      stored.delete(sessionID)
      forgetState(sessionID)
    },
    skip(sessionID, why) {
      if (skipped.get(sessionID) === why) return
      skipped.set(sessionID, why)
      forgetState(sessionID)
      changed()
    },
    unskip: (sessionID) => void skipped.delete(sessionID),
    isSkipped: (sessionID) => skipped.has(sessionID),
    keepOnly(sessionIDs, unreadable) {
      listed = true
      unreadableRows = unreadable
      for (const sessionID of states.keys()) if (!sessionIDs.has(sessionID)) forgetState(sessionID)
      for (const sessionID of skipped.keys()) if (!sessionIDs.has(sessionID)) skipped.delete(sessionID)
      changed()
    },
    progress: () => ({
      ...(listed ? { total: states.size + unreadableRows } : {}),
      failed: count.failed + unreadableRows,
      pending: count.pending,
      ...leftOut("excluded"),
      ...leftOut("forgotten"),
    }),
  }
}
