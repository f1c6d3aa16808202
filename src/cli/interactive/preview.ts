import type { History, StoredMessage } from "../../history/contract.ts"
import { cleanText } from "../../reading/content.ts"
import { printableLines } from "../../text/printable.ts"
import { storedPage } from "../conversation.ts"
import type { Item } from "./state.ts"

// The conversation beside the list, and the passage that is copied from it.

/** Messages shown before and after the hit. */
const PREVIEW_BEFORE = 2
const PREVIEW_AFTER = 3

/** How much of each is read: more than a screen. */
const PREVIEW_UNITS = 8_000

/** The messages around a hit; without one the last ones. What cannot be read is not shown. */
export async function messagesAround(
  history: History,
  item: Item,
  signal: AbortSignal,
): Promise<readonly StoredMessage[]> {
  const ask = { sessionID: item.session.id, maxChars: PREVIEW_UNITS, includeReverted: true }
  const messageID = item.hit?.messageID
  if (messageID === undefined) {
    const last = await history.messages(
      { ...ask, direction: "back", limit: PREVIEW_BEFORE + PREVIEW_AFTER },
      signal,
    )
    return last.ok && last.value.found ? last.value.messages : []
  }
  const anchor = { messageID }
  const before = await history.messages({ ...ask, anchor, direction: "back", limit: PREVIEW_BEFORE }, signal)
  const after = await history.messages(
    { ...ask, anchor, inclusive: true, direction: "forward", limit: PREVIEW_AFTER + 1 },
    signal,
  )
  return [before, after].flatMap((page) => (page.ok && page.value.found ? page.value.messages : []))
}

/** What was said in a message, whole; what its tools said where nobody spoke. It may be pasted into a terminal: printable. */
export async function passageOf(
  history: History,
  item: Item,
  messageID: string,
  maskSecrets: boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
  const page = await storedPage(
    history,
    { sessionID: item.session.id, anchor: { messageID }, inclusive: true, direction: "forward", limit: 1 },
    signal,
  )
  const message = page.ok ? page.value.messages[0] : undefined
  if (message === undefined) return undefined
  const spoken = (message.pieces ?? []).filter(({ kind }) => kind !== "tool" && kind !== "reasoning")
  const said = spoken.map(({ start, end }) => message.text.slice(start, end)).join("\n")
  return printableLines(cleanText(spoken.length === 0 ? message.text : said, maskSecrets).text)
}
