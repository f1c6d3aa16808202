// What the index can say about where messages stand, so that a page is fetched where it lies instead of walking
// the session to it. Only positions come from here: what is read, and whether it exists, the host says.

import type { History, MessagesRequest, StoredMessage } from "../history/contract.ts"
import type { Role, Session } from "../session/model.ts"
import type { Position } from "./cursor.ts"

export type Outline = {
  readonly history: History
  readonly session: Session
  readonly signal: AbortSignal
  /** The host's cursor for the messages older than a position; without it nothing can be jumped to. */
  readonly olderThan?: (position: Position) => string
}

/**
 * Where the reverted messages begin. `unknown`: only a walk from the newest message tells. `ids`: the message
 * itself is gone, and those with later ids are reverted, as the host shows it.
 */
export type Revert =
  | { readonly kind: "none" }
  | { readonly kind: "ids"; readonly from: string }
  | { readonly kind: "at"; readonly position: StoredMessage; readonly count: number }
  | { readonly kind: "unknown"; readonly messageID: string }

/** Where the session is reverted to, and how many stored messages that hides. */
export async function revertOf(outline: Outline): Promise<Revert> {
  const messageID = outline.session.revertedFrom
  if (messageID === undefined) return { kind: "none" }
  const found = await stored(outline, {
    anchor: { messageID },
    inclusive: true,
    direction: "forward",
    limit: 1,
  })
  const first = found?.messages[0]
  if (found === undefined || first?.id !== messageID) return { kind: "unknown", messageID }
  return { kind: "at", position: first, count: found.total - first.index }
}

/** The position of a message, as far as the index knows it. */
export async function positionOf(outline: Outline, messageID: string): Promise<Position | undefined> {
  const found = await stored(outline, {
    anchor: { messageID },
    inclusive: true,
    direction: "forward",
    limit: 1,
  })
  return found?.messages.find((message) => message.id === messageID)
}

/**
 * The host cursor from which a walk back meets `count` messages of the role behind the anchor (behind the
 * session's beginning without one). Absent: start at the newest message.
 */
export async function cursorBehind(
  outline: Outline,
  ask: { readonly anchor?: string; readonly role?: Role; readonly count: number },
): Promise<string | undefined> {
  if (outline.olderThan === undefined) return undefined
  const found = await stored(outline, {
    ...(ask.anchor === undefined ? {} : { anchor: { messageID: ask.anchor } }),
    ...(ask.role === undefined ? {} : { role: ask.role }),
    direction: "forward",
    limit: ask.count + 1,
  })
  const behind = found?.messages[ask.count]
  return behind === undefined ? undefined : outline.olderThan(behind)
}

/** Stored messages without their text, reverted ones included; undefined when the index cannot say. */
export async function stored(
  outline: Outline,
  ask: Omit<MessagesRequest, "sessionID" | "maxChars" | "includeReverted">,
): Promise<{ messages: readonly StoredMessage[]; total: number } | undefined> {
  const request = { ...ask, sessionID: outline.session.id, maxChars: 0, includeReverted: true }
  const answer = await outline.history.messages(request, outline.signal)
  return answer.ok && answer.value.found ? answer.value : undefined
}
