// Text from history as it may stand in an answer: it can not forge a line, hide behind control characters,
// or turn the reading direction.

import { sliceUnits, repairText } from "./unicode.ts"

/** A title as one JSON string: parses back to the title, holds no raw control, separator or bidi character. */
export function printableTitle(title: string): string {
  return JSON.stringify(repairText(title)).replaceAll(UNSAFE, unicodeEscape)
}

/** The text on one line: line breaks and tabs as `\n`, `\r`, `\t`, other control characters as `\u001b`. */
export function oneLine(text: string): string {
  return repairText(text).replaceAll(UNSAFE, escapeUnit)
}

/** The text with its lines and tabs kept, every line break as "\n", other control characters escaped. */
export function printableLines(text: string): string {
  return repairText(text)
    .replaceAll(/\r\n?|[\u2028\u2029\u0085]/g, "\n")
    .replaceAll(UNSAFE, (unit) => (unit === "\n" || unit === "\t" ? unit : escapeUnit(unit)))
}

/** How many units `oneLine` makes of the unit at `index`. */
export function oneLineUnits(text: string, index: number): number {
  const code = text.charCodeAt(index)
  if (code >= 0x20 && code < 0x7f) return 1
  const unit = text.charAt(index)
  return SHORT_ESCAPES.has(unit) ? 2 : code !== 0 && UNSAFE_UNIT.test(unit) ? 6 : 1
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

// C0 and C1 controls, soft hyphen, line separators, bidi controls and the byte order mark.
const UNSAFE_CLASS = "\\p{Cc}\\u00AD\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069\\uFEFF"
const UNSAFE = new RegExp(`[${UNSAFE_CLASS}]`, "gu")
const UNSAFE_UNIT = new RegExp(`[${UNSAFE_CLASS}]`, "u")

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
])

function escapeUnit(unit: string): string {
  return SHORT_ESCAPES.get(unit) ?? unicodeEscape(unit)
}

function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
}
