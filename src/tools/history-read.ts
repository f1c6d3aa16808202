import type { Caller } from "../hosts/host.ts"
import { readAround } from "../reading/around.ts"
import { messageContent, storedContent } from "../reading/content.ts"
import { pagePlace } from "../reading/page.ts"
import { readStoredAround, SAID } from "../reading/stored.ts"
import type { ReadFault } from "../reading/walk.ts"
import { windowPlace } from "../reading/window.ts"
import type { Session } from "../session/model.ts"
import { shownValue } from "../text/printable.ts"
import { CONTENT_DEFAULT, HISTORY_READ } from "./definitions/history.ts"
import { type InputOf, parseInput } from "./input.ts"
import { openSession } from "./search/access.ts"
import { jsonError } from "./search/json.ts"
import { PAGE_DEFAULT, WINDOW_DEFAULT } from "./search/limits.ts"
import { readAnswer, type ReadRequest } from "./search/read-answer.ts"
import type { HistoryServices } from "./search/services.ts"
import type { Tool } from "./tool.ts"

// Messages of one session: around a hit, or page by page. Bounded by the page, whatever the session.

type Input = InputOf<typeof HISTORY_READ>

/** Reads one session in windows and pages. The answer is a JSON string; trouble is `{ error }`. */
export function historyRead(services: HistoryServices): Tool {
  return {
    ...HISTORY_READ,
    async run(raw, caller) {
      const parsed = parseInput(HISTORY_READ, raw)
      if (!parsed.ok) return jsonError(parsed.error)
      const wrong = conflict(parsed.value)
      if (wrong !== undefined) return jsonError(`${HISTORY_READ.name}: ${wrong}`)
      return read(services, caller, parsed.value)
    },
  }
}

function conflict(value: Input): string | undefined {
  if (value.messageID === undefined) {
    const only = value.before !== undefined ? "before" : value.after !== undefined ? "after" : undefined
    return only && `\`${only}\` is ${value[only]}, but there is no \`messageID\`; write one, or use \`limit\``
  }
  if (value.cursor !== undefined)
    return `\`cursor\` is ${shownValue(value.cursor)} beside \`messageID\` ${shownValue(value.messageID)}; write one of them`
  if (value.limit !== undefined)
    return `\`limit\` is ${value.limit} beside \`messageID\`; write \`before\` and \`after\` instead`
  return undefined
}

async function read(services: HistoryServices, caller: Caller, value: Input): Promise<string> {
  const opened = await openSession(services, caller, value.sessionID ?? caller.sessionID)
  if (!opened.ok) return jsonError(opened.error)
  const { session, source } = opened
  const request = requestOf(value)
  const place = request.kind === "window" ? windowPlace(request) : pagePlace(request)
  const maxChars = value.maxCharsPerMessage ?? CONTENT_DEFAULT
  const role = value.role === undefined ? {} : { role: value.role }
  const options = {
    maxChars,
    includeToolResults: value.includeToolResults ?? false,
    maskSecrets: services.options.maskSecrets,
  }

  const answer = { services, session, request, source }
  if (source === "index") {
    const { history } = services
    const kinds = options.includeToolResults ? [...SAID, "tool" as const] : SAID
    const reading = { history, sessionID: session.id, maxChars, kinds, signal: caller.signal, ...role }
    const around = await readStoredAround(reading, place)
    if (!around.ok) return jsonError(faultOf(session, around.fault))
    return readAnswer(answer, around.value, (message) => storedContent(message, options))
  }
  const { reader, history, olderThan } = services
  const reading = {
    reader,
    history,
    session,
    signal: caller.signal,
    ...role,
    ...(olderThan && { olderThan }),
  }
  const around = await readAround(reading, place)
  if (!around.ok) return jsonError(faultOf(session, around.fault))
  return readAnswer(answer, around.value, (message) => messageContent(message, options))
}

function requestOf(value: Input): ReadRequest {
  if (value.messageID !== undefined)
    return {
      kind: "window",
      messageID: value.messageID,
      before: value.before ?? WINDOW_DEFAULT,
      after: value.after ?? WINDOW_DEFAULT,
    }
  const back = value.direction === "back"
  return {
    kind: "page",
    limit: value.limit ?? PAGE_DEFAULT,
    direction: back ? "back" : "forward",
    // Reading back without a cursor can only mean from the end.
    from: value.from ?? (back ? "end" : "start"),
    ...(value.cursor === undefined ? {} : { cursor: value.cursor }),
  }
}

function faultOf(session: Session, fault: ReadFault): string {
  if (fault.reason !== "no-message") return `session ${session.id} could not be read: ${fault.message}`
  return `${fault.message}; take ids and cursors from this session's own answers`
}
