// Text from history as it may stand in an answer: it can not forge a line, hide behind control characters,
// or turn the reading direction.

import { sliceUnits, repairText } from "./unicode.ts"

/** A title as one JSON string: parses back to the title, holds no raw control, separator or bidi character. */
export function printableTitle(title: string): string {
  return JSON.stringify(repairText(title)).replaceAll(UNSAFE, unicodeEscape)
}

/** The text on one line: line breaks and tabs as `\n`, `\r`, `\t`, other control characters as `\u001b`. */
export function oneLine(text: string): string {
  return repairText(text).replaceAll(UNSAFE, escapeCharacter)
}

/** The text with its lines and tabs kept, every line break as "\n", other control characters escaped. */
export function printableLines(text: string): string {
  return withPlainBreaks(repairText(text)).replaceAll(UNSAFE, (unit) =>
    unit === "\n" || unit === "\t" ? unit : escapeCharacter(unit),
  )
}

/**
 * The text as it was written, for a clipboard: lines and tabs kept, every line break as "\n". What steers a terminal
 * when it is pasted, and what cannot be seen, is left out; an escape would be text that nobody wrote.
 */
export function pasteable(text: string): string {
  return withPlainBreaks(repairText(text)).replaceAll(UNSAFE, (unit) =>
    unit === "\n" || unit === "\t" ? unit : "",
  )
}

function withPlainBreaks(text: string): string {
  return text.replaceAll(/\r\n?|[\u2028\u2029\u0085]/g, "\n")
}

/** How many units `oneLine` makes of the unit at `index`. */
export function oneLineUnits(text: string, index: number): number {
  const code = text.charCodeAt(index)
  if (code >= 0x20 && code < 0x7f) return 1
  if (SHORT_ESCAPES.has(text.charAt(index))) return 2
  // A character of two units counts at either of them.
  const isSecond = (code & 0xfc00) === 0xdc00 && (text.charCodeAt(index - 1) & 0xfc00) === 0xd800
  UNSAFE_HERE.lastIndex = isSecond ? index - 1 : index
  return code !== 0 && UNSAFE_HERE.test(text) ? UNICODE_ESCAPE_UNITS : 1
}

const UNICODE_ESCAPE_UNITS = "\\u0000".length

/** Whether `oneLine` would leave the text as it is. */
export function isPrintable(text: string): boolean {
  return oneLine(text) === text
}

/** The value as JSON that a terminal may be shown: it parses back to the value, and nothing in it steers or hides. */
export function printableJson(value: unknown, indent?: number): string {
  // Line breaks of the indentation are the only controls that JSON writes as they are.
  return JSON.stringify(value, undefined, indent).replaceAll(UNSAFE, (character) =>
    character === "\n" ? character : unicodeEscape(character),
  )
}

/**
 * The last look at what is written to a terminal or a file: lines, tabs, colours and links to files of our own stay,
 * whatever else steers or hides is escaped, from wherever it came.
 */
export function guarded(text: string): string {
  return repairText(text).replaceAll(UNSAFE_OR_OWN, (found, own: string | undefined) =>
    own !== undefined || found === "\n" || found === "\t" ? found : escapeCharacter(found),
  )
}

/** How much of a value an error message repeats. */
export const MAX_SHOWN_UNITS = 80

/** A value as an error message repeats it: one line, at most about `MAX_SHOWN_UNITS`, never throws. */
export function shownValue(value: unknown): string {
  if (typeof value === "string")
    return value.length > MAX_SHOWN_UNITS
      ? `${printableTitle(sliceUnits(value, 0, MAX_SHOWN_UNITS))}… (${value.length} characters)`
      : printableTitle(value)
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return value.length === 1 ? "a list of 1" : `a list of ${value.length}`
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}

// What steers a terminal, turns the reading direction or cannot be seen: controls (C0, C1), line separators, bidi
// controls, and all that Unicode calls default ignorable (zero-width spaces, fillers, tags), except the next two.
const UNSAFE_CLASS =
  "\\p{Cc}\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B\\u200E\\u200F\\u2028-\\u202E" +
  "\\u2060-\\u206F\\u3164\\uFEFF\\uFFA0\\uFFF0-\\uFFFB\\u{1BCA0}-\\u{1BCA3}\\u{1D173}-\\u{1D17A}" +
  "\\u{E0000}-\\u{E00FF}\\u{E01F0}-\\u{E0FFF}"

// Joiners and variation selectors belong to a character before them: emoji, the scripts from Arabic to Tibetan, Han.
// Behind anything else they are only hidden.
const HIDDEN_JOINER =
  "(?<![\\p{M}\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\u0620-\\u10FF\\u1780-\\u1CFF])[\\u200C\\u200D]"
const HIDDEN_SELECTOR =
  "(?<![\\p{Emoji}\\p{S}\\p{Lo}])[\\uFE00-\\uFE0F]|(?<!\\p{Script=Han})[\\u{E0100}-\\u{E01EF}]"

const UNSAFE_SOURCE = `[${UNSAFE_CLASS}]|${HIDDEN_JOINER}|${HIDDEN_SELECTOR}`
const UNSAFE = new RegExp(UNSAFE_SOURCE, "gu")
const UNSAFE_HERE = new RegExp(UNSAFE_SOURCE, "uy")

// What the command itself writes to steer a terminal: colours, and links to files (OSC 8).
const OWN_SEQUENCE = String.raw`\u001B\[[\d;]{0,20}m|\u001B\]8;;(?:file:\/\/[\w.%~!'()*\/-]{0,8000})?\u001B\\`
const UNSAFE_OR_OWN = new RegExp(`(${OWN_SEQUENCE})|${UNSAFE_SOURCE}`, "gu")

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
])

function escapeCharacter(character: string): string {
  return SHORT_ESCAPES.get(character) ?? unicodeEscape(character)
}

/** Unit by unit, as JSON writes it. */
function unicodeEscape(character: string): string {
  let escaped = ""
  for (let at = 0; at < character.length; at++)
    escaped += `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`
  return escaped
}
