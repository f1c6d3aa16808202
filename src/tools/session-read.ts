import type { Caller } from "../hosts/host.ts"
import { readRange, readStoredRange, type Range } from "../reading/range.ts"
import { MASK_MARGIN_UNITS } from "../reading/content.ts"
import { createPace } from "../reading/pace.ts"
import { SAID, SAID_AND_DONE } from "../reading/stored.ts"
import type { Read } from "../reading/walk.ts"
import type { Message, Session } from "../session/model.ts"
import { SESSION_READ, SESSION_READ_DEFAULT, TEXT_MAX_UNITS } from "./definitions/sessions.ts"
import { type InputOf, parseInput } from "./input.ts"
import { openSession } from "./search/access.ts"
import { fitAround, HEAD_BYTES, itemBytes, jsonAnswer, jsonError } from "./search/json.ts"
import {
  fitEntry,
  messageEntry,
  storedEntry,
  type EntryOptions,
  type SessionEntry,
} from "./search/message-entry.ts"
import { counted, STORED_NOTE } from "./search/notes.ts"
import { DEFAULT_ANSWER_BYTES, type HistoryServices } from "./search/services.ts"
import { titleField } from "./search/session-line.ts"
import { datesField } from "./search/when.ts"
import type { Tool } from "./tool.ts"

// A page of one session by message index, as session_list names them.

type Input = InputOf<typeof SESSION_READ>

/** Reads a page of messages. The answer is a JSON string; trouble is `{ error }`. */
export function sessionRead(services: HistoryServices): Tool {
  return {
    ...SESSION_READ,
    async run(raw, caller) {
      const parsed = parseInput(SESSION_READ, raw)
      return parsed.ok ? read(services, caller, parsed.value) : jsonError(parsed.error)
    },
  }
}

async function read(services: HistoryServices, caller: Caller, value: Input): Promise<string> {
  const opened = await openSession(services, caller, value.sessionID)
  if (!opened.ok) return jsonError(opened.error)
  const { session, source } = opened
  const { reader, history, olderThan } = services
  const request = {
    limit: value.limit ?? SESSION_READ_DEFAULT,
    ...(value.offset === undefined ? {} : { offset: value.offset }),
  }
  const options: EntryOptions = { tools: value.tools ?? false, maskSecrets: services.options.maskSecrets }
  if (source === "index") {
    const kinds = options.tools ? SAID_AND_DONE : SAID
    const maxChars = TEXT_MAX_UNITS + MASK_MARGIN_UNITS
    const stored = { history, sessionID: session.id, maxChars, kinds, signal: caller.signal }
    const range = await readStoredRange(stored, request)
    return answerOf(services, session, value, range, (message) => storedEntry(message, options), true)
  }
  const reading = { reader, history, session, signal: caller.signal, ...(olderThan && { olderThan }) }
  const range = await readRange(reading, request)
  return answerOf(
    services,
    session,
    value,
    range,
    (message, index) => messageEntry(message, index, options),
    false,
  )
}

type Unread = Partial<Pick<Message, "malformed" | "run">>

type Made = { readonly entry: SessionEntry | undefined; readonly index: number; readonly masked: number }

async function answerOf<Item extends Unread & { readonly created: number }>(
  services: HistoryServices,
  session: Session,
  value: Input,
  range: Read<Range<Item>>,
  entryOf: (item: Item, index: number) => Omit<Made, "index">,
  stored: boolean,
): Promise<string> {
  if (!range.ok) return jsonError(`session ${session.id} could not be read: ${range.fault.message}`)
  const { total, first, messages, reverted } = range.value
  const made: Made[] = []
  const pace = createPace()
  for (const [at, item] of messages.entries()) {
    await pace()
    made.push({ index: first + at, ...entryOf(item, first + at) })
  }
  const room = (services.maxAnswerBytes ?? DEFAULT_ANSWER_BYTES) - HEAD_BYTES
  const visible = made.flatMap((one) =>
    one.entry === undefined ? [] : [{ ...one, entry: fitEntry(one.entry, room) }],
  )
  // The latest page is wanted for its end, any other for its beginning.
  const nearest = value.offset === undefined ? Math.max(0, visible.length - 1) : 0
  const kept = fitAround(
    visible.map((one) => itemBytes(one.entry)),
    nearest,
    room,
  )
  const shown = visible.slice(kept.first, kept.end)
  const left = visible.length - shown.length
  const masked = shown.reduce((sum, one) => sum + one.masked, 0)
  const rest = kept.first > 0 ? visible[0]?.index : visible[kept.end]?.index
  const hidden = made.length - visible.length
  const unreadable = messages.reduce((sum, item) => sum + (item.malformed ?? 0), 0)
  const hasRun = messages.some((item) => item.run === true)
  const [atLeast, runNote] = hasRun ? ["at least ", "; total and indexes count such a run as one"] : ["", ""]
  const notes = [
    left === 0 ? "" : `${counted(left, "message")} did not fit: read them with offset ${rest}`,
    hidden === 0 ? "" : `${counted(hidden, "hidden message")} skipped`,
    reverted === 0 ? "" : `${counted(reverted, "reverted message")} at the end left out`,
    unreadable === 0 ? "" : `${atLeast}${counted(unreadable, "unreadable part")} skipped${runNote}`,
    masked === 0 ? "" : `${counted(masked, "secret")} masked`,
    stored ? STORED_NOTE : "",
  ].filter((note) => note !== "")
  const head = {
    total,
    ...(shown.length === 0 ? {} : { title: titleField(session.title, services.options.maskSecrets) }),
    ...datesField(messages, services.timeZone),
    ...(stored ? { source: "index" } : {}),
    ...(notes.length === 0 ? {} : { notes }),
  }
  return jsonAnswer(
    head,
    "messages",
    shown.map((one) => one.entry),
  )
}
