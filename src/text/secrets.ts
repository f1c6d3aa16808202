// Secrets of known formats become `[secret: <kind>]`. Hashes, UUIDs, lockfile digests, placeholders and the
// examples of vendors' documentation stay. Takes text without escape sequences: one could hide a word's start.

import { matchEnd, type Secret, type SecretContext, SECRET_CONTEXTS } from "./secret-contexts.ts"
import { SECRET_FORMATS, type SecretFormat } from "./secret-formats.ts"
import { createStarts } from "./starts.ts"

/** The text with every known secret replaced, and how many were; linear in the text, masking twice changes nothing. */
export function maskSecrets(text: string): { text: string; masked: number } {
  if (text.length < SHORTEST_SECRET_UNITS) return { text, masked: 0 }
  const found = secretsIn(text)
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

type Start = { readonly format: SecretFormat } | { readonly context: SecretContext; readonly clue: RegExp }

/** The formats and, by their clues, the contexts: one pass tells which of them a text may hold. */
const STARTS = createStarts<Start>([
  ...SECRET_FORMATS.map((format) => ({ words: format.prefixes, value: { format } })),
  ...SECRET_CONTEXTS.flatMap((context) =>
    context.clues.map((clue) => ({ words: [clue], value: { context, clue: new RegExp(clue, "iy") } })),
  ),
])

function secretsIn(text: string): Secret[] {
  const found: Secret[] = []
  const contexts = new Set<SecretContext>()
  let tokenEnd = 0
  let [gluedFrom, glued] = [0, 0]
  for (let at = STARTS.next(text, 0); at >= 0; at = STARTS.next(text, at + 1)) {
    for (const start of STARTS.at(text, at)) {
      if ("context" in start) {
        if (!contexts.has(start.context) && matchEnd(start.clue, text, at)) contexts.add(start.context)
        continue
      }
      if (at < tokenEnd || !startsWord(text, at)) continue
      if (text.charCodeAt(at - 1) === UNDERSCORE) {
        if (at - gluedFrom > GLUED_UNITS) [gluedFrom, glued] = [at, 0]
        if (++glued > MAX_GLUED) continue
      }
      const end = matchEnd(start.format.pattern, text, at)
      if (end === undefined || !start.format.accepts(text.slice(at, end))) continue
      found.push({ start: at, end, kind: start.format.kind })
      tokenEnd = end
    }
  }
  for (const context of SECRET_CONTEXTS) if (contexts.has(context)) context.find(text, found)
  return found
}

/** Starts behind `_` follow each other inside one run of a hostile text: so many are tried in so many units. */
const MAX_GLUED = 64
const GLUED_UNITS = 16 * 1024

/** A word also starts after `_` (a name may be glued to a token) and after an escape that is written out: `\n`, `\u003d`, `%3D`, `\x1b[1;32m`. */
function startsWord(text: string, at: number): boolean {
  if (at === 0 || text.charCodeAt(at - 1) === UNDERSCORE || !isWord(text.charCodeAt(at - 1))) return true
  const mayEscape =
    text.charCodeAt(at - 1) === SMALL_M ||
    text.charCodeAt(at - 2) === BACKSLASH ||
    text.charCodeAt(at - 3) === PERCENT ||
    text.charCodeAt(at - 6) === BACKSLASH
  return mayEscape && ESCAPE.test(text.slice(Math.max(0, at - MAX_ESCAPE_UNITS), at))
}

const UNDERSCORE = 0x5f
const SMALL_M = 0x6d
const BACKSLASH = 0x5c
const PERCENT = 0x25
const ESCAPE = /(?:\\[nrt]|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|\\(?:u001[bB]|x1[bB]|0?33|e)\[[\d;]{0,12}m)$/

/** The longest escape: a colour in JSON. */
const MAX_ESCAPE_UNITS = 20

/** A letter, a digit, `_` or `-`. */
function isWord(code: number): boolean {
  const letter = code | 0x20
  return (
    (letter >= 0x61 && letter <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === 0x5f || code === 0x2d
  )
}

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
