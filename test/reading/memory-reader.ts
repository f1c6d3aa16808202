import { isBefore, v1OlderThan } from "../../src/reading/cursor.ts"
import type { HostResult, MessagePage, SessionReader } from "../../src/hosts/host.ts"
import type { Message, Part, Role, Session } from "../../src/session/model.ts"

// A host's sessions in memory with OpenCode V1's paging: the newest N, or N older than `{id,time}`, oldest first;
// a cursor only when there is more.

export type MemoryHost = {
  readonly reader: SessionReader
  /** Calls of `messages` so far, with what was asked. */
  readonly calls: { readonly limit: number; readonly older?: string }[]
  readonly sessions: Map<string, Session>
  add(session: Session, messages?: readonly Message[]): void
  append(...messages: readonly Message[]): void
  messagesOf(sessionID: string): readonly Message[]
  removeMessage(sessionID: string, messageID: string): void
  removeSession(sessionID: string): void
}

export function memoryHost(): MemoryHost {
  const sessions = new Map<string, Session>()
  const stored = new Map<string, Message[]>()
  const calls: { limit: number; older?: string }[] = []
  const missing = (id: string): HostResult<never> => ({
    ok: false,
    fault: { reason: "not-found", message: `session ${id}: not found` },
  })
  return {
    calls,
    sessions,
    reader: {
      session(id) {
        const session = sessions.get(id)
        return Promise.resolve(session === undefined ? missing(id) : { ok: true, value: session })
      },
      messages(id, page) {
        calls.push(page)
        const all = stored.get(id)
        return Promise.resolve(all === undefined ? missing(id) : { ok: true, value: pageOf(all, page) })
      },
    },
    add(session, messages = []) {
      sessions.set(session.id, session)
      stored.set(session.id, inOrder(messages))
    },
    append(...messages) {
      for (const message of messages) {
        const all = stored.get(message.sessionID) ?? []
        stored.set(message.sessionID, inOrder([...all, message]))
      }
    },
    messagesOf: (sessionID) => stored.get(sessionID) ?? [],
    removeMessage(sessionID, messageID) {
      stored.set(
        sessionID,
        (stored.get(sessionID) ?? []).filter((message) => message.id !== messageID),
      )
    },
    removeSession(sessionID) {
      sessions.delete(sessionID)
      stored.delete(sessionID)
    },
  }
}

function pageOf(
  all: readonly Message[],
  page: { readonly limit: number; readonly older?: string },
): MessagePage {
  const end = page.older === undefined ? all.length : firstNotBefore(all, decode(page.older))
  const from = Math.max(0, end - page.limit)
  const messages = all.slice(from, end)
  const first = messages[0]
  return { messages, ...(from > 0 && first !== undefined ? { older: v1OlderThan(first) } : {}) }
}

function firstNotBefore(all: readonly Message[], position: { id: string; created: number }): number {
  let low = 0
  let high = all.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const message = all[middle]
    if (message !== undefined && isBefore(message, position)) low = middle + 1
    else high = middle
  }
  return low
}

function decode(cursor: string): { id: string; created: number } {
  const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString())
  if (typeof value !== "object" || value === null) throw new Error(`bad cursor ${cursor}`)
  return { id: String(Reflect.get(value, "id")), created: Number(Reflect.get(value, "time")) }
}

function inOrder(messages: readonly Message[]): Message[] {
  return messages.toSorted((one, other) => (isBefore(one, other) ? -1 : 1))
}

/** 30 November 2026, 14:00 UTC. */
export const START = Date.UTC(2026, 10, 30, 14)

export function session(id: string, more: Partial<Session> = {}): Session {
  return {
    id,
    title: `Title of ${id}`,
    projectID: "prj_here",
    directory: "/work/here",
    created: START,
    updated: START,
    metadata: {},
    ...more,
  }
}

/** A message of one text part unless parts are given. */
export function message(
  id: string,
  more: Partial<Message> & { readonly role?: Role; readonly text?: string } = {},
): Message {
  const { text = `text of ${id}`, ...rest } = more
  return {
    id,
    sessionID: "ses_1",
    role: "user",
    created: START,
    summary: false,
    parts: [textPart(text)],
    malformed: 0,
    ...rest,
  }
}

export function textPart(text: string, more: Partial<Extract<Part, { type: "text" }>> = {}): Part {
  return { type: "text", text, synthetic: false, ignored: false, metadata: {}, ...more }
}

export function toolPart(tool: string, more: Partial<Extract<Part, { type: "tool" }>> = {}): Part {
  return {
    type: "tool",
    tool,
    callID: "call_1",
    status: "completed",
    input: {},
    title: "",
    output: "",
    error: "",
    metadata: {},
    ...more,
  }
}
