import { findMarker } from "./draft.ts"
import { promptLines, type PromptLine } from "./lines.ts"
import { looksLikePath } from "./path-shape.ts"
import {
  bareSpellings,
  LINE_RANGE,
  lineRange,
  NO_SPACE_SCRIPT,
  readings,
  tokenName,
  type Spelling,
} from "./spellings.ts"

// `@` references of a prompt: `@path`, `@./path`, `@"quoted path"`, `@path#10-40`, `@path:10-40`. Code, e-mail addresses
// and web addresses hold none. Where the parser cannot know what is meant it lists every reading.

export type Reference = {
  /** Index of the `@` in the prompt, in UTF-16 units. */
  readonly offset: number
  /** How a note calls it. */
  readonly name: string
  readonly quoted: boolean
  /** On the line of files the draft was made with. */
  readonly onFileLine: boolean
  /** What it may mean, in the order to try. Never empty. */
  readonly spellings: readonly Spelling[]
  /** False for text like `@decorator` or `@scope/package`: no reference unless a file has that name. */
  readonly meantAsFile: boolean
}

/** References looked at in one prompt. Each may cost a few dozen stat calls; real drafts hold 20. */
export const MAX_REFERENCES = 1000
/** Longest token looked at: the longest path Linux takes. */
export const MAX_TOKEN_UNITS = 4096
/** Longest bare token: prose without spaces (CJK) runs on, and the readings of a long token cost stat calls. */
export const MAX_BARE_UNITS = 1024

const POINTS = /`+|@|[A-Za-z][A-Za-z0-9+.-]{0,30}:\/\/[^\s<>"'`)\]]*/gu
const BARE = new RegExp(`[^\\s\`\\p{Cc}\\u200b\\u2060]{1,${MAX_BARE_UNITS}}`, "uy")
/** A name has a letter or digit near its start: told before the whole token is looked at. */
const NAMED = /(?:(?:~|\.{0,2})[/\\])*[^\s`\p{Cc}\u200b\u2060]{0,8}?[\p{L}\p{N}\p{So}_]/uy
/** What may follow a closing quote: a line range. */
const RANGE = new RegExp(`(?:${LINE_RANGE})?`, "uy")
/** A letter, digit or mark of a script written with spaces; emoji variation marks are none. */
const WORD_BEFORE = new RegExp(`(?![${NO_SPACE_SCRIPT}\\ufe00-\\ufe0f\\u20e3])[\\p{L}\\p{N}\\p{M}]$`, "u")
/** What stands behind a reference on the line of files: behind its closing quote, and behind a bare `@`. */
const QUOTED_REST = /(?:[#:][\d\-–:CL]+)?(?:[ \t]+|$)/uy
const BARE_REST = /[^\s"]\S*(?:[ \t]+|$)/uy

/** The references of `text` in order, at most MAX_REFERENCES. Linear in the text; never throws. */
export function parseReferences(text: string): Reference[] {
  const lines = promptLines(text)
  const fileLine = findFileLine(text, lines)
  const references: Reference[] = []
  for (const line of lines) {
    if (references.length >= MAX_REFERENCES) break
    if (!line.fenced) references.push(...lineReferences(line, line === fileLine))
  }
  return references.slice(0, MAX_REFERENCES)
}

/** The draft's own line of files: the first line with text after the marker, when it holds nothing else. */
function findFileLine(text: string, lines: readonly PromptLine[]): PromptLine | undefined {
  const marker = findMarker(text)
  if (marker === undefined) return undefined
  const next = lines.slice(marker.line + 1).find((line) => line.text.trim() !== "")
  return next !== undefined && isFileLine(next.text) ? next : undefined
}

function isFileLine(line: string): boolean {
  let at = 0
  while (line[at] === "@") {
    const closing = line[at + 1] === '"' ? closingQuote(line, at + 1) : undefined
    if (closing === -1) return false
    const rest = closing === undefined ? BARE_REST : QUOTED_REST
    rest.lastIndex = (closing ?? at) + 1
    if (!rest.test(line)) return false
    at = rest.lastIndex
  }
  return at === line.length && at > 0
}

function lineReferences(line: PromptLine, onFileLine: boolean): Reference[] {
  const references: Reference[] = []
  const closers = backtickRuns(line.text)
  let from = 0
  for (;;) {
    POINTS.lastIndex = from
    const point = POINTS.exec(line.text)
    if (point === null || references.length >= MAX_REFERENCES) return references
    from = point.index + point[0].length
    if (point[0].startsWith("`")) {
      from = closers(point[0].length, from) ?? from
      continue
    }
    if (point[0] !== "@" || !mayStart(line.text, point.index)) continue
    const found = quotedAt(line.text, from) ?? bareAt(line.text, from)
    if (found === undefined) continue
    const { end, ...reference } = found
    references.push({
      ...reference,
      offset: line.start + point.index,
      onFileLine,
      meantAsFile: reference.meantAsFile || onFileLine,
    })
    from = end
  }
}

type Found = Omit<Reference, "offset" | "onFileLine"> & {
  /** Where to look for the next one. */
  readonly end: number
}

function quotedAt(line: string, index: number): Found | undefined {
  const closing = line[index] === '"' ? closingQuote(line, index) : -1
  if (closing === -1) return undefined
  RANGE.lastIndex = closing + 1
  const [range = "", first, last] = RANGE.exec(line) ?? []
  const written = line.slice(index + 1, closing)
  const end = closing + 1 + range.length
  if (end - index > MAX_TOKEN_UNITS || written.trim() === "") return undefined
  const length = end - index + 1
  const paths = [...new Set([written.replace(/\\(["\\])/g, "$1"), written])]
  const spellings =
    first === undefined
      ? paths.flatMap((path) => readings(path, length, false))
      : paths.map((path) => ({ path, range: lineRange(first, last), length, guess: false }))
  return { name: (paths[0] ?? written) + range, quoted: true, spellings, meantAsFile: true, end }
}

/**
 * Index of the quote that closes the one at `open`; -1 without one before the next control character. A backslash
 * hides a quote, but not the only one there is: a Windows folder ends with a backslash. A plain scan: as a regular
 * expression Bun takes a hundred times as long for a long one.
 */
function closingQuote(line: string, open: number): number {
  let hidden = -1
  let escaped = false
  for (let at = open + 1; at < line.length; at++) {
    const unit = line.charCodeAt(at)
    if (unit < 0x20 || (unit >= 0x7f && unit <= 0x9f)) break
    if (unit === QUOTE && !escaped) return at
    if (unit === QUOTE && hidden === -1) hidden = at
    escaped = unit === BACKSLASH && !escaped
  }
  return hidden
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

function bareAt(line: string, index: number): Found | undefined {
  BARE.lastIndex = index
  NAMED.lastIndex = index
  const token = NAMED.test(line) ? (BARE.exec(line)?.[0] ?? "") : ""
  const name = tokenName(token)
  if (!/[\p{L}\p{N}\p{So}_]/u.test(name)) return undefined
  // The search goes on inside the token: in `@a.ts,@b.ts` both are meant.
  return {
    name,
    quoted: false,
    spellings: bareSpellings(token),
    meantAsFile: looksLikePath(name),
    end: index + 1,
  }
}

/** False behind a word, a path, another `@` or a backtick. Underscores count as Markdown around a word. */
function mayStart(line: string, index: number): boolean {
  const before = line.slice(Math.max(0, index - 64), index)
  if (/[`@/\\]$/.test(before)) return false
  return !WORD_BEFORE.test(before.replace(/(?<!_)_+$/, ""))
}

/** Finds the end of inline code: the next run of as many backticks on the line. */
function backtickRuns(line: string): (length: number, from: number) => number | undefined {
  const ends = new Map<number, number[]>()
  for (const run of line.matchAll(/`+/g)) {
    const list = ends.get(run[0].length) ?? []
    list.push(run.index + run[0].length)
    ends.set(run[0].length, list)
  }
  for (const list of ends.values()) list.reverse()
  return (length, from) => {
    const list = ends.get(length) ?? []
    while ((list.at(-1) ?? Infinity) <= from) list.pop()
    return list.at(-1)
  }
}
