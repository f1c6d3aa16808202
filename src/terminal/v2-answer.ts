import * as z from "zod/mini"
import { metadataKey } from "../handoff/record.ts"
import { field, method, textField } from "../session/capability.ts"
import { parseJson } from "../text/json.ts"

// What a terminal learns of a handoff: the tool's own answer, which the host shows to every client, and the
// mark of the terminal that asked, in the message that asked.

export type HandoffAnswer = {
  readonly sourceSessionId: string
  readonly sessionId: string
  readonly draft: string
}

const schema = z.object({
  ok: z.literal(true),
  sourceSessionId: z.string(),
  sessionId: z.string(),
  draft: z.string(),
})

/** Messages looked at for the tool's call and the prompt before it. */
const NEWEST = 20

/** The event's own fields, wherever this release puts them. */
export function dataOf(event: unknown): unknown {
  const places = [
    field(event, "data"),
    field(field(event, "details"), "data"),
    field(event, "details"),
    event,
  ]
  return places.find((place) => textField(place, "sessionID") !== "")
}

/** The answer in a tool's content: text, or a list of parts; undefined for every other tool's. */
export function answerIn(content: unknown): HandoffAnswer | undefined {
  const texts: readonly unknown[] = Array.isArray(content)
    ? content.map((part: unknown) => field(part, "text"))
    : [content]
  for (const text of texts) {
    if (typeof text !== "string" || !text.includes("sourceSessionId")) continue
    const parsed = schema.safeParse(parseJson(text))
    if (parsed.success) return parsed.data
  }
  return undefined
}

/** The newest messages of a session, newest first; empty when they cannot be read. */
export async function newestMessages(client: unknown, sessionID: string): Promise<readonly unknown[]> {
  const list = method(field(client, "message"), "list")
  const page = await list?.({ sessionID, limit: NEWEST, order: "desc" })
  const rows: unknown = Array.isArray(page) ? page : field(page, "data")
  const messages: readonly unknown[] = Array.isArray(rows) ? rows : []
  return messages
}

/** The newest answer among messages, newest first. */
export function newestAnswer(messages: readonly unknown[]): HandoffAnswer | undefined {
  for (const message of messages) {
    const content: unknown = field(message, "content")
    const parts: readonly unknown[] = Array.isArray(content) ? content.toReversed() : []
    for (const part of parts) {
      const answer = answerIn(field(field(part, "state"), "content"))
      if (textField(part, "name") === "handoff_session" && answer !== undefined) return answer
    }
  }
  return undefined
}

/** The mark a terminal leaves in the prompt it sends for `/handoff`. */
export function askedBy(terminal: string): Readonly<Record<string, unknown>> {
  return { [metadataKey]: { terminal } }
}

/** The terminal whose `/handoff` is the newest prompt; "" when it was asked in another way. */
export function askingTerminal(messages: readonly unknown[]): string {
  const prompt = messages.find((message) => textField(message, "type") === "user")
  return textField(field(field(prompt, "metadata"), metadataKey), "terminal")
}
