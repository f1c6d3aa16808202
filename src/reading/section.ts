// A message as one section of a transcript. Its text is data: it can not open a section, end the transcript or
// pass for a tool line, and carries no escape sequences.

import { attachmentLabels } from "../session/attachment.ts"
import type { FilePart, Message, Part, ToolPart } from "../session/model.ts"
import { stripAnsi } from "../text/ansi.ts"
import { cutUnits } from "../text/cut.ts"
import { oneLine, printableLines } from "../text/printable.ts"
import { maskSecrets } from "../text/secrets.ts"

/** Titles and errors are one line each in a transcript; the whole text is for tools that read parts. */
export const MAX_LINE_UNITS = 300

/** A tool's name as it is shown: real ones take a fraction. */
export const MAX_TOOL_NAME_UNITS = 100

export type Section = {
  readonly text: string
  /** Secrets masked in it. */
  readonly masked: number
  /** UTF-16 units left out of it. */
  readonly cutUnits: number
}

export type SectionRules = {
  readonly maskSecrets: boolean
  /** A text longer than this is cut before any work is done on it. */
  readonly maxTextUnits: number
  /** What may be looked at of all texts of an answer, in UTF-16 units; each section takes from it. */
  readonly budget: { units: number }
}

/** Whether a message has anything to show; cheaper than its section. */
export function hasSection(message: Message): boolean {
  return message.parts.some((part) => {
    if (part.type === "text") return !part.synthetic && !part.ignored && part.text.trim() !== ""
    if (part.type === "file") return message.role === "user"
    return part.type === "tool" && message.role === "assistant" && isFinished(part)
  })
}

/** The message's section, or undefined when it has nothing to show: only step marks, reasoning, hidden text. */
export function sectionOf(message: Message, rules: SectionRules): Section | undefined {
  const tally = { masked: 0, cutUnits: 0 }
  const lines = message.parts.map((part) => shown(part)).filter((line) => line !== "")
  if (lines.length === 0) return undefined
  return { text: [heading(message), ...lines].join("\n"), ...tally }

  function shown(part: Part): string {
    switch (part.type) {
      case "text":
        return part.synthetic || part.ignored ? "" : escapeStructure(cleanText(part.text))
      case "file":
        return message.role === "user" ? `[Attached: ${line(nameOf(part), MAX_LINE_UNITS)}]` : ""
      case "tool":
        return message.role === "assistant" && isFinished(part) ? toolLine(part) : ""
      case "reasoning":
      case "patch":
      case "compaction":
      case "other":
        return ""
    }
  }

  function toolLine(part: ToolPart): string {
    const name = `[Tool: ${line(part.tool, MAX_TOOL_NAME_UNITS)}]`
    const files = attachmentLabels(part.attachments).map((label) => ` ${line(label, MAX_LABEL_UNITS)}`)
    if (part.status === "completed")
      return `${name} ${line(part.title, MAX_LINE_UNITS)}`.trimEnd() + files.join("")
    return `${name} failed: ${line(firstLine(part.error), MAX_LINE_UNITS)}`.trimEnd() + files.join("")
  }

  function line(text: string, maxUnits: number): string {
    // Masked before the cut, so that no half of a secret is left; the margin keeps the masking bounded.
    const short = cutUnits(oneLine(masked(stripAnsi(cutUnits(text, LINE_MARGIN_UNITS).text))), maxUnits)
    return short.cut ? `${short.text}…` : short.text
  }

  function cleanText(text: string): string {
    const room = Math.min(rules.maxTextUnits, rules.budget.units)
    const kept = text.length <= room ? text : cutAtSpace(text, room)
    rules.budget.units -= kept.length
    tally.cutUnits += text.length - kept.length
    const clean = printableLines(masked(stripAnsi(kept))).trim()
    return clean === "" && kept.length < text.length ? "…" : clean
  }

  function masked(text: string): string {
    if (!rules.maskSecrets) return text
    const result = maskSecrets(text)
    tally.masked += result.masked
    return result.text
  }
}

/** A file's name and kind, as they are shortened already. */
const MAX_LABEL_UNITS = 1_000

/** How much of a title or an error is looked at. */
const LINE_MARGIN_UNITS = 4_096

function isFinished(tool: ToolPart): boolean {
  return tool.status === "completed" || tool.status === "error"
}

function heading(message: Message): string {
  if (message.role === "user") return "## User"
  return message.summary ? "## Summary (compaction)" : "## Assistant"
}

function nameOf(file: FilePart): string {
  if (file.filename !== "") return file.filename
  return file.url.startsWith("data:")
    ? "file"
    : (file.url.split(/[?#]/, 1)[0]?.split("/").at(-1) ?? "") || "file"
}

function firstLine(error: string): string {
  return /[^\r\n]+/.exec(error)?.[0].trim() ?? ""
}

/** Cut after a space near the end, where there is one: a secret is not cut into a half that is not known as one. */
function cutAtSpace(text: string, maxUnits: number): string {
  const kept = cutUnits(text, maxUnits).text
  const space = kept.slice(-LINE_MARGIN_UNITS).search(/\s\S*$/)
  return space < 0 ? kept : kept.slice(0, Math.max(0, kept.length - LINE_MARGIN_UNITS) + space)
}

/** A backslash before every line of a text that reads as a part of the transcript itself. */
function escapeStructure(text: string): string {
  return text.replaceAll(STRUCTURE, "$1\\$2")
}

const STRUCTURE =
  /^([^\S\n]{0,8})(#{1,6}[^\S\n]{0,8}(?:user|assistant|summary)\b|\[(?:tool|attached):|\((?:showing \d|end of session))/gim
