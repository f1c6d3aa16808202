import type { Message } from "../../session/model.ts"
import { messageFromV2, sessionFromV2 } from "../../session/from-v2.ts"
import { isUnreadable, unreadableID, unreadableMessage } from "../../session/unreadable.ts"
import type { HostResult, MessagePage, SessionReader } from "../host.ts"
import type { Calls } from "./calls.ts"
import { rowsOf } from "./ask-rows.ts"
import { isOwnCursor, type RowReader } from "./rows.ts"
import { faultOf } from "./trouble.ts"

// Sessions and messages as the tools and the index read them.

/** Reads sessions. A page that is the oldest says so, at the price of one more small request. */
export function sessionReader(calls: Calls, rows: RowReader): SessionReader {
  return {
    async session(id, signal) {
      const found = await calls.session(id, signal)
      if (!found.ok) return { ok: false, fault: faultOf(found.trouble) }
      const session = sessionFromV2(found.value)
      return session === undefined ? unreadable(`session ${id}`) : { ok: true, value: session }
    },

    async messages(id, page, signal) {
      const found = await pageOf(rows, id, page, signal)
      if (found.ok && page.older === undefined && isLost(found.value)) return lost(id)
      if (!found.ok || found.value.older === undefined || isOwnCursor(found.value.older)) return found
      const behind = await calls.messages(id, { limit: 1, cursor: found.value.older }, signal)
      // Who cannot look goes on as if there were more: the next page tells.
      if (!behind.ok || rowsOf(behind)?.length !== 0) return found
      return { ok: true, value: { messages: found.value.messages } }
    },
  }
}

/** One page, oldest message first. `older` may lead to an empty page. */
export async function pageOf(
  rows: RowReader,
  id: string,
  page: { readonly limit: number; readonly older?: string },
  signal: AbortSignal | undefined,
): Promise<HostResult<MessagePage>> {
  const found = await rows(id, page, signal)
  if (!found.ok) return found
  const messages: Message[] = []
  for (const row of found.value.rows) messages.push(messageFromV2(row, id) ?? without(id, messages.at(-1)))
  const { older } = found.value
  return { ok: true, value: { messages, ...(older === undefined ? {} : { older }) } }
}

/** A row that is no message, behind the one before it. */
function without(sessionID: string, before: Message | undefined): Message {
  return unreadableMessage({ id: unreadableID(before?.id ?? ""), sessionID, created: before?.created ?? 0 })
}

/** Nothing of the session can be had. */
function isLost(page: MessagePage): boolean {
  return page.messages.length > 0 && page.older === undefined && page.messages.every(isUnreadable)
}

function lost(id: string): HostResult<never> {
  return failed(`messages of ${id}: OpenCode cannot decode them`)
}

function unreadable(what: string): HostResult<never> {
  return failed(`${what}: OpenCode answered in a form this version does not read`)
}

function failed(message: string): HostResult<never> {
  return { ok: false, fault: { reason: "failed", message } }
}
