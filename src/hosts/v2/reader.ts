import { isRecord } from "../../session/from-unknown.ts"
import { messageFromV2, sessionFromV2 } from "../../session/from-v2.ts"
import type { HostResult, MessagePage, SessionReader } from "../host.ts"
import type { Calls } from "./calls.ts"
import { textField } from "../../session/capability.ts"
import { faultOf, type Outcome } from "./trouble.ts"

// Sessions and messages through the host's pages. V2 gives a cursor with every page that holds something, the
// last one too, and an empty page behind it.

/** The service's own bound of a page. */
export const PAGE_MAX = 200

/** Reads sessions. A page that is the oldest says so, at the price of one more small request. */
export function sessionReader(calls: Calls): SessionReader {
  return {
    async session(id, signal) {
      const found = await calls.session(id, signal)
      if (!found.ok) return { ok: false, fault: faultOf(found.trouble) }
      const session = sessionFromV2(found.value)
      return session === undefined ? unreadable(`session ${id}`) : { ok: true, value: session }
    },

    async messages(id, page, signal) {
      const found = await pageOf(calls, id, page, signal)
      if (!found.ok || found.value.older === undefined) return found
      const behind = await calls.messages(id, { limit: 1, cursor: found.value.older }, signal)
      // Who cannot look goes on as if there were more: the next page tells.
      if (!behind.ok || rowsOf(behind)?.length !== 0) return found
      return { ok: true, value: { messages: found.value.messages } }
    },
  }
}

/** One page, oldest message first. `older` may lead to an empty page. */
export async function pageOf(
  calls: Calls,
  id: string,
  page: { readonly limit: number; readonly older?: string },
  signal: AbortSignal | undefined,
): Promise<HostResult<MessagePage>> {
  const limit = Math.max(1, Math.min(PAGE_MAX, page.limit))
  const query = page.older === undefined ? { limit, order: "desc" as const } : { limit, cursor: page.older }
  const found = await calls.messages(id, query, signal)
  if (!found.ok) return { ok: false, fault: faultOf(found.trouble) }
  const rows = rowsOf(found)
  if (rows === undefined) return unreadable(`messages of ${id}`)
  const messages = rows
    .map((row) => messageFromV2(row, id))
    .filter((message) => message !== undefined)
    .reverse()
  const older = nextOf(found)
  if (older !== undefined && older === page.older)
    return {
      ok: false,
      fault: { reason: "failed", message: `messages of ${id}: OpenCode repeated a page cursor` },
    }
  return { ok: true, value: { messages, ...(older === undefined || rows.length === 0 ? {} : { older }) } }
}

/** The rows of a page, `{ data, cursor }`; a bare list is a page without more. */
export function rowsOf(outcome: Outcome): readonly unknown[] | undefined {
  if (!outcome.ok) return undefined
  const rows: unknown = Array.isArray(outcome.value)
    ? outcome.value
    : isRecord(outcome.value) && outcome.value["data"]
  return Array.isArray(rows) ? rows : undefined
}

/** Where the next page starts, as far as the host tells. */
export function nextOf(outcome: Outcome): string | undefined {
  const next = outcome.ok && isRecord(outcome.value) ? textField(outcome.value["cursor"], "next") : ""
  return next === "" ? undefined : next
}

function unreadable(what: string): HostResult<never> {
  const message = `${what}: OpenCode answered in a form this version does not read`
  return { ok: false, fault: { reason: "failed", message } }
}
