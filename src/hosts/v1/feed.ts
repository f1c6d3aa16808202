import type { FeedEvent, HostFeed } from "../../history/sync/index.ts"
import { messageFromV1 } from "../../session/from-v1.ts"
import { attempt, type V1Client } from "./client.ts"
import { feedEvent } from "./events.ts"
import { listingRequests, sessionListing } from "./listing.ts"
import { sessionReader } from "./reader.ts"

// One plugin instance's feed for the sync of the history index. Creating it asks the host nothing: a call
// before the instance is up would wait for it.

/** A host that answers later than this is starting or stuck: the call fails and is tried again. */
export const FEED_TIMEOUT_MS = 15_000

export type V1Feed = HostFeed & {
  /** Takes the `event` hook's event. Returns at once and never throws. */
  receive(event: unknown): void
}

export function v1Feed(client: V1Client, timeoutMs: number = FEED_TIMEOUT_MS): V1Feed {
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
      const path = { id: sessionID, messageID }
      const abort = signal === undefined ? {} : { signal }
      const what = `message ${messageID}`
      const reply = await attempt(what, () => client.session.message({ path, ...abort }), timeoutMs)
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
