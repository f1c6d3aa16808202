import type {
  DocumentKind,
  History,
  MessagesRequest,
  StoredMessage,
  StoredSession,
} from "../history/contract.ts"
import { MAX_MESSAGE_UNITS } from "../history/documents/documents.ts"
import { excluder } from "../history/sync/index.ts"
import { cleanText } from "../reading/content.ts"
import { printableLines, shownValue } from "../text/printable.ts"
import type { Context } from "./context.ts"
import { nothing, type Outcome, trouble } from "./outcome.ts"

// A stored conversation as sections: what was said, and on request what tools and reasoning said. Read in pages, so
// that a session of any length costs memory for one page.

/** Messages fetched at a time; each may be as long as the index keeps one. */
export const PAGE_MESSAGES = 40

export type Wanted = { readonly tools: boolean; readonly reasoning: boolean }

export type Section = {
  readonly message: StoredMessage
  readonly texts: readonly { readonly kind: DocumentKind; readonly text: string }[]
  /** Texts of tools and of reasoning that are not shown. */
  readonly omitted: { readonly tools: number; readonly reasoning: number }
}

export type Found<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly outcome: Outcome }

/** The stored session. An excluded one does not exist. */
export async function openStored(context: Context, sessionID: string): Promise<Found<StoredSession>> {
  const found = await context.history().session(sessionID, context.signal)
  if (!found.ok) return { ok: false, outcome: trouble(found.fault.message) }
  const session = found.value
  if (session === undefined || excluder(context.options.exclude, context.env["HOME"])(session)) {
    const line = `the index has no session ${shownValue(sessionID)}; find ids with \`baton search --sessions --project all\`, or bring it up to date with \`baton index\``
    return { ok: false, outcome: nothing(line) }
  }
  return { ok: true, value: session }
}

export type PageRequest = Pick<
  MessagesRequest,
  "sessionID" | "anchor" | "inclusive" | "direction" | "role" | "limit"
>

export type PageOfMessages = {
  readonly messages: readonly StoredMessage[]
  readonly more: boolean
  readonly total: number
  readonly reverted: number
}

/** One page with whole texts. A missing anchor is trouble, never an empty page. */
export async function storedPage(
  history: History,
  request: PageRequest,
  signal: AbortSignal,
): Promise<Found<PageOfMessages>> {
  const answer = await history.messages({ ...request, maxChars: MAX_MESSAGE_UNITS }, signal)
  if (!answer.ok) return { ok: false, outcome: trouble(answer.fault.message) }
  if (answer.value.found) return { ok: true, value: answer.value }
  const anchor = request.anchor !== undefined && "messageID" in request.anchor ? request.anchor.messageID : ""
  const line = `session ${request.sessionID} has no message ${shownValue(anchor)} in the index; \`baton read ${request.sessionID} --all\` shows those it has`
  return { ok: false, outcome: nothing(line) }
}

/** Every message from the first on, page by page. The last page tells why it is the last. */
export async function* wholeSession(
  history: History,
  request: Pick<PageRequest, "sessionID" | "role">,
  signal: AbortSignal,
): AsyncGenerator<Found<PageOfMessages>, void> {
  let anchor: { readonly messageID: string } | undefined
  for (;;) {
    const page = await storedPage(
      history,
      { ...request, ...(anchor && { anchor }), direction: "forward", limit: PAGE_MESSAGES },
      signal,
    )
    yield page
    const last = page.ok ? page.value.messages.at(-1) : undefined
    if (!page.ok || !page.value.more || last === undefined) return
    anchor = { messageID: last.id }
  }
}

/** The message as it is shown; texts are printable and masked, their lines kept. */
export function sectionOf(message: StoredMessage, wanted: Wanted, maskSecrets: boolean): Section {
  const omitted = { tools: 0, reasoning: 0 }
  const texts = (message.pieces ?? []).flatMap(({ kind, start, end }) => {
    if (kind === "tool" && !wanted.tools) omitted.tools++
    else if (kind === "reasoning" && !wanted.reasoning) omitted.reasoning++
    else
      return [
        { kind, text: printableLines(cleanText(message.text.slice(start, end), maskSecrets).text).trim() },
      ]
    return []
  })
  return { message, texts, omitted }
}
