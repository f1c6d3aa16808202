// Where a message stands in a session: sessions are ordered by creation time, then id.

import type { Message } from "../session/model.ts"

export type Position = Pick<Message, "id" | "created">

/** Whether `a` stands before `b` in the host's order. */
export function isBefore(a: Position, b: Position): boolean {
  return a.created < b.created || (a.created === b.created && a.id < b.id)
}

/**
 * OpenCode V1's cursor for the messages older than a position (exclusive): base64url of `{"id","time"}`, what
 * its `x-next-cursor` header holds. The message itself need not exist any more.
 */
export function v1OlderThan(position: Position): string {
  return Buffer.from(JSON.stringify({ id: position.id, time: position.created })).toString("base64url")
}
