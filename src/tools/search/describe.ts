// What was searched, in the words of the query.

import type { Filter } from "../../history/contract.ts"
import { oneLine, printableTitle } from "../../text/printable.ts"
import { sliceUnits } from "../../text/unicode.ts"
import type { Clock } from "./when.ts"

/** Between the facts of one line. */
export const SEPARATOR = " · "

/** How much of a word an answer repeats: the model wrote it and knows it. */
export const WORD_SHOWN_UNITS = 40

/** Words named of a pasted page; the rest is counted. */
export const WORDS_SHOWN = 12

/** How much of a path behind `path:` is repeated. */
export const PATH_SHOWN_UNITS = 200

/** The filter on one line: `login, "token refresh" · without revert · this project · role user`. */
export function describeFilter(filter: Filter, scope: string, clock: Clock): string {
  const facts = [
    shownWords(filter.words),
    filter.excluded.length === 0 ? "" : `without ${shownWords(filter.excluded)}`,
    filter.path === undefined ? "" : `path ${oneLine(sliceUnits(filter.path, 0, PATH_SHOWN_UNITS))}`,
    scope,
    filter.role === undefined ? "" : `role ${filter.role}`,
    describeDates(filter, clock),
    filter.include.length === 0 ? "" : `with ${filter.include.join(", ")}`,
  ]
  return facts.filter((fact) => fact !== "").join(SEPARATOR)
}

/** Words with commas between, at most `WORDS_SHOWN`. */
export function shownWords(words: readonly string[]): string {
  const left = words.length - WORDS_SHOWN
  return words.slice(0, WORDS_SHOWN).map(shownWord).join(", ") + (left > 0 ? ` and ${left} more words` : "")
}

/** A word as it is, or quoted where it could be taken for something else. */
export function shownWord(word: string): string {
  const short = word.length > WORD_SHOWN_UNITS ? `${sliceUnits(word, 0, WORD_SHOWN_UNITS)}…` : word
  return /^[\p{L}\p{N}_.…-]+$/u.test(short) ? short : printableTitle(short)
}

function describeDates(filter: Filter, clock: Clock): string {
  if (filter.from === undefined && filter.to === undefined) return ""
  if (filter.to === undefined) return `since ${clock.time(filter.from ?? 0)}`
  if (filter.from === undefined) return `until ${clock.time(filter.to)}`
  return `${clock.time(filter.from)} to ${clock.time(filter.to)}`
}
