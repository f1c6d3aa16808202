import type { Changes, History, HistoryResult, SessionChange, StoredMarker } from "../../history/contract.ts"
import type { HostResult, SessionReader } from "../host.ts"

// Sessions that OpenCode V1 stored stay in the index. V2 shares V1's file of sessions and not its messages: it may
// list such a session as empty, or with its later messages alone. What it does not hold is then not taken for
// deleted, and the session keeps V1's mark until V2 delivers it from its beginning.

/** How a marker of V1's sync begins, and V2's. */
const V1 = "v1."
const V2 = "v2."

export type KeptHistory = History & {
  /** Whether V1 stored the session, as far as is known by now. */
  isFromV1(sessionID: string): boolean
}

/** The index with V1's messages protected. Asks the index nothing before its first write. */
export function keepV1(history: History): KeptHistory {
  let fromV1: Set<string> | undefined
  /** The earliest message V2 delivered of a session; its pages are written one by one. */
  const earliest = new Map<string, number>()

  async function load(signal?: AbortSignal): Promise<HistoryResult<readonly StoredMarker[]>> {
    const markers = await history.markers(signal)
    if (markers.ok) {
      const marked = markers.value.filter((row) => row.marker?.startsWith(V1) === true)
      fromV1 = new Set(marked.map((row) => row.sessionID))
    }
    return markers
  }

  async function guarded(changes: Changes, signal?: AbortSignal): Promise<Changes> {
    if (fromV1 === undefined) await load(signal)
    const sessions = changes.sessions ?? []
    if (!sessions.some((change) => fromV1?.has(change.session.id) === true)) return changes
    const kept: SessionChange[] = []
    for (const change of sessions) kept.push(await guardedSession(change, signal))
    return { ...changes, sessions: kept }
  }

  async function guardedSession(change: SessionChange, signal?: AbortSignal): Promise<SessionChange> {
    const { id } = change.session
    if (fromV1?.has(id) !== true) return change
    if (await reachesBack(change, signal)) {
      if (change.marker !== undefined) {
        fromV1.delete(id)
        earliest.delete(id)
      }
      return change
    }
    const { complete: _complete, removedMessages: _removed, ...rest } = change
    if (rest.marker === undefined) return rest
    return { ...rest, marker: rest.marker.startsWith(V2) ? V1 + rest.marker.slice(V2.length) : rest.marker }
  }

  /** Whether these messages begin where the stored session does. */
  async function reachesBack(change: SessionChange, signal?: AbortSignal): Promise<boolean> {
    const sessionID = change.session.id
    const first = await history.messages(
      { sessionID, direction: "forward", limit: 1, maxChars: 0, includeReverted: true },
      signal,
    )
    if (!first.ok || !first.value.found) return false
    const start = first.value.messages[0]?.created
    const delivered = (change.messages ?? []).map((message) => message.created)
    const from = Math.min(earliest.get(sessionID) ?? Number.POSITIVE_INFINITY, ...delivered)
    earliest.set(sessionID, from)
    return start === undefined || from <= start
  }

  return {
    ...history,
    markers: (signal) => load(signal),
    applyChanges: async (changes, signal) => history.applyChanges(await guarded(changes, signal), signal),
    isFromV1: (sessionID) => fromV1?.has(sessionID) === true,
  }
}

/** A session that V2 lists without its messages is read from the index, as one it does not list. */
export function readerBeside(reader: SessionReader, isFromV1: (sessionID: string) => boolean): SessionReader {
  return {
    messages: (id, page, signal) => reader.messages(id, page, signal),
    async session(id, signal) {
      const found = await reader.session(id, signal)
      if (!found.ok || !isFromV1(id)) return found
      const newest = await reader.messages(id, { limit: 1 }, signal)
      return newest.ok && newest.value.messages.length === 0 ? notHeld(id) : found
    },
  }
}

function notHeld(id: string): HostResult<never> {
  return {
    ok: false,
    fault: { reason: "not-found", message: `session ${id}: OpenCode 2 has none of its messages` },
  }
}
