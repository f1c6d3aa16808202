import type { FeedEvent, HostFeed } from "../../history/sync/index.ts"
import { messageFromV1, sessionFromV1 } from "../../session/from-v1.ts"
import type { HostResult } from "../host.ts"
import type { V1Client } from "./client.ts"
import { feedEvent } from "./events.ts"
import { listingRequests, sessionListing } from "./listing.ts"
import { instanceGet, sessionGet } from "./session-get.ts"

// One plugin instance's feed for the sync of the history index. Creating it asks the host nothing: a call
// before the instance is up would wait for it.

/** A host that answers later than this is starting or stuck: the call fails and is tried again. */
export const FEED_TIMEOUT_MS = 15_000

export type V1Feed = HostFeed & {
  /** Takes the `event` hook's event. Returns at once and never throws. */
  receive(event: unknown): void
}

export function v1Feed(client: V1Client, timeoutMs: number = FEED_TIMEOUT_MS): V1Feed {
  const get = sessionGet(instanceGet(client, timeoutMs))
  const listeners = new Set<(event: FeedEvent) => void>()
  return {
    kind: "v1",
    listSessions: sessionListing(listingRequests(client, timeoutMs)),

    async session(sessionID, signal) {
      const reply = await get(sessionID, "", {}, signal)
      if (!reply.ok) return reply
      const session = sessionFromV1(reply.value.data)
      if (session === undefined) return unreadable(`session ${sessionID}`)
      return { ok: true, value: { session, activity: session.updated } }
    },

    async messages(sessionID, { limit, older }, signal) {
      const before = older === undefined ? {} : { before: older }
      const reply = await get(sessionID, "/message", { limit, ...before }, signal)
      if (!reply.ok) return reply
      const { data, headers } = reply.value
      if (!Array.isArray(data)) return unreadable(`messages of ${sessionID}`)
      const messages = data.map(messageFromV1).filter((message) => message !== undefined)
      const next = headers.get("x-next-cursor")
      return { ok: true, value: { messages, ...(next === null ? {} : { older: next }) } }
    },

    async message(sessionID, messageID, signal) {
      const reply = await get(sessionID, `/message/${encodeURIComponent(messageID)}`, {}, signal)
      return reply.ok ? { ok: true, value: messageFromV1(reply.value.data) } : reply
    },

    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    receive(raw) {
      const event = feedEvent(raw)
      if (event === undefined) return
      for (const listener of listeners) listener(event)
    },
  }
}

function unreadable(what: string): HostResult<never> {
  const message = `${what}: OpenCode answered in a form this version does not read`
  return { ok: false, fault: { reason: "failed", message } }
}
