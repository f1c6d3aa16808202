import type { Message } from "./model.ts"

// A message that the host has and cannot deliver, or delivers in no usable shape, stands as an empty one in its
// place: positions stay the host's, every reading counts it, and nobody takes it for deleted.

/** The kind of the one part it has. */
export const UNREADABLE = "unreadable"

/** Its id where the host does not tell it: that of the message before it, marked. */
export function unreadableID(before: string): string {
  return `${before}~${UNREADABLE}`
}

/** Whether an id tells that such a message has it: of a stored one nothing else does. */
export function isUnreadableID(id: string): boolean {
  return id.endsWith(`~${UNREADABLE}`)
}

export function unreadableMessage(at: Pick<Message, "id" | "sessionID" | "created">): Message {
  const { id, sessionID, created } = at
  const parts = [{ type: "other", kind: UNREADABLE }] as const
  return { id, sessionID, role: "assistant", created, summary: false, parts, malformed: 1 }
}

export function isUnreadable(message: Message): boolean {
  return message.parts.some((part) => part.type === "other" && part.kind === UNREADABLE)
}
