import { noMessage, noSession, undecodable } from "./strict.ts"

// What the contract host stores: sessions and messages in V2's shapes, and the events of every change.

export type Row = { readonly id: string } & Readonly<Record<string, unknown>>
export type StoredSession = Row & {
  readonly projectID: string
  readonly location: { readonly directory: string }
  readonly time: { readonly created: number; readonly updated: number; readonly idle?: number }
}
export type HostEvent = {
  readonly id: string
  readonly type: string
  /** Whose location it belongs to; absent for what concerns all of them. */
  readonly location?: { readonly directory: string }
  readonly data: Readonly<Record<string, unknown>>
}

export type Store = {
  readonly sessions: Map<string, StoredSession>
  readonly messages: Map<string, Row[]>
  /** Ids of messages whose stored form the host cannot decode. */
  readonly undecodable: Set<string>
  /** Pages of messages that were asked for, as `session limit`, whichever way. */
  readonly pages: string[]
  readonly listeners: Set<(event: HostEvent) => void>
  /** A new id that sorts behind the others. */
  id(prefix: string): string
  /** The host's clock: every reading is later than the one before. */
  now(): number
  session(id: string): StoredSession
  message(sessionID: string, id: string): Row
  put(session: Partial<StoredSession> & { readonly id?: string }): StoredSession
  /** Adds or replaces a message, and says so in an event of that type when one is named. */
  write(sessionID: string, message: Readonly<Record<string, unknown>>, event?: string): Row
  remove(sessionID: string): void
  emit(type: string, data: Readonly<Record<string, unknown>>): HostEvent
  newestFirst(): StoredSession[]
}

/** These carry no location, so every location's plugin sees them. */
const EVERYWHERE = /^session\.(?:execution|usage)\./

/** Shared by all stores of a process, so that no two hosts have an id in common. */
let ids = 0

export const BASE_TIME = Date.UTC(2026, 8, 1)

export function createStore(directory: string, projectID: string): Store {
  let count = 0
  const store: Store = {
    sessions: new Map(),
    messages: new Map(),
    undecodable: new Set(),
    pages: [],
    listeners: new Set(),
    id: (prefix) => `${prefix}_${String(++ids).padStart(8, "0")}`,
    now: () => BASE_TIME + ++count * 1000,
    session(id) {
      const found = store.sessions.get(id)
      if (found === undefined) throw noSession(id)
      return found
    },
    message(sessionID, id) {
      store.session(sessionID)
      const found = store.messages.get(sessionID)?.find((message) => message.id === id)
      if (found === undefined) throw noMessage(id)
      if (store.undecodable.has(id)) throw undecodable()
      return found
    },
    put(given) {
      const at = store.now()
      const session = {
        projectID,
        location: { directory },
        title: `New session - ${new Date(at).toISOString()}`,
        time: { created: at, updated: at },
        ...given,
        id: given.id ?? store.id("ses"),
      }
      const isNew = !store.sessions.has(session.id)
      store.sessions.set(session.id, session)
      if (isNew) {
        store.messages.set(session.id, [])
        const info = {
          id: session.id,
          title: session.title,
          projectID: session.projectID,
          directory: session.location.directory,
        }
        store.emit("session.created", { sessionID: session.id, info })
      }
      return session
    },
    write(sessionID, given, event) {
      const list = store.messages.get(sessionID) ?? []
      const message: Row = {
        time: { created: store.now() },
        ...given,
        id: typeof given["id"] === "string" ? given["id"] : store.id("msg"),
      }
      const at = list.findIndex((one) => one.id === message.id)
      if (at === -1) list.push(message)
      else list[at] = message
      store.messages.set(sessionID, list)
      const named =
        message["type"] === "assistant"
          ? { assistantMessageID: message.id }
          : event?.startsWith("session.inbox.") === true
            ? { inboxID: message.id }
            : { inputID: message.id }
      if (event !== undefined) store.emit(event, { sessionID, ...named })
      return message
    },
    remove(sessionID) {
      store.sessions.delete(sessionID)
      store.messages.delete(sessionID)
      store.emit("session.deleted", { sessionID })
    },
    emit(type, data) {
      const session = store.sessions.get(String(data["sessionID"]))
      const place = session === undefined || EVERYWHERE.test(type) ? {} : { location: session.location }
      const event = { id: store.id("evt"), type, created: store.now(), data, ...place }
      for (const listener of store.listeners) listener(event)
      return event
    },
    newestFirst: () =>
      [...store.sessions.values()].sort((a, b) => b.time.updated - a.time.updated || (a.id < b.id ? 1 : -1)),
  }
  return store
}
