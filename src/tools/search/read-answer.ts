// history-read's answer: as many messages as fit, nearest to where reading began first, and what is left out told.

import type { Around } from "../../reading/around.ts"
import type { MessageContent } from "../../reading/content.ts"
import { createPace } from "../../reading/pace.ts"
import { pageOf, readsForward, withCursors, type Page, type PageRequest } from "../../reading/page.ts"
import { windowOf, type WindowRequest } from "../../reading/window.ts"
import type { Message, Session } from "../../session/model.ts"
import { cutJsonBytes } from "../../text/cut.ts"
import { fitAround, HEAD_BYTES, itemBytes, jsonAnswer } from "./json.ts"
import { STORED_NOTE } from "./notes.ts"
import { titleField } from "./session-line.ts"
import { DEFAULT_ANSWER_BYTES, type HistoryServices } from "./services.ts"
import { datesField } from "./when.ts"

export type ReadRequest =
  | ({ readonly kind: "window" } & WindowRequest)
  | ({ readonly kind: "page" } & PageRequest)

export type ReadAnswer = {
  readonly services: Pick<HistoryServices, "maxAnswerBytes" | "options" | "timeZone">
  readonly session: Session
  readonly request: ReadRequest
  readonly source: "host" | "index"
}

type Readable = Pick<Message, "id" | "role" | "created"> & Partial<Pick<Message, "malformed" | "run">>

/** The answer as JSON, under the host's cap; what did not fit is on the next page. */
export async function readAnswer<Item extends Readable>(
  answer: ReadAnswer,
  around: Around<Item>,
  contentOf: (item: Item) => MessageContent,
): Promise<string> {
  const room = (answer.services.maxAnswerBytes ?? DEFAULT_ANSWER_BYTES) - HEAD_BYTES
  const { page, nearest, anchorIncluded } = select(answer.request, around)
  const contents: (MessageContent & { readonly item: Item })[] = []
  const pace = createPace()
  for (const item of page.items) {
    await pace()
    contents.push({ item, ...contentOf(item) })
  }
  const entries = contents.map((content) => entryOf(content, room))
  const kept = fitAround(entries.map(itemBytes), nearest, room)
  const shown = narrowed(page, kept)
  const secrets = contents.slice(kept.first, kept.end).reduce((sum, content) => sum + content.masked, 0)
  const notes = [
    count(
      page.reverted,
      "reverted message is",
      "reverted messages are",
      "left out; unrevert in OpenCode to read them",
    ),
    unreadNote(shown.items),
    count(
      page.items.length - shown.items.length,
      "message",
      "messages",
      "did not fit: read on with the cursors",
    ),
    count(secrets, "secret is", "secrets are", "masked"),
    answer.source === "index" ? STORED_NOTE : "",
  ].filter((note) => note !== "")
  const head = {
    sessionID: answer.session.id,
    title: titleField(answer.session.title, answer.services.options.maskSecrets),
    ...(anchorIncluded === undefined ? {} : { anchorIncluded }),
    nextCursor: shown.nextCursor ?? null,
    prevCursor: shown.prevCursor ?? null,
    ...datesField(shown.items, answer.services.timeZone),
    ...(answer.source === "index" ? { source: "index" } : {}),
    ...(notes.length === 0 ? {} : { notes }),
  }
  return jsonAnswer(head, "messages", entries.slice(kept.first, kept.end))
}

type Selected<Item> = {
  readonly page: Page<Item>
  /** The item that must be shown: the anchor, or where the page began to be read. */
  readonly nearest: number
  readonly anchorIncluded?: boolean
}

function select<Item extends Readable>(request: ReadRequest, around: Around<Item>): Selected<Item> {
  if (request.kind === "window") {
    const window = windowOf(request, around)
    const nearest = Math.max(0, Math.min(window.before, window.items.length - 1))
    return { page: window, nearest, anchorIncluded: window.anchorIncluded }
  }
  const page = pageOf(request, around)
  return { page, nearest: readsForward(request) ? 0 : Math.max(0, page.items.length - 1) }
}

function narrowed<Item extends Readable>(
  page: Page<Item>,
  kept: { readonly first: number; readonly end: number },
): Page<Item> {
  if (page.items.length === 0) return page
  return withCursors(page.items.slice(kept.first, kept.end), {
    older: kept.first > 0 || page.prevCursor !== undefined,
    newer: kept.end < page.items.length || page.nextCursor !== undefined,
    reverted: page.reverted,
  })
}

/** A message of the answer; the flags are outside the cap of its content. */
function entryOf(content: MessageContent & { readonly item: Readable }, room: number) {
  const entry = {
    messageID: content.item.id,
    role: content.item.role,
    content: content.content,
    truncated: content.truncated,
    toolResultsOmitted: content.toolResultsOmitted,
    otherContentOmitted: content.otherContentOmitted,
  }
  const bytes = itemBytes(entry)
  if (bytes <= room) return entry
  const around = bytes - Buffer.byteLength(JSON.stringify(content.content))
  return {
    ...entry,
    content: cutJsonBytes(content.content, Math.max(0, room - around)).text,
    truncated: true,
  }
}

function unreadNote(items: readonly Readable[]): string {
  const parts = items.reduce((sum, item) => sum + (item.malformed ?? 0), 0)
  const note = count(parts, "unreadable part is", "unreadable parts are", "left out")
  return note !== "" && items.some((item) => item.run === true) ? `at least ${note}` : note
}

function count(many: number, one: string, several: string, rest: string): string {
  return many === 0 ? "" : `${many} ${many === 1 ? one : several} ${rest}`
}
