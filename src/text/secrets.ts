// Secrets of known formats become `[secret: <kind>]`. Hashes, UUIDs, lockfile digests, placeholders and the
// examples of vendors' documentation stay. Takes text without escape sequences: one could hide a word's start.

import { headers, innerForms, keyBlocks, passwords, type Secret, settings } from "./secret-contexts.ts"
import { SECRET_FORMATS, type SecretFormat } from "./secret-formats.ts"

/** The text with every known secret replaced, and how many were; linear in the text, masking twice changes nothing. */
export function maskSecrets(text: string): { text: string; masked: number } {
  if (text.length < SHORTEST_SECRET_UNITS) return { text, masked: 0 }
  const found: Secret[] = []
  for (const find of FINDERS) find(text, found)
  if (found.length === 0) return { text, masked: 0 }
  const secrets = merged(found)
  const pieces: string[] = []
  let from = 0
  for (const secret of secrets) {
    pieces.push(text.slice(from, secret.start), `[secret: ${secret.kind}]`)
    from = secret.end
  }
  return { text: pieces.join("") + text.slice(from), masked: secrets.length }
}

/** `a://:b@c` is the shortest text that can hold one. */
const SHORTEST_SECRET_UNITS = 8

const FINDERS = [prefixed, keyBlocks, headers, settings, passwords, innerForms]

const PREFIX = new RegExp(SECRET_FORMATS.map((format) => format.prefix).join("|"), "g")
const BY_LETTER: ReadonlyMap<string, readonly SecretFormat[]> = new Map(
  SECRET_FORMATS.map(({ prefix }) => [
    prefix.charAt(0),
    SECRET_FORMATS.filter((format) => format.prefix.startsWith(prefix.charAt(0))),
  ]),
)

/** Tokens that begin with a provider's prefix, at the start of a word. */
function prefixed(text: string, found: Secret[]): void {
  PREFIX.lastIndex = 0
  for (let match = PREFIX.exec(text); match; match = PREFIX.exec(text)) {
    const start = match.index
    const secret = startsWord(text, start) ? secretAt(text, start) : undefined
    if (secret) found.push(secret)
    PREFIX.lastIndex = secret?.end ?? start + 1
  }
}

function secretAt(text: string, start: number): Secret | undefined {
  for (const format of BY_LETTER.get(text.charAt(start)) ?? []) {
    format.pattern.lastIndex = start
    const match = format.pattern.exec(text)
    if (match && format.accepts(match[0])) return { start, end: format.pattern.lastIndex, kind: format.kind }
  }
  return undefined
}

/** A word also starts after an escape that is written out: `\n`, `\u003d`, `%3D`. */
function startsWord(text: string, at: number): boolean {
  return at === 0 || !WORD.test(text.charAt(at - 1)) || ESCAPE.test(text.slice(Math.max(0, at - 6), at))
}

const WORD = /[\w-]/
const ESCAPE = /(?:\\[nrt]|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2})$/

/** In order, without overlap: of two that overlap, the first gives the kind and the later end counts. */
function merged(found: Secret[]): Secret[] {
  found.sort((one, other) => one.start - other.start || other.end - one.end)
  const secrets: Secret[] = []
  for (const secret of found) {
    const last = secrets.at(-1)
    if (!last || secret.start >= last.end) secrets.push(secret)
    else if (secret.end > last.end) secrets[secrets.length - 1] = { ...last, end: secret.end }
  }
  return secrets
}
