import type { History, Hit, StoredMessage } from "../../history/contract.ts"
import { MAX_MESSAGE_UNITS } from "../../history/documents/documents.ts"
import { cleanText } from "../../reading/content.ts"
import { findFolded, fold } from "../../text/fold.ts"
import { pasteable } from "../../text/printable.ts"
import { sliceUnits } from "../../text/unicode.ts"
import { storedPage } from "../conversation.ts"
import type { Item } from "./state.ts"

// The conversation beside the list, and the passage that is copied from it.

/** Messages shown before and after the hit. */
const PREVIEW_BEFORE = 2
const PREVIEW_AFTER = 3

/** How much of each is read: more than a screen. */
export const PREVIEW_UNITS = 8_000

/** How much of that stands before the hit where a message is longer. */
const BEFORE_HIT_UNITS = 2_000

/** The messages around a hit; without one the last ones. What cannot be read is not shown. */
export async function messagesAround(
  history: History,
  item: Item,
  maskSecrets: boolean,
  signal: AbortSignal,
): Promise<readonly StoredMessage[]> {
  const ask = { sessionID: item.session.id, maxChars: PREVIEW_UNITS, includeReverted: true }
  const messageID = item.hit?.messageID
  if (item.hit === undefined || messageID === undefined) {
    const last = await history.messages(
      { ...ask, direction: "back", limit: PREVIEW_BEFORE + PREVIEW_AFTER },
      signal,
    )
    return last.ok && last.value.found ? last.value.messages : []
  }
  const anchor = { messageID }
  const before = await history.messages({ ...ask, anchor, direction: "back", limit: PREVIEW_BEFORE }, signal)
  const itself = await history.messages(
    { ...ask, maxChars: MAX_MESSAGE_UNITS, anchor, inclusive: true, direction: "forward", limit: 1 },
    signal,
  )
  const after = await history.messages({ ...ask, anchor, direction: "forward", limit: PREVIEW_AFTER }, signal)
  const [older, own, newer] = [before, itself, after].map((page) =>
    page.ok && page.value.found ? page.value.messages : [],
  )
  const { hit } = item
  return [
    ...(older ?? []),
    ...(own ?? []).map((message) => aroundHit(message, hit, maskSecrets)),
    ...(newer ?? []),
  ]
}

/** The message with the part of its text that the hit stands in. */
function aroundHit(message: StoredMessage, hit: Hit, maskSecrets: boolean): StoredMessage {
  if (message.text.length <= PREVIEW_UNITS) return message
  // Masked as a whole: of a secret that lies across the cut the rest would not be known as one.
  const { text } = cleanText(message.text, maskSecrets)
  // Where the index said; where masks moved it, the text is looked through.
  const word = fold(hit.word)
  const said = fold(text.slice(hit.at.start, hit.at.end)) === word
  const start = said ? hit.at.start : (findFolded(text, word)?.start ?? 0)
  // From the beginning of a line, where one is near: half a line reads like a whole one.
  const wanted = Math.max(0, Math.min(start - BEFORE_HIT_UNITS, text.length - PREVIEW_UNITS))
  const line = text.indexOf("\n", wanted) + 1
  const from = wanted === 0 ? 0 : line > 0 && line <= start ? line : wanted
  const shown = sliceUnits(text, from, from + PREVIEW_UNITS)
  const more = from + PREVIEW_UNITS < text.length ? "…" : ""
  return { ...message, text: `${from > 0 ? "…\n" : ""}${shown}${more}` }
}

/** What was said in a message, whole; what its tools said where nobody spoke. It may be pasted into a terminal, and steers none. */
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
  return pasteable(cleanText(spoken.length === 0 ? message.text : said, maskSecrets).text)
}
