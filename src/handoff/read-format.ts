import { sliceUnits } from "../text/unicode.ts"
import type { LineStyle, Page } from "./read-file.ts"
import type { LineRange } from "./spellings.ts"

// What a host's own Read tool prints, by version. The four forms were measured on released hosts; a form is
// never changed here, a new one is added when a host changes.

export type ReadFormat = LineStyle & {
  readonly name: "classic" | "tagged-1.1" | "tagged-1.3" | "tagged"
  /** The line in front of the body. */
  header(path: string, range: LineRange | undefined): string
  /** The body; its size is at most the page's lines with their prefixes plus `frameBytes`. */
  body(path: string, page: Page): string
  /** Bytes of a body around its lines, at most. */
  frameBytes(path: string): number
}

/** Lines of one read; every host's number. */
export const MAX_LINES = 2000
/** UTF-16 units after which a line is cut; every host's number. */
export const MAX_LINE_UNITS = 2000
/** Bytes of line text in one read; every host's number. */
export const HOST_CAP_BYTES = 50 * 1024

/** Digits of a line number in the classic form; longer numbers stay whole. */
const CLASSIC_DIGITS = 5
/** Around a body: tags, the longest ending, three numbers. */
const FRAME_BYTES = 200

/** The form of a host's version; the newest for an unknown or later one. `numbered` is classic for any host. */
export function formatFor(hostVersion: string | undefined, option: "auto" | "numbered"): ReadFormat {
  if (option === "numbered") return NUMBERED
  const version = versionNumber(hostVersion)
  if (version === undefined || version >= versionOf(1, 14, 34)) return TAGGED
  if (version >= versionOf(1, 3, 0)) return TAGGED_1_3
  return version >= versionOf(1, 1, 65) ? TAGGED_1_1 : CLASSIC
}

const CLASSIC: ReadFormat = {
  ...lineStyle("...", true),
  name: "classic",
  prefixBytes: (line) => classicPrefix(line).length,
  header: (path, range) => header(path, range, 0),
  frameBytes: () => FRAME_BYTES,
  body: (_path, page) => `<file>\n${numberedLines(page, classicPrefix)}\n\n${oldEnding(page)}\n</file>`,
}

/** For any host: no cap in bytes but the budget, and a cut never inside a character. */
const NUMBERED: ReadFormat = {
  ...CLASSIC,
  capBytes: Infinity,
  maxRangeLines: MAX_LINES,
  header: (path, range) => header(path, range, 1),
  cutLine: (head) => `${sliceUnits(head, 0, MAX_LINE_UNITS)}...`,
}

const TAGGED_1_1: ReadFormat = {
  ...tagged("tagged-1.1", ""),
  ...lineStyle("...", true),
  body: (path, page) => taggedBody(path, "", page, oldEnding(page)),
}
const TAGGED_1_3: ReadFormat = tagged("tagged-1.3", "")
const TAGGED: ReadFormat = tagged("tagged", "\n")

function tagged(name: ReadFormat["name"], opening: string): ReadFormat {
  return {
    ...lineStyle(`... (line truncated to ${MAX_LINE_UNITS} chars)`, false),
    name,
    prefixBytes: (line) => taggedPrefix(line).length,
    header: (path, range) => header(path, range, 1),
    frameBytes: (path) => FRAME_BYTES + Buffer.byteLength(path),
    body: (path, page) => taggedBody(path, opening, page, ending(page)),
  }
}

function lineStyle(lineSuffix: string, emptyLastLine: boolean) {
  return {
    maxLines: MAX_LINES,
    maxRangeLines: Infinity,
    maxLineUnits: MAX_LINE_UNITS,
    capBytes: HOST_CAP_BYTES,
    // Between the halves of a pair too, as the hosts cut.
    cutLine: (head: string) => head.slice(0, MAX_LINE_UNITS) + lineSuffix,
    emptyLastLine,
  }
}

function taggedBody(path: string, opening: string, page: Page, ending: string): string {
  const lines = numberedLines(page, taggedPrefix)
  return `<path>${path}</path>\n<type>file</type>\n<content>${opening}${lines}\n\n${ending}\n</content>`
}

function numberedLines(page: Page, prefix: (line: number) => string): string {
  return page.lines.map((line, index) => prefix(page.first + index) + line).join("\n")
}

const taggedPrefix = (line: number): string => `${line}: `
const classicPrefix = (line: number): string => `${String(line).padStart(CLASSIC_DIGITS, "0")}| `

/** A total that is not known is left out rather than guessed. */
function ending(page: Page): string {
  const last = page.first + page.lines.length - 1
  if (page.end === "file") return `(End of file - total ${page.total ?? last} lines)`
  const next = `Use offset=${last + 1} to continue.)`
  if (page.end === "cap")
    return `(Output capped at ${HOST_CAP_BYTES / 1024} KB. Showing lines ${page.first}-${last}. ${next}`
  const total = page.total === undefined ? "" : ` of ${page.total}`
  return `(Showing lines ${page.first}-${last}${total}. ${next}`
}

function oldEnding(page: Page): string {
  const last = page.first + page.lines.length - 1
  if (page.end === "file") return `(End of file - total ${page.total ?? last} lines)`
  const start = page.end === "cap" ? `(Output truncated at ${HOST_CAP_BYTES} bytes.` : "(File has more lines."
  return `${start} Use 'offset' parameter to read beyond line ${last})`
}

/** `base` is the number the host gives the first line. */
function header(path: string, range: LineRange | undefined, base: number): string {
  const limit = range?.end === undefined ? {} : { limit: range.end - range.start + 1 }
  const input = range === undefined ? {} : { offset: range.start - 1 + base, ...limit }
  return `Called the Read tool with the following input: ${JSON.stringify({ filePath: path, ...input })}`
}

function versionNumber(version: string | undefined): number | undefined {
  const [, major, minor, patch] = /^v?(\d{1,4})\.(\d{1,4})\.(\d{1,4})(?:[-+].*)?$/s.exec(version ?? "") ?? []
  const number = major === undefined ? 0 : versionOf(Number(major), Number(minor), Number(patch))
  // Builds from a branch call themselves 0.0.0-…: new ones, not old ones.
  return number === 0 ? undefined : number
}

function versionOf(major: number, minor: number, patch: number): number {
  return (major * 10_000 + minor) * 10_000 + patch
}
