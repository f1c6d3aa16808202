// A message as session_read shows it: its text, and its tool calls when asked. Every cut says how much it cut.

import type { StoredMessage } from "../../history/contract.ts"
import { cleanText, MASK_MARGIN_UNITS, toolName } from "../../reading/content.ts"
import { attachmentLabels } from "../../session/attachment.ts"
import type { Message, Role, ToolPart } from "../../session/model.ts"
import { stripAnsi } from "../../text/ansi.ts"
import { cutJsonBytes, cutUnits } from "../../text/cut.ts"
import { sliceUnits } from "../../text/unicode.ts"
import { TEXT_MAX_UNITS, TOOL_MAX_UNITS } from "../definitions/sessions.ts"
import { fitAround, itemBytes } from "./json.ts"

/** Cap of an attachment's name: the longest a file system takes is 255 bytes. */
export const FILE_NAME_MAX_UNITS = 300

/**
 * What is looked at of one message's tool calls, in UTF-16 units: several times what an answer holds, and a few
 * milliseconds of the host's thread. Calls behind it are counted.
 */
export const CALLS_LOOKED_AT_UNITS = 256 * 1024

/** Attachments of a message that are named. */
export const FILES_NAMED_MAX = 100

/** Cap of a label of a file in a result: its name and its kind. */
const LABEL_MAX_UNITS = 1_000

export type EntryOptions = { readonly tools: boolean; readonly maskSecrets: boolean }

export type SessionEntry = {
  readonly index: number
  readonly role: Role | "compaction"
  readonly text: string
  readonly tools?: number | readonly ToolEntry[]
  /** Calls that did not fit. */
  readonly toolsLeftOut?: number
  /** Images and other files in the results of its calls, also of those that are only counted. */
  readonly toolFiles?: number
  readonly files?: readonly string[]
}

export type ToolEntry = {
  readonly tool: string
  readonly status: ToolPart["status"]
  readonly input: string
  readonly output: string
  /** Images and other files of the result, by name: `[image: shot.png, image/png]`. */
  readonly files?: readonly string[]
}

type Made = { readonly entry: SessionEntry | undefined; readonly masked: number }

/** The message, or nothing for one that holds neither text nor tools nor files. */
export function messageEntry(message: Message, index: number, options: EntryOptions): Made {
  const shorten = shortener(options.maskSecrets)
  const texts = message.parts.flatMap((part) =>
    part.type === "text" && !part.synthetic && !part.ignored && part.text !== "" ? [part.text] : [],
  )
  const calls = message.parts.filter((part) => part.type === "tool")
  const attached = message.parts.filter((part) => part.type === "file")
  const files = attached
    .slice(0, FILES_NAMED_MAX)
    .map((part) =>
      shorten.cut(sliceUnits(part.filename || part.mime, 0, 2 * FILE_NAME_MAX_UNITS), FILE_NAME_MAX_UNITS),
    )
  if (attached.length > files.length) files.push(`… ${attached.length - files.length} more`)
  if (texts.length + calls.length + files.length === 0) return { entry: undefined, masked: 0 }
  const toolFiles = calls.reduce((sum, call) => sum + (call.attachments?.length ?? 0), 0)
  const tools = options.tools ? callEntries() : calls.length
  const callsLeftOut = typeof tools === "object" ? calls.length - tools.length : 0
  const entry = {
    index,
    role: message.summary ? ("compaction" as const) : message.role,
    text: shorten.cut(texts.join("\n"), TEXT_MAX_UNITS),
    ...(calls.length === 0 ? {} : { tools }),
    ...(callsLeftOut === 0 ? {} : { toolsLeftOut: callsLeftOut }),
    ...(toolFiles === 0 ? {} : { toolFiles }),
    ...(files.length === 0 ? {} : { files }),
  }
  return { entry, masked: shorten.masked() }

  function callEntries(): ToolEntry[] {
    const made: ToolEntry[] = []
    const before = shorten.lookedAt()
    for (const call of calls) {
      if (shorten.lookedAt() - before > CALLS_LOOKED_AT_UNITS) break
      made.push({
        tool: toolName(call.tool),
        status: call.status,
        input: shorten.cut(inputText(call), TOOL_MAX_UNITS),
        output: shorten.cut(call.status === "error" ? call.error : call.output, TOOL_MAX_UNITS),
        ...(call.attachments === undefined
          ? {}
          : {
              files: attachmentLabels(call.attachments).map((label) => shorten.cut(label, LABEL_MAX_UNITS)),
            }),
      })
    }
    return made
  }
}

/** A message of which only the index's text is left; tool calls that are not in it are counted. */
export function storedEntry(message: StoredMessage, options: EntryOptions): Made {
  const shorten = shortener(options.maskSecrets)
  const lost = message.lost === 0 ? "" : `\n[${message.lost} characters were never indexed]`
  const calls = message.leftOut?.filter((kind) => kind === "tool-input").length ?? 0
  const entry = {
    index: message.index,
    role: message.summary ? ("compaction" as const) : message.role,
    text: shorten.cut(message.text, TEXT_MAX_UNITS) + lost,
    ...(calls === 0 ? {} : { tools: calls }),
  }
  return { entry: message.text === "" && calls === 0 ? undefined : entry, masked: shorten.masked() }
}

/** The entry cut to `maxBytes` of JSON: first tool calls go, counted, then the text's end. */
export function fitEntry(entry: SessionEntry, maxBytes: number): SessionEntry {
  if (itemBytes(entry) <= maxBytes) return entry
  const calls = typeof entry.tools === "object" ? entry.tools : []
  const { toolsLeftOut = 0, ...whole } = entry
  const total = typeof entry.tools === "object" ? calls.length + toolsLeftOut : entry.tools
  let shown: SessionEntry = { ...whole, ...(total === undefined ? {} : { tools: total }) }
  if (itemBytes({ ...shown, text: "" }) > maxBytes) shown = { ...shown, files: [] }
  const left = maxBytes - itemBytes({ ...shown, text: "" }) - CUT_NOTE_BYTES
  const text = cutJsonBytes(shown.text, Math.max(0, left))
  if (text.cut) return { ...shown, text: `${text.text}${cutNote(text.totalUnits - text.keptUnits)}` }
  const kept = calls.slice(0, fitAround(calls.map(itemBytes), 0, left - text.totalBytes).end)
  if (itemBytes({ ...shown, tools: kept }) > maxBytes || kept.length === 0) return shown
  return { ...shown, tools: kept, toolsLeftOut: calls.length - kept.length + toolsLeftOut }
}

/**
 * The input as JSON. Escape sequences go first: written out by JSON they would stay, and hide where a secret begins.
 * What is far behind the cap stays as it is; it only counts.
 */
function inputText(call: ToolPart): string {
  let left = TOOL_MAX_UNITS + MASK_MARGIN_UNITS
  return JSON.stringify(call.input, (_name, value: unknown) => {
    if (typeof value !== "string" || left <= 0) return value
    const start = sliceUnits(value, 0, left)
    left -= start.length
    return stripAnsi(start) + value.slice(start.length)
  })
}

/** Bytes kept for the words of a cut. */
const CUT_NOTE_BYTES = 64

function cutNote(units: number): string {
  return `… [${units} characters cut]`
}

/** Cuts texts and counts the secrets it masked. */
function shortener(mask: boolean) {
  let masked = 0
  let lookedAt = 0
  return {
    masked: () => masked,
    /** UTF-16 units so far. */
    lookedAt: () => lookedAt,
    cut(text: string, maxUnits: number): string {
      const start = sliceUnits(text, 0, maxUnits + MASK_MARGIN_UNITS)
      lookedAt += start.length
      const clean = cleanText(start, mask)
      const cut = cutUnits(clean.text, maxUnits)
      const left = text.length - cut.keptUnits
      masked += clean.masked
      return cut.cut || text.length > maxUnits + MASK_MARGIN_UNITS ? cut.text + cutNote(left) : cut.text
    },
  }
}
