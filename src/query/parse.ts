import { fold } from "../text/fold.ts"
import { shownValue } from "../text/printable.ts"

// The query language: words, "phrases", -exclusions, path: and project:. Everything else a person types is
// literal text, so nothing can be a syntax error but an unclosed quote and a misused qualifier.

/** What `project:` asks for. */
export type ProjectQuery =
  | { readonly kind: "all" }
  | { readonly kind: "id"; readonly id: string }
  | { readonly kind: "path"; readonly path: string }

export type ParsedQuery = {
  /** Words and phrases in the order and spelling of their first appearance. */
  readonly words: readonly string[]
  readonly excluded: readonly string[]
  readonly path?: string
  readonly project?: ProjectQuery
}

export type ParseResult =
  | { readonly ok: true; readonly query: ParsedQuery }
  | { readonly ok: false; readonly error: string }

/** Words and exclusions of one query: a pasted page has fewer, and each is looked up by itself. */
export const MAX_QUERY_WORDS = 1_000

/** The value of `path:` or `project:` as it is read back: both take backslashes as slashes. */
export function quotedValue(value: string): string {
  return `"${value.replaceAll("\\", "/").replaceAll('"', '\\"')}"`
}

/** The parsed query, or one line that repeats the offending piece and says what to write. */
export function parseQuery(text: string): ParseResult {
  const words = new Map<string, string>()
  const excluded = new Map<string, string>()
  const qualifiers = new Map<Qualifier, string>()
  let at = 0
  while (at < text.length) {
    if (isSpace(text.charAt(at))) {
      at++
      continue
    }
    const token = readToken(text, at)
    if (!token.ok) return token
    at = token.end
    if (token.qualifier === undefined) {
      const into = token.negated ? excluded : words
      const key = fold(token.value)
      if (token.value !== "" && !into.has(key)) into.set(key, token.value)
      if (words.size + excluded.size > MAX_QUERY_WORDS) return { ok: false, error: tooMany(text) }
      continue
    }
    const error = misuse(token.qualifier, token.value, token.negated, qualifiers)
    if (error !== undefined) return { ok: false, error }
    qualifiers.set(token.qualifier, token.value)
  }
  const path = qualifiers.get("path")
  const project = qualifiers.get("project")
  return {
    ok: true,
    query: {
      words: [...words.values()],
      excluded: [...excluded.values()],
      ...(path === undefined ? {} : { path }),
      ...(project === undefined ? {} : { project: projectQuery(project) }),
    },
  }
}

type Qualifier = "path" | "project"
type Token = {
  readonly ok: true
  readonly value: string
  readonly negated: boolean
  readonly qualifier?: Qualifier
  readonly end: number
}

const QUALIFIER = /^(path|project):/i

function readToken(text: string, start: number): Token | { readonly ok: false; readonly error: string } {
  const negated = isExclusion(text, start)
  const from = negated ? start + 1 : start
  const name = QUALIFIER.exec(text.slice(from, from + 8))?.[1]?.toLowerCase()
  const qualifier: Qualifier | undefined = name === "path" || name === "project" ? name : undefined
  const valueAt = qualifier === undefined ? from : from + qualifier.length + 1
  const value = text.charAt(valueAt) === '"' ? readQuoted(text, valueAt) : readBare(text, valueAt)
  if (value === undefined) return { ok: false, error: unclosed(text.slice(start)) }
  return { ok: true, negated, ...(qualifier === undefined ? {} : { qualifier }), ...value }
}

/** Exactly one dash in front of something: `-word`, but not `--force`, `-` or `- x`. */
function isExclusion(text: string, at: number): boolean {
  if (text.charAt(at) !== "-") return false
  const next = text.charAt(at + 1)
  return next !== "" && next !== "-" && !isSpace(next)
}

function readQuoted(text: string, quote: number): { value: string; end: number } | undefined {
  let value = ""
  for (let at = quote + 1; at < text.length; at++) {
    const unit = text.charAt(at)
    if (unit === '"') return { value, end: at + 1 }
    if (unit === "\\" && text.charAt(at + 1) === '"') at++
    value += text.charAt(at)
  }
  return undefined
}

function readBare(text: string, start: number): { value: string; end: number } {
  let end = start
  while (end < text.length && !isSpace(text.charAt(end))) end++
  return { value: text.slice(start, end), end }
}

function isSpace(unit: string): boolean {
  return /\s/u.test(unit)
}

function misuse(
  qualifier: Qualifier,
  value: string,
  negated: boolean,
  seen: ReadonlyMap<Qualifier, string>,
): string | undefined {
  const example = qualifier === "path" ? "path:src/auth.ts" : "project:all"
  if (negated) {
    return `-${qualifier}:${shownValue(value)} cannot be negated; write ${example} without the dash, or -"${qualifier}:…" for the literal text.`
  }
  if (value.trim() === "") {
    return `${qualifier}: has no value; write ${example}, or "${qualifier}:" in quotes for the literal text.`
  }
  const first = seen.get(qualifier)
  if (first === undefined) return undefined
  return `${qualifier}: is given twice (${shownValue(first)} and ${shownValue(value)}); write it once, like ${example}.`
}

function tooMany(text: string): string {
  return `The query ${shownValue(text)} has more than ${MAX_QUERY_WORDS} different words; write the few that tell the session from others.`
}

function unclosed(rest: string): string {
  return `The quote in ${shownValue(rest)} is not closed; add a closing ", or write \\" inside quotes for a literal one.`
}

function projectQuery(value: string): ProjectQuery {
  if (value.toLowerCase() === "all") return { kind: "all" }
  if (/[/\\]/.test(value) || value.startsWith("~")) return { kind: "path", path: value }
  return { kind: "id", id: value }
}

/** The query for all projects, unless it names projects itself; one that cannot be read stays for its error. */
export function everywhere(query: string): string {
  const parsed = parseQuery(query)
  return parsed.ok && parsed.query.project === undefined ? `project:all ${query}` : query
}
