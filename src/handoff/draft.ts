import { promptLines } from "./lines.ts"
import { isSessionID } from "./session-id.ts"
import { tokenName } from "./spellings.ts"

// The text of a draft, and how a sent one is recognised: the marker stands on a line of its own, outside
// code, unquoted and not indented. Anything else that holds the sentence is only text.

const MARKER_BEFORE = "Continuing work from session "
const MARKER_AFTER = ". Use read_session if you need details not included here."

export type Draft = {
  readonly sourceSessionID: string
  /** As `normaliseFiles` returns them. */
  readonly files: readonly string[]
  readonly prompt: string
}

export type Marker = {
  readonly sourceSessionID: string
  /** Number of the marker's line, counted from 0. */
  readonly line: number
}

/** The sentence that ties a draft to the session it came from. */
export function markerSentence(sourceSessionID: string): string {
  return MARKER_BEFORE + sourceSessionID + MARKER_AFTER
}

/**
 * The draft: marker, the line of files if there are any, prompt, final newline. Starts with the marker, so
 * never with a command, and ends with a newline, so the host's completion of an `@path` does not open.
 */
export function buildDraft(draft: Draft): string {
  const sections = [markerSentence(draft.sourceSessionID)]
  const files = draft.files.map(withoutControls).filter((file) => file !== "")
  if (files.length > 0) sections.push(files.map(writeReference).join(" "))
  const prompt = plainText(draft.prompt)
  if (prompt !== "") sections.push(prompt)
  return sections.join("\n\n") + "\n"
}

/**
 * File names as a tool's caller may write them: `a.ts`, `@a.ts`, `@"a b.ts"`, `"a b.ts"`. One leading `@`
 * and the quotes go; blanks and duplicates are dropped; the order is kept.
 */
export function normaliseFiles(files: readonly string[]): string[] {
  return [...new Set(files.map(normaliseFile))].filter((file) => file !== "")
}

/** The first marker of a sent draft, or undefined when `text` is not one. */
export function findMarker(text: string): Marker | undefined {
  for (const [line, { text: content, fenced }] of promptLines(text).entries()) {
    if (fenced || !content.startsWith(MARKER_BEFORE)) continue
    const sentence = content.trimEnd()
    if (!sentence.endsWith(MARKER_AFTER)) continue
    const sourceSessionID = sentence.slice(MARKER_BEFORE.length, -MARKER_AFTER.length)
    if (isSessionID(sourceSessionID)) return { sourceSessionID, line }
  }
  return undefined
}

function normaliseFile(file: string): string {
  const bare = withoutControls(file).trim().replace(/^@/, "").trim()
  const [, quoted, range = ""] = /^"(?!")([^"\\]*(?:\\.[^"\\]*)*)"(#\S*)?$/.exec(bare) ?? []
  return quoted === undefined ? bare : quoted.replace(/\\(["\\])/g, "$1").trim() + range
}

/** Quoted unless the bare form names exactly this path: no blank, quote, backtick or prose punctuation in it. */
function writeReference(path: string): string {
  const bare =
    !/[\s`"@\u200b\u2060]/u.test(path) && tokenName(path) === path && /^.{0,8}[\p{L}\p{N}\p{So}_]/u.test(path)
  return bare ? `@${path}` : `@"${path.replace(/["\\]/g, "\\$&")}"`
}

/** Line breaks as LF, tabs kept, other control characters dropped, no lone surrogates. */
function plainText(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\n\t]/gu, "")
    .replace(/\p{Cs}/gu, "\ufffd")
    .replace(/^(?:[^\S\n]*\n)+/, "")
    .trimEnd()
}

function withoutControls(path: string): string {
  return path.replace(/\p{Cc}/gu, "").replace(/\p{Cs}/gu, "\ufffd")
}
