import { messageFromV2 } from "../../session/from-v2.ts"
import type { Call } from "../../session/capability.ts"
import type { Calls } from "./calls.ts"
import { field, textField } from "../../session/capability.ts"
import { bounded } from "./http.ts"
import { rowsOf } from "./ask-rows.ts"

/** A fresh session has a handful of messages at most. */
const FRESH_MESSAGES = 50

export type Earlier = {
  readonly calls: Calls
  /** `session.context` of the host: every message since the last compaction, without the service. */
  readonly context: Call | undefined
  readonly timeoutMs: number
}

/**
 * Whether a prompt is the session's first one written by the user. What is reverted, and stays listed until the
 * next prompt, does not count. A host that cannot say is taken as yes: a file too often is better than never.
 */
export async function isFirst(
  earlier: Earlier,
  session: unknown,
  sessionID: string,
  messageID: string,
): Promise<boolean> {
  const rows = await earlierRows(earlier, sessionID)
  if (rows === undefined) return true
  const revertedFrom = textField(field(session, "revert"), "messageID")
  const at = revertedFrom === "" ? -1 : rows.findIndex((row) => textField(row, "id") === revertedFrom)
  const standing = at === -1 ? rows : rows.slice(0, at)
  return !standing.some((row) => {
    const message = messageFromV2(row, sessionID)
    if (message === undefined || message.id === messageID) return false
    // A compaction took earlier ones out of the context.
    return message.summary || textField(row, "type") === "user"
  })
}

/** The messages of a session, oldest first, as far as needed; undefined when the host does not tell. Never throws. */
export async function earlierRows(
  earlier: Earlier,
  sessionID: string,
): Promise<readonly unknown[] | undefined> {
  const { context } = earlier
  if (context !== undefined) {
    const rows = rowsOf(await bounded("context", () => context({ sessionID }), earlier.timeoutMs))
    if (rows !== undefined) return rows
  }
  return rowsOf(await earlier.calls.messages(sessionID, { limit: FRESH_MESSAGES, order: "asc" }))
}
