import type { FeedEvent } from "../../history/sync/index.ts"
import { field, textField } from "../../session/capability.ts"

// V2's events as the sync's. Names come and go between releases, so an event counts by what it carries: any
// `session.*` names a session, an `assistantMessageID` a message. Text is never taken from an event.

export type V2Event =
  | { readonly kind: "ignored" }
  | {
      readonly kind: "session"
      readonly event: FeedEvent
      /** It changed messages without naming them: the newest ones have to be looked at. */
      readonly tail: boolean
      /** Messages are gone: only a listing of the whole session tells which. */
      readonly removed: boolean
    }

/** Live-only: what they carry comes again in the event that ends them. */
const LIVE = /\.(?:delta|progress)$|^session\.usage\.|^session\.tool\.input\./

/** Their messages are the user's, the host's or a whole turn's. */
const TAIL =
  /^session\.(?:in(?:put|box)\.|execution\.(?:succeeded|failed|interrupted)|synthetic|skill|shell|compaction|agent\.|model\.|moved|idle|forked)/

/** What an event says. Never throws. */
export function readEvent(raw: unknown): V2Event {
  const type = textField(raw, "type")
  const data = field(raw, "data")
  const sessionID = textField(data, "sessionID") || textField(field(data, "info"), "id")
  if (!type.startsWith("session.") || sessionID === "" || LIVE.test(type)) return { kind: "ignored" }
  const eventID = textField(raw, "id")
  const common = { sessionID, ...(eventID === "" ? {} : { eventID }) }
  if (type === "session.deleted")
    return { kind: "session", event: { ...common, kind: "session-removed" }, tail: false, removed: false }
  const messageID = textField(data, "assistantMessageID")
  const event: FeedEvent =
    messageID === "" ? { ...common, kind: "session" } : { ...common, kind: "message", messageID }
  return { kind: "session", event, tail: TAIL.test(type), removed: type === "session.revert.committed" }
}
