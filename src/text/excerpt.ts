// One line of text around a hit. It holds the hit, begins and ends at words where that costs little, splits no
// character, and is never longer than asked, escapes and ellipses included.

import type { Range } from "./fold.ts"
import { oneLine, oneLineUnits } from "./printable.ts"
import { boundaryAfter, boundaryBefore } from "./unicode.ts"

/** Marks an end where text was left out. */
export const ELLIPSIS = "…"

/** How much of the excerpt may be given up, on each side, to begin or end at a word. */
export const MAX_WORD_TRIM_UNITS = 24

/**
 * At most `maxUnits` UTF-16 units around the hit `[start, end)` of the text. A hit longer than that is cut at its
 * end. Costs the excerpt, not the text.
 */
export function excerpt(text: string, hit: Range, maxUnits: number): string {
  if (reach(text, 0, text.length, maxUnits) === text.length) return oneLine(text)
  const start = boundaryBefore(text, hit.start)
  const wanted = boundaryAfter(text, Math.max(hit.end, start))
  const room = Math.max(0, maxUnits - 2 * ELLIPSIS.length)
  const end = reach(text, start, wanted, room)
  if (end < wanted) return frame(text, { start, end: Math.max(start, boundaryBefore(text, end)) }, maxUnits)

  const spare = room - widthOf(text, start, end)
  const before = reachBack(text, start, spare)
  const after = reach(text, end, text.length, spare)
  // A third stands before the hit, more where the text after it is short.
  const unusedAfter = after === text.length ? spare - widthOf(text, end, after) : 0
  const from = reachBack(text, start, before === 0 ? spare : Math.max(Math.floor(spare / 3), unusedAfter))
  const left = wordStart(text, Math.min(start, boundaryAfter(text, from)), start)
  const to = reach(text, end, text.length, spare - widthOf(text, left, start))
  return frame(
    text,
    { start: left, end: wordEnd(text, Math.max(end, boundaryBefore(text, to)), end) },
    maxUnits,
  )
}

function frame(text: string, range: Range, maxUnits: number): string {
  const before = range.start > 0 ? ELLIPSIS : ""
  const after = range.end < text.length ? ELLIPSIS : ""
  return `${before}${oneLine(text.slice(range.start, range.end))}${after}`.slice(0, Math.max(0, maxUnits))
}

/** The farthest end up to `limit` so that the text from `from` takes at most `units` once it is one line. */
function reach(text: string, from: number, limit: number, units: number): number {
  let left = units
  for (let at = from; at < limit; at++) {
    left -= oneLineUnits(text, at)
    if (left < 0) return at
  }
  return limit
}

/** The same towards the start of the text. */
function reachBack(text: string, from: number, units: number): number {
  let left = units
  for (let at = from - 1; at >= 0; at--) {
    left -= oneLineUnits(text, at)
    if (left < 0) return at + 1
  }
  return 0
}

function widthOf(text: string, start: number, end: number): number {
  let units = 0
  for (let at = start; at < end; at++) units += oneLineUnits(text, at)
  return units
}

/** The start of the first word at or after `at`, unless it is far or reaches the hit; spaces are not shown. */
function wordStart(text: string, at: number, hit: number): number {
  if (at === 0) return 0
  const limit = Math.min(hit, at + MAX_WORD_TRIM_UNITS)
  let from = at
  if (!SPACE.test(text.charAt(at - 1))) while (from < limit && !SPACE.test(text.charAt(from))) from++
  if (from === limit && from < hit) return at
  while (from < hit && SPACE.test(text.charAt(from))) from++
  return from
}

/** The end of the last word at or before `at`, unless it is far or reaches the hit. */
function wordEnd(text: string, at: number, hit: number): number {
  if (at === text.length) return at
  const limit = Math.max(hit, at - MAX_WORD_TRIM_UNITS)
  let to = at
  if (!SPACE.test(text.charAt(at))) while (to > limit && !SPACE.test(text.charAt(to - 1))) to--
  if (to === limit && to > hit) return at
  while (to > hit && SPACE.test(text.charAt(to - 1))) to--
  return to
}

const SPACE = /\s/
