import { createHash } from "node:crypto"
import { attachmentLabels } from "../../session/attachment.ts"
import type { Message, Part, ToolPart } from "../../session/model.ts"
import { sliceUnits } from "../../text/unicode.ts"
import type { DocumentKind } from "../contract.ts"
import { editsOf, type MessageEdit } from "./edits.ts"
import { isOwnOutput, isOwnQuestion } from "./own-tools.ts"
import { storedText } from "./stored-text.ts"
import { toolInputText } from "./tool-input.ts"

// From a message to the one text that is searched: its documents in part order, a line break between. Pure.
// What no person or model said in this message (synthetic, ignored, reminders, injected files, the answers
// of our own tools) is left out; what does not fit is cut and counted.

/** Cap of one tool's input or output. The host itself keeps about 50 KB of an output in the context. */
export const MAX_TOOL_UNITS = 256 * 1024

/** Cap of one user, assistant or reasoning text: a pasted log of a megabyte stays whole. */
export const MAX_TEXT_UNITS = 1024 * 1024

/** Cap of a message: bounds what one verification has to read. */
export const MAX_MESSAGE_UNITS = 2 * 1024 * 1024

/** Text kept behind a cut while secrets are masked, so that none is cut into an unrecognisable half. */
const SECRET_MARGIN_UNITS = 16 * 1024

/** A stretch of the text that is one document. */
export type Segment = {
  readonly kind: DocumentKind
  /** What a tool was asked, in contrast to its answer. */
  readonly input?: true
  readonly start: number
  readonly end: number
}

export type MessageDocuments = {
  readonly text: string
  readonly segments: readonly Segment[]
  /** UTF-16 units that the caps left out. */
  readonly lost: number
  readonly edits: readonly MessageEdit[]
  /** Equal for copies of a message in forks, different after any change of what is stored. Ordered by time. */
  readonly print: Uint8Array
}

export type DocumentOptions = { readonly maskSecrets: boolean; readonly directory: string }

/** What the index stores of a message. */
export function messageDocuments(message: Message, options: DocumentOptions): MessageDocuments {
  const pieces: string[] = []
  const segments: Segment[] = []
  let length = 0
  let lost = 0
  for (const part of message.parts) {
    for (const document of partDocuments(part, message)) {
      const kept = prepare(document, options.maskSecrets)
      lost += kept.lost + (document.lost ?? 0)
      const room = MAX_MESSAGE_UNITS - length - 1
      const text = kept.text.length <= room ? kept.text : sliceUnits(kept.text, 0, Math.max(0, room))
      lost += kept.text.length - text.length
      if (text === "") continue
      const start = length === 0 ? 0 : length + 1
      const { kind, input } = document
      segments.push({ kind, ...(input && { input }), start, end: start + text.length })
      pieces.push(text)
      length = start + text.length
    }
  }
  const text = pieces.join("\n")
  const edits = editsOf(message, options.directory).map((edit) => stored(edit, options.maskSecrets))
  return { text, segments, lost, edits, print: printOf(message, text, segments, edits) }
}

/** A path may hold a token as any text may. */
function stored(edit: MessageEdit, mask: boolean): MessageEdit {
  const { path, movedFrom } = edit
  return {
    ...edit,
    path: storedText(path, mask),
    ...(movedFrom === undefined ? {} : { movedFrom: storedText(movedFrom, mask) }),
  }
}

type Document = {
  readonly kind: DocumentKind
  readonly input?: true
  readonly text: string
  /** Units that are not in `text`. */
  readonly lost?: number
  readonly cap: number
}

function partDocuments(part: Part, message: Message): readonly Document[] {
  if (part.type === "text") {
    if (part.synthetic || part.ignored) return []
    const kind = message.role === "user" ? "user" : message.summary ? "summary" : "assistant"
    const text = message.role === "user" ? withoutReminders(part.text) : part.text
    return [{ kind, text, cap: MAX_TEXT_UNITS }]
  }
  if (part.type === "reasoning") return [{ kind: "reasoning", text: part.text, cap: MAX_TEXT_UNITS }]
  if (part.type === "tool") return toolDocuments(part)
  if (part.type === "patch") return [{ kind: "tool", text: part.files.join("\n"), cap: MAX_TOOL_UNITS }]
  if (part.type === "file") {
    // A name tells what was attached; `data:` and `file:` addresses tell nothing or a whole file.
    return message.role === "user" ? [{ kind: "user", text: part.filename, cap: MAX_TOOL_UNITS }] : []
  }
  return []
}

function toolDocuments(part: ToolPart): readonly Document[] {
  const asked = isOwnQuestion(part) ? { text: "", lost: 0 } : toolInputText(part.input)
  const input = [part.tool, asked.text].filter((text) => text !== "").join("\n")
  const said = part.status === "error" ? part.error : isOwnOutput(part) ? "" : withoutReminders(part.output)
  const result = [...attachmentLabels(part.attachments), said].filter((line) => line !== "").join("\n")
  return [
    { kind: "tool", input: true, text: input, lost: asked.lost, cap: MAX_TOOL_UNITS },
    { kind: "tool", text: result, cap: MAX_TOOL_UNITS },
  ]
}

/** Notes of the host to the model, as its Read tool and its modes append them. */
function withoutReminders(text: string): string {
  return text.includes("<system-reminder>")
    ? text.replace(/(?<!\n)\n*<system-reminder>[\s\S]*?(?:<\/system-reminder>|$)/g, "")
    : text
}

/** As it is stored, and cut: most is kept from the start, a quarter from the end, where errors are. */
function prepare(document: Document, mask: boolean): { text: string; lost: number } {
  const whole = document.text
  const { cap } = document
  const clean = (text: string) => storedText(text, mask)
  if (whole.length <= cap) {
    const text = clean(whole)
    return text.length <= cap
      ? { text, lost: 0 }
      : { text: sliceUnits(text, 0, cap), lost: text.length - cap }
  }
  const headUnits = Math.floor((cap * 3) / 4)
  const tailUnits = cap - headUnits - 1
  const head = sliceUnits(clean(whole.slice(0, headUnits + SECRET_MARGIN_UNITS)), 0, headUnits)
  const masked = clean(whole.slice(-(tailUnits + SECRET_MARGIN_UNITS)))
  const tail = sliceUnits(masked, Math.max(0, masked.length - tailUnits), masked.length)
  return { text: `${head}\n${tail}`, lost: whole.length - headUnits - tailUnits }
}

/** Six bytes of the time, then a hash: prints of one session lie together in their index, and few of its pages change. */
function printOf(
  message: Message,
  text: string,
  segments: readonly Segment[],
  edits: readonly MessageEdit[],
): Uint8Array {
  const hash = createHash("sha256")
  const shape = segments.map((segment) => [segment.kind, segment.input ?? false, segment.start])
  const changes = edits.map((edit) => [edit.path, edit.kind, edit.status, edit.movedFrom ?? ""])
  hash.update(JSON.stringify([message.role, message.created, message.summary, shape, changes]))
  hash.update(text)
  const print = Buffer.alloc(PRINT_BYTES)
  print.writeUIntBE(Math.min(Math.max(Math.trunc(message.created), 0), MAX_TIME), 0, TIME_BYTES)
  print.set(hash.digest().subarray(0, PRINT_BYTES - TIME_BYTES), TIME_BYTES)
  return print
}

/** 80 bits of hash: no two messages of one time share a print by chance. */
const PRINT_BYTES = 16
const TIME_BYTES = 6
const MAX_TIME = 2 ** 48 - 1
