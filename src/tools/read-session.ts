// read_session: the newest messages of a session as a markdown transcript. The answer is one JSON string.

import type { Caller, HostFault, SessionReader } from "../hosts/host.ts"
import { newestMessages } from "../reading/newest.ts"
import { hasSection, sectionOf, type Section } from "../reading/section.ts"
import { MIN_TRANSCRIPT_BYTES, transcriptOf } from "../reading/transcript.ts"
import type { Message, Session } from "../session/model.ts"
import { jsonBytes } from "../text/cut.ts"
import { shownValue } from "../text/printable.ts"
import { READ_SESSION, TRANSCRIPT_MAX } from "./definitions/handoff.ts"
import { parseInput } from "./input.ts"
import { isOwn } from "./own-project.ts"
import type { Tool } from "./tool.ts"

/** The largest answer of any host: more would crowd out the model's own context. */
export const MAX_ANSWER_BYTES = 200 * 1024

export type ReadSessionSetup = {
  readonly reader: SessionReader
  /** A bound of the host below `MAX_ANSWER_BYTES`; bytes of the whole JSON answer as UTF-8. */
  readonly maxAnswerBytes?: number
  readonly maskSecrets: boolean
  /** Sessions that do not exist for any tool. */
  excluded?(session: Session): boolean
}

/** The tool for one host. */
export function readSession(setup: ReadSessionSetup): Tool {
  return {
    ...READ_SESSION,
    async run(input: unknown, caller: Caller): Promise<string> {
      const parsed = parseInput(READ_SESSION, input)
      if (!parsed.ok) return refusal(parsed.error)
      const id = SESSION_ID.exec(parsed.value.sessionId)?.[1]
      if (id === undefined)
        return refusal(
          `no session id in ${shownValue(parsed.value.sessionId)}; write an id such as ses_1a2b3c, or a link that holds one`,
        )
      return transcript(setup, id, parsed.value.limit, caller)
    },
  }
}

/** Not inside another word (`processes_list`); after `%2F` of an encoded link it is. */
const SESSION_ID = /(?:^|[^A-Za-z0-9_]|%[0-9A-Fa-f]{2})(ses_[A-Za-z0-9]{1,100})/

async function transcript(
  setup: ReadSessionSetup,
  id: string,
  limit: number,
  caller: Caller,
): Promise<string> {
  const session = await setup.reader.session(id, caller.signal)
  if (!session.ok) return refusal(faultText(id, session.fault))
  if (setup.excluded?.(session.value)) return refusal(unknownSession(id))
  if (!isOwn(caller, session.value)) {
    const permission = await caller.askOtherProject(session.value)
    if (!permission.granted) return refusal(permission.message)
  }

  const maxBytes = Math.min(setup.maxAnswerBytes ?? MAX_ANSWER_BYTES, MAX_ANSWER_BYTES)
  const show = boundedSections(maxBytes, setup.maskSecrets)
  const newest = await newestMessages(setup.reader, session.value, limit, show, caller.signal)
  if (!newest.ok) return refusal(faultText(id, newest.fault))
  if (newest.shown.length === 0) return refusal(emptySession(id, newest.read, newest.reverted))

  const envelope = Buffer.byteLength(
    answer({ ok: true, sessionId: id, count: TRANSCRIPT_MAX, transcript: "" }),
  )
  const result = transcriptOf(newest.shown, newest, Math.max(MIN_TRANSCRIPT_BYTES, maxBytes - envelope))
  return answer({ ok: true, sessionId: id, count: result.count, transcript: result.text })
}

/** Sections until the bound is full; older messages are only counted, so memory stays within the answer. */
function boundedSections(maxBytes: number, maskSecrets: boolean): (message: Message) => Section | undefined {
  // What is cut from a text here would not fit even if most of the rest were escape sequences.
  const rules = { maskSecrets, maxTextUnits: 4 * maxBytes, budget: { units: 4 * maxBytes } }
  let bytes = 0
  return (message) => {
    if (bytes > maxBytes) return hasSection(message) ? NOT_FITTING : undefined
    const section = sectionOf(message, rules)
    if (section) bytes += jsonBytes(section.text)
    return section
  }
}

const NOT_FITTING: Section = { text: "", masked: 0, cutUnits: 0 }

type Answer =
  | { readonly ok: true; readonly sessionId: string; readonly count: number; readonly transcript: string }
  | { readonly ok: false; readonly error: string }

function answer(value: Answer): string {
  return JSON.stringify(value)
}

function refusal(error: string): string {
  return answer({ ok: false, error })
}

function faultText(id: string, fault: HostFault): string {
  return fault.reason === "not-found"
    ? unknownSession(id)
    : `session ${id} could not be read: ${fault.message}`
}

function unknownSession(id: string): string {
  return `session ${id} does not exist; check the id`
}

function emptySession(id: string, read: number, reverted: number): string {
  if (read === 0) return `session ${id} has no messages yet`
  if (read === reverted) return `session ${id} is empty: its ${reverted} messages are all reverted`
  return `session ${id} has nothing to show: ${read} messages without text, attachments or finished tool calls`
}
