import { eventFilter, type FeedEvent, type HostFeed, type ListedSession } from "../../history/sync/index.ts"
import type { SourceNotes } from "../../handoff/source-notes.ts"
import { activityFromV2, messageFromV2, sessionFromV2 } from "../../session/from-v2.ts"
import { UNREADABLE } from "../../session/unreadable.ts"
import type { HostResult } from "../host.ts"
import type { Calls } from "./calls.ts"
import { field, textField } from "../../session/capability.ts"
import { readEvent } from "./events.ts"
import { pageOf } from "./reader.ts"
import { nextOf, rowsOf } from "./ask-rows.ts"
import type { RowReader } from "./rows.ts"
import { idle } from "./service.ts"
import { faultOf } from "./trouble.ts"

// One plugin instance's feed for the sync of the history index. Creating it asks the host nothing.

/** Rows of one page of the listing. */
export const LISTING_PAGE = 100

/** Newest messages looked at when an event names none: one turn has few messages of the user's or the host's. */
export const TAIL_MESSAGES = 20

/** Events of the end of a turn come together; this long they are collected. */
export const TAIL_DELAY_MS = 300

/** Sessions whose tail is remembered. */
const TAILS_MAX = 500

/** An event without a location comes to every location's feed: of those, one looks at the messages. */
const isFirstSight = eventFilter()

export type V2Feed = HostFeed & {
  /** Takes an event of the host. Returns at once and never throws. */
  receive(event: unknown): void
  close(): void
}

export type FeedSetup = {
  readonly calls: Calls
  readonly rows: RowReader
  /** Where sessions came from, as far as the host itself does not keep it. */
  readonly notes: SourceNotes
  /** Messages are gone, and no event says which. */
  onRemoved(): void
}

export function v2Feed(setup: FeedSetup): V2Feed {
  const { calls } = setup
  const listeners = new Set<(event: FeedEvent) => void>()
  const ending = new AbortController()
  const looking = new Set<string>()
  const tails = new Map<string, ReadonlySet<string>>()

  function emit(event: FeedEvent): void {
    for (const listener of listeners) listener(event)
  }

  async function lookAtTail(sessionID: string): Promise<void> {
    await idle(TAIL_DELAY_MS, ending.signal)
    looking.delete(sessionID)
    if (ending.signal.aborted) return
    const found = await setup.rows(sessionID, { limit: TAIL_MESSAGES }, ending.signal)
    const all = found.ok ? found.value.rows.toReversed() : []
    const rows = all.filter((row) => textField(row, "type") !== UNREADABLE)
    const known = tails.get(sessionID)
    tails.delete(sessionID)
    tails.set(sessionID, new Set(rows.map(stateOf)))
    for (const oldest of tails.keys()) if (tails.size > TAILS_MAX) tails.delete(oldest)
    for (const row of rows) {
      const messageID = textField(row, "id")
      if (messageID !== "" && known?.has(stateOf(row)) !== true)
        emit({ sessionID, kind: "message", messageID })
    }
  }

  async function listed(row: unknown): Promise<ListedSession | undefined> {
    const session = sessionFromV2(row)
    if (session === undefined) return undefined
    const metadata = await setup.notes.complete(session.id, session.metadata)
    return { session: { ...session, metadata }, activity: activityFromV2(row) }
  }

  return {
    kind: "v2",

    async listSessions(cursor, signal) {
      const query = { limit: LISTING_PAGE, ...(cursor === undefined ? {} : { cursor }) }
      const found = await calls.sessions(query, signal)
      if (!found.ok) return { ok: false, fault: faultOf(found.trouble) }
      const rows = rowsOf(found)
      if (rows === undefined)
        return failed("list of sessions: OpenCode answered in a form this version does not read")
      const sessions: ListedSession[] = []
      for (const row of rows) {
        const session = await listed(row)
        if (session !== undefined) sessions.push(session)
      }
      const next = nextOf(found)
      const more = next === undefined || rows.length === 0 ? {} : { next }
      return {
        ok: true,
        value: { sessions, unreadable: rows.length - sessions.length, partial: false, ...more },
      }
    },

    async session(id, signal) {
      const found = await calls.session(id, signal)
      if (!found.ok) return { ok: false, fault: faultOf(found.trouble) }
      const session = await listed(found.value)
      if (session === undefined)
        return failed(`session ${id}: OpenCode answered in a form this version does not read`)
      return { ok: true, value: session }
    },

    async message(sessionID, messageID, signal) {
      const found = await calls.message(sessionID, messageID, signal)
      if (!found.ok) return { ok: false, fault: faultOf(found.trouble) }
      return { ok: true, value: messageFromV2(found.value, sessionID) }
    },

    messages: (sessionID, page, signal) => pageOf(setup.rows, sessionID, page, signal),

    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    receive(raw) {
      const read = readEvent(raw)
      if (read.kind === "ignored") return
      emit(read.event)
      if (read.removed) setup.onRemoved()
      if (read.event.kind === "session-removed") tails.delete(read.event.sessionID)
      if (!read.tail || looking.has(read.event.sessionID) || !isFirstSight(read.event)) return
      looking.add(read.event.sessionID)
      void lookAtTail(read.event.sessionID)
    },

    close: () => ending.abort(),
  }
}

/** A message with what tells that it has changed since: a compaction or a command ends in place. */
function stateOf(row: unknown): string {
  const done = field(field(row, "time"), "completed")
  return JSON.stringify([textField(row, "id"), textField(row, "status"), typeof done === "number" ? done : 0])
}

function failed(message: string): HostResult<never> {
  return { ok: false, fault: { reason: "failed", message } }
}
