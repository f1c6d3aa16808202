import type { FeedEvent } from "../../history/sync/index.ts"
import { isRecord } from "../../session/from-unknown.ts"
import { sessionFromV1 } from "../../session/from-v1.ts"

// V1's events as the sync's: which session, and which message of it. Token deltas say nothing that the part's
// last update does not, and status events nothing that is stored.

/** The event, or undefined for one that changes nothing in a session's text. Never throws. */
export function feedEvent(value: unknown): FeedEvent | undefined {
  if (!isRecord(value) || typeof value["type"] !== "string" || !isRecord(value["properties"]))
    return undefined
  const { type, properties } = { type: value["type"], properties: value["properties"] }
  const info = isRecord(properties["info"]) ? properties["info"] : {}
  const part = isRecord(properties["part"]) ? properties["part"] : {}
  const eventID = id(value["id"])
  const common = eventID === undefined ? {} : { eventID }

  switch (type) {
    case "session.created":
    case "session.updated": {
      const sessionID = id(properties["sessionID"]) ?? id(info["id"])
      const session = sessionFromV1(info)
      if (sessionID === undefined) return undefined
      return { ...common, sessionID, kind: "session", ...(session === undefined ? {} : { session }) }
    }
    case "session.deleted": {
      const sessionID = id(properties["sessionID"]) ?? id(info["id"])
      return sessionID === undefined ? undefined : { ...common, sessionID, kind: "session-removed" }
    }
    case "message.updated":
      return message(properties["sessionID"] ?? info["sessionID"], info["id"], "message")
    case "message.part.updated":
      return message(properties["sessionID"] ?? part["sessionID"], part["messageID"], "message")
    case "message.part.removed":
      return message(properties["sessionID"], properties["messageID"], "message")
    case "message.removed":
      return message(properties["sessionID"], properties["messageID"], "message-removed")
    default:
      return undefined
  }

  function message(
    session: unknown,
    of: unknown,
    kind: "message" | "message-removed",
  ): FeedEvent | undefined {
    const sessionID = id(session)
    const messageID = id(of)
    if (sessionID === undefined || messageID === undefined) return undefined
    return { ...common, sessionID, kind, messageID }
  }
}

function id(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined
}
