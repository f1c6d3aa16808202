import type { HostFault, HostResult, MessagePage } from "../../../src/hosts/host.ts"
import type { FeedEvent, HostFeed, ListedSession, SessionListing } from "../../../src/history/sync/index.ts"
import type { Message, Session } from "../../../src/session/model.ts"

// A host in memory with switches for its faults. Changes raise the events the real one raises, unless they are
// switched off.

export type MemoryHost = {
  readonly feed: HostFeed
  /** Every call: "list", "session ses_a", "messages ses_a", "message ses_a msg_1". */
  readonly calls: string[]
  readonly sessions: Map<string, { session: Session; messages: Message[] }>
  /** A session with `count` messages, one a second from its time on. */
  add(id: string, count: number, fields?: Partial<Session>): void
  /** A message behind the last one; touches the session. */
  say(id: string, text: string, at: number, fields?: Partial<Message>): string
  change(id: string, messageID: string, text: string): void
  removeMessage(id: string, messageID: string): void
  rename(id: string, title: string): void
  remove(id: string): void
  emit(event: FeedEvent): void
  subscribers(): number
  /** Calls that have not answered, other than those that `before` holds. */
  pending(): number
  readonly faults: {
    /** No events. */
    silent: boolean
    /** Sessions whose calls fail. */
    readonly failing: Set<string>
    listing: HostFault | undefined
    cyclicListing: boolean
    readonly cyclicMessages: Set<string>
    partial: boolean
    /** Rows of the listing's first page without a usable shape. */
    unreadable: number
    /** Runs before a call answers; may wait. */
    before: ((call: string) => Promise<void> | void) | undefined
  }
}

const LIST_PAGE = 100

export function memoryHost(
  options: { readonly withoutMessage?: boolean; readonly kind?: "v1" | "v2" } = {},
): MemoryHost {
  const sessions: MemoryHost["sessions"] = new Map()
  const listeners = new Set<(event: FeedEvent) => void>()
  const calls: string[] = []
  const faults: MemoryHost["faults"] = {
    silent: false,
    failing: new Set(),
    listing: undefined,
    cyclicListing: false,
    cyclicMessages: new Set(),
    partial: false,
    unreadable: 0,
    before: undefined,
  }
  let unanswered = 0
  let events = 0

  const call = async <Value>(name: string, id: string | undefined, answer: () => HostResult<Value>) => {
    calls.push(name)
    await faults.before?.(name)
    unanswered += 1
    try {
      await Promise.resolve()
      if (id !== undefined && faults.failing.has(id)) return fault("failed", `${name}: broken`)
      if (id !== undefined && !sessions.has(id)) return fault("not-found", `${name}: not found`)
      return answer()
    } finally {
      unanswered -= 1
    }
  }

  const listed = (): ListedSession[] =>
    [...sessions.values()]
      .map(({ session }) => ({ session, activity: session.updated }))
      .sort((a, b) => b.activity - a.activity || (a.session.id < b.session.id ? 1 : -1))

  const feed: HostFeed = {
    kind: options.kind ?? "v1",
    listSessions: (cursor) =>
      call("list", undefined, (): HostResult<SessionListing> => {
        if (faults.listing !== undefined) return { ok: false, fault: faults.listing }
        const from = Number(cursor ?? 0)
        const rows = listed().slice(from, from + LIST_PAGE)
        const next = faults.cyclicListing ? "0" : String(from + LIST_PAGE)
        const more = faults.cyclicListing || from + LIST_PAGE < sessions.size
        const unreadable = from === 0 ? faults.unreadable : 0
        return {
          ok: true,
          value: { sessions: rows, unreadable, partial: faults.partial, ...(more ? { next } : {}) },
        }
      }),
    session: (id) =>
      call(`session ${id}`, id, () => {
        const { session } = held(id)
        return { ok: true, value: { session, activity: session.updated } }
      }),
    messages: (id, page) =>
      call(`messages ${id}`, id, (): HostResult<MessagePage> => {
        const all = held(id).messages
        const end = page.older === undefined ? all.length : Number(page.older)
        const from = Math.max(0, end - page.limit)
        const older = faults.cyclicMessages.has(id) ? String(end) : String(from)
        const more = faults.cyclicMessages.has(id) || from > 0
        return { ok: true, value: { messages: all.slice(from, end), ...(more ? { older } : {}) } }
      }),
    ...(options.withoutMessage === true
      ? {}
      : {
          message: (id: string, messageID: string) =>
            call(`message ${id} ${messageID}`, id, (): HostResult<Message | undefined> => {
              const value = held(id).messages.find((message) => message.id === messageID)
              return value === undefined ? fault("not-found", "not found") : { ok: true, value }
            }),
        }),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }

  function held(id: string): { session: Session; messages: Message[] } {
    const found = sessions.get(id)
    if (found === undefined) throw new Error(`the test asks for ${id}, which is not there`)
    return found
  }

  function emit(event: FeedEvent): void {
    events += 1
    if (!faults.silent) for (const listener of listeners) listener({ eventID: `evt_${events}`, ...event })
  }

  return {
    feed,
    calls,
    sessions,
    faults,
    emit,
    subscribers: () => listeners.size,
    pending: () => unanswered,
    add(id, count, fields = {}) {
      const updated = fields.updated ?? 1_000_000
      const session: Session = {
        id,
        title: `title of ${id}`,
        projectID: "prj_a",
        directory: "/work/a",
        created: updated,
        updated,
        metadata: {},
        ...fields,
      }
      const messages = Array.from({ length: count }, (_, index) =>
        textMessage(
          id,
          `msg_${String(index).padStart(5, "0")}`,
          `text ${index}`,
          updated - (count - index) * 1000,
        ),
      )
      sessions.set(id, { session, messages })
    },
    say(id, text, at, fields = {}) {
      const entry = held(id)
      const messageID = `msg_${String(entry.messages.length).padStart(5, "0")}_${at}`
      entry.messages.push({ ...textMessage(id, messageID, text, at), ...fields })
      entry.session = { ...entry.session, updated: at }
      emit({ sessionID: id, kind: "session", session: entry.session })
      emit({ sessionID: id, kind: "message", messageID })
      return messageID
    },
    change(id, messageID, text) {
      const entry = held(id)
      entry.messages = entry.messages.map((message) =>
        message.id === messageID ? textMessage(id, messageID, text, message.created) : message,
      )
      emit({ sessionID: id, kind: "message", messageID })
    },
    removeMessage(id, messageID) {
      const entry = held(id)
      entry.messages = entry.messages.filter((message) => message.id !== messageID)
      emit({ sessionID: id, kind: "message-removed", messageID })
    },
    rename(id, title) {
      const entry = held(id)
      entry.session = { ...entry.session, title }
      emit({ sessionID: id, kind: "session", session: entry.session })
    },
    remove(id) {
      sessions.delete(id)
      emit({ sessionID: id, kind: "session-removed" })
    },
  }
}

export function textMessage(sessionID: string, id: string, text: string, created: number): Message {
  const part = { type: "text", text, synthetic: false, ignored: false, metadata: {} } as const
  return { id, sessionID, role: "assistant", created, summary: false, parts: [part], malformed: 0 }
}

function fault(reason: HostFault["reason"], message: string): { ok: false; fault: HostFault } {
  return { ok: false, fault: { reason, message } }
}
