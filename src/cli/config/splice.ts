import { createScanner, type Node } from "jsonc-parser"

// Puts one member into a list or object of a JSONC text, or takes one out, and touches nothing else: comments stay
// with their lines, a trailing comma stays a trailing comma, a list on one line stays on one line. Pure.

/** The scanner's kinds of tokens that matter here; its own enum exists for its types only. */
const TOKENS = { comma: 5, lineBreak: 14, space: 15, end: 17 } as const

/** The text with a new last member in `parent`. `indent` is one step of the text's own indentation. */
export function insertLast(text: string, parent: Node, member: string, indent: string): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n"
  const last = parent.children?.at(-1)
  if (last === undefined) {
    const open = parent.offset + 1
    const inside = text.slice(open, parent.offset + parent.length - 1)
    if (parent.type === "array") return splice(text, open, open, inside.trim() === "" ? member : `${member} `)
    const own = lineIndent(text, parent.offset)
    const close = inside.includes("\n") ? "" : eol + own
    return splice(text, open, open, `${eol}${own}${indent}${member}${close}`)
  }
  const end = last.offset + last.length
  const comma = commaIn(text, end, parent.offset + parent.length - 1)
  const before = text.slice(lineStart(text, last.offset), last.offset)
  if (before.trim() !== "") {
    // Members share a line.
    return comma === undefined
      ? splice(text, end, end, `, ${member}`)
      : splice(text, comma, comma + 1, `, ${member},`)
  }
  const line = `${eol}${before}${member}${comma === undefined ? "" : ","}`
  const place = endOfLineTokens(
    text,
    comma === undefined ? end : comma + 1,
    parent.offset + parent.length - 1,
  )
  const withMember = splice(text, place, place, line)
  return comma === undefined ? splice(withMember, end, end, ",") : withMember
}

/** The text without that member of `parent`, and without the comma that it no longer needs. */
export function removeMember(text: string, parent: Node, index: number): string {
  const member = parent.children?.[index]
  if (member === undefined) return text
  const end = member.offset + member.length
  const close = parent.offset + parent.length - 1
  const next = parent.children?.[index + 1]
  const comma = commaIn(text, end, next?.offset ?? close)
  const previous = parent.children?.[index - 1]
  if (comma === undefined && previous !== undefined) {
    const between = commaIn(text, previous.offset + previous.length, member.offset) ?? member.offset
    const joined = text.slice(between + 1, member.offset).trim() === ""
    if (joined) return splice(text, between, end, "")
    return splice(cutLine(text, member.offset, end), between, between + 1, "")
  }
  if (comma !== undefined && text.slice(end, comma).trim() !== "")
    return cutLine(splice(text, comma, comma + 1, ""), member.offset, end)
  return cutLine(text, member.offset, comma === undefined ? end : comma + 1)
}

/** Removes a stretch, with its line when nothing else stands on it, else with the spaces behind it. */
function cutLine(text: string, start: number, end: number): string {
  const from = lineStart(text, start)
  const feed = text.indexOf("\n", end)
  const to = feed < 0 ? text.length : feed + 1
  if (feed >= 0 && text.slice(from, start).trim() === "" && text.slice(end, to).trim() === "")
    return splice(text, from, to, "")
  const spaces = /^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0
  return splice(text, start, end + spaces, "")
}

/** Where the first comma token between two places stands. */
function commaIn(text: string, from: number, to: number): number | undefined {
  return tokens(text, from, to).find((token) => token.kind === TOKENS.comma)?.start
}

/** The end of what stands on the line behind `from`: comments there belong to what is before them. */
function endOfLineTokens(text: string, from: number, to: number): number {
  let end = from
  for (const token of tokens(text, from, to)) {
    if (token.kind === TOKENS.lineBreak) break
    if (token.kind !== TOKENS.space) end = token.end
  }
  return end
}

function tokens(text: string, from: number, to: number) {
  const scanner = createScanner(text.slice(from, to), false)
  const found: { kind: number; start: number; end: number }[] = []
  for (let kind: number = scanner.scan(); kind !== TOKENS.end; kind = scanner.scan()) {
    const start = from + scanner.getTokenOffset()
    found.push({ kind, start, end: start + scanner.getTokenLength() })
  }
  return found
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1
}

function lineIndent(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, at)))?.[0] ?? ""
}

function splice(text: string, start: number, end: number, put: string): string {
  return text.slice(0, start) + put + text.slice(end)
}
