import { CLUSTER_SOURCE, clusterEnd, COMPOSING_CLASS, hasLongRun, mayCompose, piecesOf } from "./compose.ts"

// Folding for matching: texts that differ in case or in how their characters are composed fold alike. Unicode's full case
// folding: É is é, ς is σ, ß is ss, İ is i with a dot above (not i). Accents are kept, and a letter that has one is not
// found by the letter alone, however it is written.

export type Range = { readonly start: number; readonly end: number }

/** A folded text and the places where its length differs from the original's. */
export type Folded = { readonly text: string; readonly shifts: readonly Shift[] }

/** One original character and the longer text it folds to; offsets in UTF-16 units, ends exclusive. */
export type Shift = { readonly original: Range; readonly folded: Range }

/** The folded text. Two texts match without regard to case and composition when their folds are equal. */
export function fold(text: string): string {
  if (!NON_ASCII.test(text)) return text.toLowerCase()
  if (!mayCompose(text)) return foldCase(text)
  return hasLongRun(text) ? foldWithMap(text).text : foldPiece(text)
}

/** The folded text with the map back to the original. */
export function foldWithMap(text: string): Folded {
  if (!NON_ASCII.test(text)) return { text: text.toLowerCase(), shifts: [] }
  const shifts: Shift[] = []
  let grown = 0
  const replaced = text.replaceAll(mayCompose(text) ? CLUSTERS : CHANGES, (found: string, offset: number) => {
    const folded = piecesOf(found).map(foldPiece).join("")
    // Case alone changes no character's place.
    if (folded.length === found.length && (found.length === 1 || folded === found.toLowerCase()))
      return folded
    shifts.push({
      original: { start: offset, end: offset + found.length },
      folded: { start: offset + grown, end: offset + grown + folded.length },
    })
    grown += folded.length - found.length
    return folded
  })
  return { text: replaced.toLowerCase(), shifts }
}

/** The original range that a range of the folded text came from; part of a character gives the whole character. */
export function originalRange(folded: Folded, range: Range): Range {
  const first = lastShiftAt(folded.shifts, range.start)
  const last = lastShiftAt(folded.shifts, range.end - 1)
  const start =
    first === undefined
      ? range.start
      : range.start < first.folded.end
        ? first.original.start
        : first.original.end + range.start - first.folded.end
  if (range.end <= range.start) return { start, end: start }
  const end =
    last === undefined
      ? range.end
      : range.end <= last.folded.end
        ? last.original.end
        : last.original.end + range.end - last.folded.end
  return { start, end }
}

/** True when folding changes nothing but ASCII capitals: such a text can be compared without being folded. */
export function foldsPlainly(text: string): boolean {
  if (!NON_ASCII.test(text) || !CHANGE_OR_COMPOSING.test(text)) return true
  if (CHANGE.test(text) || hasLongRun(text)) return false
  const small = text.toLowerCase()
  return small.normalize("NFC") === small
}

/**
 * Finds the folded needle in texts that fold plainly, ten times faster than folding them. Regular expressions
 * fold by capitals, which is the same thing where only ASCII has capitals.
 */
export function plainPattern(foldedNeedle: string): RegExp {
  return new RegExp(foldedNeedle.replaceAll(SYNTAX, "\\$&"), "i")
}

/** How much text is folded at a time: an early hit in a huge text costs one piece, not the text. */
export const FIND_PIECE_UNITS = 64 * 1024

/**
 * The first place at or after `from` where the folded text holds `foldedNeedle`, as a range of the original.
 * Undefined when there is none or the needle is empty.
 */
export function findFolded(text: string, foldedNeedle: string, from = 0): Range | undefined {
  if (foldedNeedle === "") return undefined
  // A hit that starts in a piece ends within so much: a character is composed of at most four.
  const overlap = foldedNeedle.length * MOST_COMPOSED + 2
  for (let start = Math.max(0, from); start < text.length;) {
    const end = clusterEnd(text, wholeCharacters(text, start + FIND_PIECE_UNITS))
    const piece = foldWithMap(text.slice(start, clusterEnd(text, wholeCharacters(text, end + overlap))))
    const at = piece.text.indexOf(foldedNeedle)
    if (at >= 0) {
      const range = originalRange(piece, { start: at, end: at + foldedNeedle.length })
      return { start: start + range.start, end: start + range.end }
    }
    start = end
  }
  return undefined
}

const NON_ASCII = /[\u0080-\uFFFF]/
// Outside ASCII, whatever case folding changes. Cherokee folds to its capitals in Unicode, to small letters here.
// Small letters without a capital of their own (ǰ, ΐ) stay whole: taken apart, `ι` would find `ΐ`.
const CHANGE = /(?![A-Z])[\p{Changes_When_Casefolded}\u13A0-\u13F5\u1FBE]/u
const CHANGES = new RegExp(CHANGE, "gu")
const CLUSTERS = new RegExp(`${CLUSTER_SOURCE}|${CHANGE.source}`, "gu")
const CHANGE_OR_COMPOSING = new RegExp(`${CHANGE.source}|[${COMPOSING_CLASS}]`, "u")
const MOST_COMPOSED = 4
const SYNTAX = /[\\^$.*+?()[\]{}|]/g

/** Lower, upper, lower: joins every spelling that shares a capital (ß and ẞ, σ and ς, the Kelvin sign and k). */
function foldCharacter(character: string): string {
  return character.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ").normalize("NFC")
}

/** Without regard to composition. */
function foldCase(text: string): string {
  return text.replaceAll(CHANGES, foldCharacter).toLowerCase()
}

/** Composed once more: `J` with a caron has no capital of its own, but a small letter. */
function foldPiece(text: string): string {
  return foldCase(text.normalize("NFC")).normalize("NFC")
}

function lastShiftAt(shifts: readonly Shift[], offset: number): Shift | undefined {
  let low = 0
  let high = shifts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((shifts[middle]?.folded.start ?? 0) <= offset) low = middle + 1
    else high = middle
  }
  return shifts[low - 1]
}

function wholeCharacters(text: string, end: number): number {
  if (end >= text.length) return text.length
  const split = (text.charCodeAt(end) & 0xfc00) === 0xdc00 && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800
  return split ? end + 1 : end
}
