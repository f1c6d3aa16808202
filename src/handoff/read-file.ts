import type { FileHandle } from "node:fs/promises"
import { isBinary, SAMPLE_BYTES } from "./binary.ts"
import { errorCode } from "./file-errors.ts"
import { lineSplitter } from "./line-splitter.ts"
import { openChecked } from "./open-checked.ts"
import type { LineRange } from "./spellings.ts"

// Reads the lines of one file as the host's Read tool does: in chunks, never whole in memory, waiting for
// each chunk so that the host's event loop runs on. What happens to the file meanwhile is an outcome.

/** One read of the file; also the host's. */
export const CHUNK_BYTES = 64 * 1024
/** Bytes read to count lines beyond the shown ones, for all files of one prompt: about 0.2 s of work. */
export const MAX_SCAN_BYTES = 64 * 1024 * 1024
/** Bytes any file may be read for when that is used up: 20 times the host's cap, so long lines fit too. */
export const MIN_SCAN_BYTES = 1024 * 1024

/** How a host's Read tool shows lines; the formats in read-format.ts. */
export type LineStyle = {
  readonly maxLines: number
  /** Lines shown when a range asks for them. */
  readonly maxRangeLines: number
  readonly maxLineUnits: number
  /** Bytes of all lines with their line breaks, the host's own cap. */
  readonly capBytes: number
  /** True when a final line break counts as one more, empty line. */
  readonly emptyLastLine: boolean
  /** Bytes put in front of a line. */
  prefixBytes(line: number): number
  /** What is shown of a line of more than `maxLineUnits`; `head` is its start, one unit longer. */
  cutLine(head: string): string
}

export type ReadRequest = {
  /** The path as named: its ending tells text from binary. */
  readonly name: string
  readonly range?: LineRange
  readonly style: LineStyle
  /** Room for the lines with their prefixes and line breaks. */
  readonly maxBytes: number
  /** Most bytes to take from the file, 0 or more. */
  readonly scanBytes: number
}

export type Page = {
  /** Long ones cut, as `cutLine` gives them. */
  readonly lines: readonly string[]
  /** Number of the first line, counted from 1. */
  readonly first: number
  /** Lines of the file; unknown when it was not read to its end. */
  readonly total?: number
  /** Where the page ends: with the file, at the lines asked for, at `maxBytes` or at the host's own byte cap. */
  readonly end: "file" | "limit" | "budget" | "cap"
}

export type ReadOutcome = Read & {
  /** Bytes taken from the file. */
  readonly scanned: number
}

type Read =
  | { readonly kind: "page"; readonly page: Page }
  | { readonly kind: "binary"; readonly size: number }
  | { readonly kind: "past the end"; readonly total?: number }
  | { readonly kind: "over the budget" | "missing" | "unreadable" | "not a regular file" | "swapped" }

/** Reads one file. `real` has no symlink left to follow. Never throws for what a file may do. */
export async function readLines(real: string, request: ReadRequest): Promise<ReadOutcome> {
  let handle: FileHandle | undefined
  try {
    handle = await openChecked(real)
    if (handle === undefined) return { kind: "swapped", scanned: 0 }
    const info = await handle.stat()
    if (!info.isFile()) return { kind: "not a regular file", scanned: 0 }
    return await readHandle(handle, info.size, request)
  } catch (error) {
    if (errorCode(error) === "") throw error
    return { kind: errorCode(error) === "ENOENT" ? "missing" : "unreadable", scanned: 0 }
  } finally {
    await handle?.close()
  }
}

async function readHandle(handle: FileHandle, size: number, request: ReadRequest): Promise<ReadOutcome> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  // Drops a byte order mark; bytes of a character that the end cuts off stay unseen, as in the host.
  const decoder = new TextDecoder("utf-8")
  const splitter = lineSplitter(request.style.maxLineUnits)
  const collector = pageCollector(request)
  let scanned = 0
  let complete = false
  let going = true
  while (going && scanned < request.scanBytes) {
    const { bytesRead } = await handle.read(
      buffer,
      0,
      Math.min(CHUNK_BYTES, request.scanBytes - scanned),
      null,
    )
    if (scanned === 0 && isBinary(request.name, buffer.subarray(0, Math.min(bytesRead, SAMPLE_BYTES))))
      return { kind: "binary", size, scanned: bytesRead }
    scanned += bytesRead
    complete = bytesRead === 0
    if (complete) break
    going = splitter.feed(decoder.decode(buffer.subarray(0, bytesRead), { stream: true }), collector.take)
  }
  if (complete) {
    const openLine = request.style.emptyLastLine && splitter.atLineStart()
    splitter.end(collector.take)
    if (openLine) collector.take("")
  }
  return { ...collector.finish(complete), scanned }
}

function pageCollector({ range, style, maxBytes }: ReadRequest) {
  const first = range?.start ?? 1
  const most =
    range?.end === undefined ? style.maxLines : Math.min(range.end - first + 1, style.maxRangeLines)
  const lines: string[] = []
  let count = 0
  let bytes = 0
  let room = maxBytes
  let end: Page["end"] = "file"

  return {
    /** Takes the next line of the file; false when no more are of use. */
    take: (head: string): boolean => {
      count++
      if (count < first || end !== "file") return true
      const line = head.length > style.maxLineUnits ? style.cutLine(head) : head
      const lineBytes = Buffer.byteLength(line)
      const withBreak = lineBytes + (lines.length > 0 ? 1 : 0)
      const cost = style.prefixBytes(count) + lineBytes + 1
      if (lines.length >= most) end = "limit"
      else if (bytes + withBreak > style.capBytes) end = "cap"
      else if (cost > room) end = "budget"
      // The host stops at its byte cap; behind the other limits it reads on to count the lines.
      if (end !== "file") return end !== "cap"
      bytes += withBreak
      room -= cost
      lines.push(line)
      return true
    },
    /** The outcome; `complete` when the file was read to its end. */
    finish: (complete: boolean): Read => {
      const total = complete ? { total: count } : {}
      const isEmptyFile = complete && count === 0 && first === 1
      if (lines.length === 0 && end === "file" && !isEmptyFile)
        return first === 1 ? { kind: "over the budget" } : { kind: "past the end", ...total }
      if (lines.length === 0 && !isEmptyFile) return { kind: "over the budget" }
      // Bytes left unread may hold more lines.
      return {
        kind: "page",
        page: { lines, first, end: complete || end !== "file" ? end : "limit", ...total },
      }
    },
  }
}
