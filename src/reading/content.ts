// A message as history-read shows it: its text, its tools by name, and flags for what is left out. The caps keep
// a five-megabyte tool result from being masked, cut and copied as a whole.

import type { StoredMessage } from "../history/contract.ts"
import { attachmentLabels } from "../session/attachment.ts"
import type { Message, Part, ToolPart } from "../session/model.ts"
import { stripAnsi } from "../text/ansi.ts"
import { cutUnits } from "../text/cut.ts"
import { oneLine } from "../text/printable.ts"
import { maskSecrets } from "../text/secrets.ts"
import { repairText, sliceUnits } from "../text/unicode.ts"

export type ContentOptions = {
  /** Cap of the content in UTF-16 units. */
  readonly maxChars: number
  readonly includeToolResults: boolean
  readonly maskSecrets: boolean
}

export type MessageContent = {
  readonly content: string
  /** The content was cut to maxChars. */
  readonly truncated: boolean
  /** A tool's result or error is not in the content. */
  readonly toolResultsOmitted: boolean
  /** Something else is not: attachments, reasoning, tool input or metadata, host-written text, unreadable parts. */
  readonly otherContentOmitted: boolean
  /** Secrets in the content that were replaced. */
  readonly masked: number
}

/** Names are identifiers; a longer one is somebody's text. */
export const MAX_TOOL_NAME_UNITS = 100

/** Text looked at behind a cap, so that a secret that lies across it is masked before the cut. */
export const MASK_MARGIN_UNITS = 16 * 1024

/** The steps of a turn and the host's own marks: they hold nothing that could be read. */
const MARKS: ReadonlySet<string> = new Set(["step-start", "step-finish", "snapshot", "retry", "agent"])

/** The content of a message with its flags. */
export function messageContent(message: Message, options: ContentOptions): MessageContent {
  const pieces: string[] = []
  let room = options.maxChars + MASK_MARGIN_UNITS
  let unseen = false
  let results = false
  let other = message.malformed > 0
  for (const part of message.parts) {
    if (isOther(part)) other = true
    if (part.type === "tool" && hasResult(part) && !options.includeToolResults) results = true
    const piece = pieceOf(part, options.includeToolResults)
    if (piece === undefined) continue
    // Behind the cap only the flags are of interest.
    const kept = sliceUnits(piece, 0, Math.max(0, room))
    unseen ||= kept.length < piece.length
    if (room > 0) pieces.push(kept)
    room -= kept.length + 1
  }
  const clean = cleanText(pieces.join("\n"), options.maskSecrets)
  const cut = cutUnits(clean.text, options.maxChars)
  return {
    content: cut.text,
    truncated: cut.cut || unseen,
    toolResultsOmitted: results,
    otherContentOmitted: other,
    masked: cut.cut && clean.masked > 0 ? (cut.text.match(MASK)?.length ?? 0) : clean.masked,
  }
}

/** The same of a message that only the index holds: of its text as it was indexed, what was asked for. */
export function storedContent(
  message: Pick<StoredMessage, "text" | "cut" | "lost" | "leftOut">,
  options: Pick<ContentOptions, "maxChars" | "maskSecrets">,
): MessageContent {
  const clean = cleanText(message.text, options.maskSecrets)
  const cut = cutUnits(clean.text, options.maxChars)
  return {
    content: cut.text,
    truncated: message.cut || message.lost > 0 || cut.cut,
    toolResultsOmitted: message.leftOut?.includes("tool") ?? false,
    otherContentOmitted: true,
    masked: clean.masked,
  }
}

/** Text from history without terminal escapes, lone surrogates and, unless switched off, known secrets. */
export function cleanText(text: string, mask: boolean): { readonly text: string; readonly masked: number } {
  const plain = repairText(stripAnsi(text))
  return mask ? maskSecrets(plain) : { text: plain, masked: 0 }
}

const MASK = /\[secret: [^\][\n]*\]/g

/** A tool's name as one short line. */
export function toolName(name: string): string {
  return oneLine(sliceUnits(name.trim(), 0, MAX_TOOL_NAME_UNITS))
}

function isOther(part: Part): boolean {
  switch (part.type) {
    case "text":
      return part.synthetic || part.ignored
    case "tool":
      return (
        Object.keys(part.input).length > 0 ||
        Object.keys(part.metadata).length > 0 ||
        part.attachments !== undefined
      )
    case "other":
      return !MARKS.has(part.kind)
    case "reasoning":
      return part.text !== ""
    case "file":
      return true
    case "compaction":
    case "patch":
      return false
  }
}

function pieceOf(part: Part, results: boolean): string | undefined {
  if (part.type === "text") return part.synthetic || part.ignored || part.text === "" ? undefined : part.text
  if (part.type === "tool") return `[tool: ${toolName(part.tool)}]${resultOf(part, results)}`
  if (part.type === "compaction") return "[compaction: what is above was summarised]"
  return undefined
}

function resultOf(part: ToolPart, results: boolean): string {
  if (!hasResult(part)) return part.status === "completed" ? "" : `\n[${part.status}]`
  if (!results) return "\n[tool results omitted]"
  const said = part.status === "error" ? `[error] ${part.error}` : part.output
  // The files first: what stands behind an output may be cut with it.
  return [...attachmentLabels(part.attachments), said]
    .map((line) => (line === "" ? "" : `\n${line}`))
    .join("")
}

function hasResult(part: ToolPart): boolean {
  if (part.attachments !== undefined) return true
  return (part.status === "completed" && part.output !== "") || (part.status === "error" && part.error !== "")
}
