import type { FeedEvent, HostFeed } from "../../history/sync/index.ts"
import { messageFromV1 } from "../../session/from-v1.ts"
import type { V1Client } from "./client.ts"
import { feedEvent } from "./events.ts"
import { listingRequests, sessionListing } from "./listing.ts"
import { READ_TIMEOUT_MS, sessionReader } from "./reader.ts"

// One plugin instance's feed for the sync of the history index. Creating it asks the host nothing: a call
// before the instance is up would wait for it.

export type V1Feed = HostFeed & {
  /** Takes the `event` hook's event. Returns at once and never throws. */
  receive(event: unknown): void
}

export function v1Feed(client: V1Client, timeoutMs: number = READ_TIMEOUT_MS): V1Feed {
  const reader = sessionReader(client, timeoutMs)
  const listeners = new Set<(event: FeedEvent) => void>()
  return {
    kind: "v1",
    listSessions: sessionListing(listingRequests(client, timeoutMs)),
    messages: (sessionID, page, signal) => reader.messages(sessionID, page, signal),

    async session(sessionID, signal) {
      const found = await reader.session(sessionID, signal)
      if (!found.ok) return found
      return { ok: true, value: { session: found.value, activity: found.value.updated } }
    },

    async message(sessionID, messageID, signal) {
      const reply = await reader.get(sessionID, `/message/${encodeURIComponent(messageID)}`, {}, signal)
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
