// Sections as one transcript within a bound: older ones go first, and the end says what is not there.

import { cutJsonBytes, jsonBytes } from "../text/cut.ts"
import type { Section } from "./section.ts"

export type TranscriptFacts = {
  /** Whether the session has older messages than the sections given. */
  readonly more: boolean
  /** Messages left out because they are reverted. */
  readonly reverted: number
  /** Parts and messages without a usable shape. */
  readonly malformed: number
  /** Whether there may be more of those. */
  readonly atLeast: boolean
}

export type Transcript = { readonly text: string; readonly count: number }

/**
 * The sections, oldest first, with the ending. The text takes at most `maxBytes` of UTF-8 inside a JSON string;
 * if not even the newest section fits, that one is cut. `maxBytes` below `MIN_TRANSCRIPT_BYTES` counts as that.
 */
export function transcriptOf(
  sections: readonly Section[],
  facts: TranscriptFacts,
  maxBytes: number,
): Transcript {
  const bound = Math.max(maxBytes, MIN_TRANSCRIPT_BYTES) - ENDING_BYTES
  let used = 0
  let first = sections.length
  while (first > 0) {
    const size = jsonBytes(sections[first - 1]?.text ?? "") + SEPARATOR_BYTES
    if (used + size > bound) break
    used += size
    first--
  }
  const newest = sections.at(-1)
  const kept = first === sections.length && newest ? [cutSection(newest, bound)] : sections.slice(first)
  const dropped = sections.length - kept.length
  const text = [...kept.map((section) => section.text), ending(kept, dropped, facts, maxBytes)].join(
    SEPARATOR,
  )
  return { text, count: kept.length }
}

/** Room for the ending: its longest form, every note with large numbers, takes about 500 bytes. */
const ENDING_BYTES = 1_024

/** Smaller bounds would leave no room for text beside the ending. */
export const MIN_TRANSCRIPT_BYTES = 2 * ENDING_BYTES

const SEPARATOR = "\n\n"
const SEPARATOR_BYTES = jsonBytes(SEPARATOR)

function cutSection(section: Section, maxBytes: number): Section {
  const cut = cutJsonBytes(section.text, maxBytes - SEPARATOR_BYTES)
  return { ...section, text: cut.text, cutUnits: section.cutUnits + cut.totalUnits - cut.keptUnits }
}

function ending(kept: readonly Section[], dropped: number, facts: TranscriptFacts, maxBytes: number): string {
  const masked = kept.reduce((sum, section) => sum + section.masked, 0)
  const cut = kept.reduce((sum, section) => sum + section.cutUnits, 0)
  const notes = [
    cut > 0 ? `(${cut} characters cut from long messages.)` : "",
    masked > 0 ? `(${counted(masked, "secret")} masked.)` : "",
    facts.malformed > 0
      ? `(${facts.atLeast ? "At least " : ""}${counted(facts.malformed, "unreadable part")} skipped.)`
      : "",
    facts.reverted > 0 ? `(${counted(facts.reverted, "reverted message")} left out.)` : "",
  ]
  return [...notes.filter((note) => note !== ""), lastLine(kept.length, dropped, facts.more, maxBytes)].join(
    "\n",
  )
}

function lastLine(count: number, dropped: number, more: boolean, maxBytes: number): string {
  if (dropped > 0)
    return (
      `(Showing ${count} most recent messages. ${counted(dropped, "older message")} of those asked for left out: ` +
      `an answer is at most ${Math.round(maxBytes / 1024)} KB.)`
    )
  if (more) return `(Showing ${count} most recent messages. Use a higher 'limit' to see more.)`
  return `(End of session — ${count} messages)`
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`
}
