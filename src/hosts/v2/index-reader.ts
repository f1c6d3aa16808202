import type { History, StoredMessage, StoredSession } from "../../history/contract.ts"
import type { Message, Session } from "../../session/model.ts"
import type { HostResult, MessagePage, SessionReader } from "../host.ts"

// Reading a session V2 does not have (V1's, or a deleted one) from the index, for a transcript. Its text is what
// was indexed, tool calls included, and every message says so.

/** What stands in front of every message that is only in the index. */
export const FROM_INDEX = "[from the index, OpenCode 2 does not have it]"

/** UTF-16 units of one message; the transcript's own bound is what counts. */
const MAX_UNITS = 200 * 1024

/** The index's own bound of a page. */
const PAGE_MAX = 200

/** The reader, with sessions from the index where the host says that it has none of that id. */
export function readerOverIndex(reader: SessionReader, history: History): SessionReader {
  const indexed = new Set<string>()
  return {
    async session(id, signal) {
      const found = await reader.session(id, signal)
      if (found.ok || found.fault.reason !== "not-found") {
        indexed.delete(id)
        return found
      }
      const stored = await history.session(id, signal)
      if (!stored.ok || stored.value === undefined) return found
      indexed.add(id)
      return { ok: true, value: sessionOf(stored.value) }
    },
    messages: (id, page, signal) =>
      indexed.has(id) ? storedPage(history, id, page, signal) : reader.messages(id, page, signal),
  }
}

async function storedPage(
  history: History,
  sessionID: string,
  page: { readonly limit: number; readonly older?: string },
  signal?: AbortSignal,
): Promise<HostResult<MessagePage>> {
  const anchor = page.older === undefined ? {} : { anchor: { index: Number(page.older) } }
  const limit = Math.min(PAGE_MAX, page.limit)
  const request = {
    sessionID,
    direction: "back",
    limit,
    maxChars: MAX_UNITS,
    includeReverted: true,
    ...anchor,
  } as const
  const found = await history.messages(request, signal)
  if (!found.ok) return { ok: false, fault: { reason: "failed", message: found.fault.message } }
  if (!found.value.found)
    return {
      ok: false,
      fault: { reason: "not-found", message: `session ${sessionID} is not in the index any more` },
    }
  const first = found.value.messages[0]
  const older = found.value.more && first !== undefined ? { older: String(first.index) } : {}
  return {
    ok: true,
    value: { messages: found.value.messages.map((one) => messageOf(sessionID, one)), ...older },
  }
}

function messageOf(sessionID: string, stored: StoredMessage): Message {
  const { id, role, created, summary, text } = stored
  const shown = text.trim() === "" ? "" : `${FROM_INDEX}\n${text}`
  const part = { type: "text", text: shown, synthetic: false, ignored: false, metadata: {} } as const
  return { id, sessionID, role, created, summary, malformed: 0, parts: shown === "" ? [] : [part] }
}

function sessionOf(stored: StoredSession): Session {
  const { messages: _, ...session } = stored
  return { ...session, metadata: {} }
}
