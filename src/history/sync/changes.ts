import type { FeedEvent } from "./feed.ts"

// Events of one session, added up until they are written: which messages to fetch, which are gone. What is
// fetched decides; an event only says where to look.

export type SessionChanges = {
  readonly messages: Set<string>
  readonly removed: Set<string>
  /** The session itself was deleted. */
  gone: boolean
  /** Something was noted at all; a rename changes no message. */
  noted: boolean
}

export function noChanges(): SessionChanges {
  return { messages: new Set(), removed: new Set(), gone: false, noted: false }
}

/** Adds an event; a later event about the same message replaces an earlier one. */
export function noteEvent(changes: SessionChanges, event: FeedEvent): void {
  changes.noted = true
  changes.gone = event.kind === "session-removed"
  if (event.kind === "message") {
    changes.removed.delete(event.messageID)
    changes.messages.add(event.messageID)
  }
  if (event.kind === "message-removed") {
    changes.messages.delete(event.messageID)
    changes.removed.add(event.messageID)
  }
}

/** The last event ids that are remembered: far more than one event's way through all plugin instances. */
export const REMEMBERED_EVENTS = 4_096

/** True the first time an event is seen. Events without an id are always new. */
export function eventFilter(): (event: FeedEvent) => boolean {
  const seen = new Set<string>()
  return (event) => {
    if (event.eventID === undefined) return true
    if (seen.has(event.eventID)) return false
    seen.add(event.eventID)
    for (const oldest of seen) {
      if (seen.size <= REMEMBERED_EVENTS) break
      seen.delete(oldest)
    }
    return true
  }
}
