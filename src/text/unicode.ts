// Text as it may be kept and shown: no lone surrogate, no NUL, and no cut inside a character.

/** What stands in for a lone surrogate or a NUL. */
export const REPLACEMENT = "\uFFFD"

/** How far a cut may move to spare one visible character; longer stacks of marks are cut between marks. */
export const MAX_CHARACTER_UNITS = 64

/** The text with every lone surrogate and NUL replaced by U+FFFD; the same length in UTF-16 units. */
export function repairText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed()
  return whole.includes("\0") ? whole.replaceAll("\0", REPLACEMENT) : whole
}

/**
 * The units from `start` to before `end`, moved inwards where they stand inside a character, so the result is
 * never longer than asked. Offsets out of range are clamped; an empty range gives "".
 */
export function sliceUnits(text: string, start: number, end: number): string {
  const from = boundaryAfter(text, start)
  return text.slice(from, Math.max(from, boundaryBefore(text, end)))
}

/** The last place at or before `index` where the text may be cut. */
export function boundaryBefore(text: string, index: number): number {
  if (index <= 0) return 0
  if (index >= text.length) return text.length
  const nearest = Math.max(0, index - MAX_CHARACTER_UNITS)
  for (let at = index; at > nearest; at--) if (!joins(text, at)) return at
  if (nearest === 0) return 0
  return splitsPair(text, index) ? index - 1 : index
}

/** The first place at or after `index` where the text may be cut. */
export function boundaryAfter(text: string, index: number): number {
  if (index <= 0) return 0
  if (index >= text.length) return text.length
  const farthest = Math.min(text.length, index + MAX_CHARACTER_UNITS)
  for (let at = index; at < farthest; at++) if (!joins(text, at)) return at
  if (farthest === text.length) return farthest
  return splitsPair(text, index) ? index + 1 : index
}

const ZERO_WIDTH_JOINER = 0x200d
const FIRST_COMBINING = 0x300
/** Marks, and the vowels and ends of Hangul syllables. */
const MARK = /^[\p{M}\p{Emoji_Modifier}\u200D\u1160-\u11FF\uD7B0-\uD7FB]/u
const FLAG_LETTER = /^\p{Regional_Indicator}/u

/** Whether the units before and after `at` belong to one visible character. */
function joins(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1)
  const after = text.charCodeAt(at)
  if (after < FIRST_COMBINING) return after === 0x0a && before === 0x0d
  if (splitsPair(text, at) || before === ZERO_WIDTH_JOINER) return true
  const next = String.fromCodePoint(text.codePointAt(at) ?? 0)
  return MARK.test(next) || (FLAG_LETTER.test(next) && halvesFlag(text, at))
}

function splitsPair(text: string, at: number): boolean {
  return (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00
}

/** A flag is two letters: the cut halves one when an odd number of letters stands before it. */
function halvesFlag(text: string, at: number): boolean {
  let letters = 0
  for (let from = at - 2; from >= 0 && letters < MAX_CHARACTER_UNITS; from -= 2) {
    if (!FLAG_LETTER.test(text.slice(from, from + 2))) break
    letters++
  }
  return letters % 2 === 1
}
