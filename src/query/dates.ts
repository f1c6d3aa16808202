import { shownValue } from "../text/printable.ts"
import { addDays, addMonths, dayOf, type Day, exists, startOfDay } from "./calendar.ts"
import { nearestDateForm } from "./date-advice.ts"

// The date argument: days and months of the local calendar, both ends inclusive. A day starts at its first
// existing instant, so a day of 23 or 25 hours (clock change) is covered exactly.

export type DateRange = { readonly from?: number; readonly to?: number }

export type DateResult = ({ readonly ok: true } & DateRange) | { readonly ok: false; readonly error: string }

export type DateContext = {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** IANA name; the process's zone without it. */
  readonly timeZone?: string
}

/** Longest "last N": anything beyond is before any session, and calendar arithmetic stays exact. */
export const MAX_LAST = 9_999

const FORMS =
  'today, yesterday, "last 7 days" (days, weeks, months), "3 days ago", "this month", 2026-03-31, 2026-03, "2026-03-01 to 2026-03-31", "since 2026-03-01" or "before 2026-03-01"'

const NO_DAY = "there is no such day in the calendar; write an existing one, like 2026-03-31"
const NO_MONTH = "there is no such month; write a month from 01 to 12, like 2026-03"
const COUNT = `use a number from 1 to ${MAX_LAST}`

/** Days from the first to the last, both included; up to now where the last is absent. */
type Span = { readonly first: Day; readonly last?: Day }

/** A span, what is wrong with it, or undefined where the words are not known. */
type SpanResult = Span | { readonly wrong: string } | undefined

/** The range in milliseconds since the epoch, inclusive; an open end is absent. Errors are one line. */
export function parseDate(text: string, context: DateContext): DateResult {
  const value = text.trim().toLowerCase().replace(/\s+/g, " ")
  const today = dayOf(context.now, context.timeZone)
  const start = (day: Day) => startOfDay(day, context.timeZone)
  const end = (span: Span) => (span.last === undefined ? context.now : start(addDays(span.last, 1)) - 1)
  const unknown = () => bad(text, nearestDateForm(value, today) ?? `write ${FORMS}`)

  const [, bound, rest = value] = /^(since|from|after|before|until) (.*)$/.exec(value) ?? []
  if (bound !== undefined && bound !== "since" && bound !== "before") return unknown()
  const [firstText = "", secondText, more] = rest.split(" to ")
  const first = spanOf(firstText, today)
  const second = secondText === undefined ? first : spanOf(secondText, today)
  if (first === undefined || second === undefined || more !== undefined) return unknown()
  if (bound !== undefined && secondText !== undefined) return unknown()
  if ("wrong" in first) return bad(text, first.wrong)
  if ("wrong" in second) return bad(text, second.wrong)
  if (bound === "since") return { ok: true, from: start(first.first) }
  if (bound === "before") return { ok: true, to: start(first.first) - 1 }
  if (end(second) < start(first.first))
    return bad(text, `the range ends before it starts; write ${secondText} to ${firstText}`)
  return { ok: true, from: start(first.first), to: end(second) }
}

function spanOf(text: string, today: Day): SpanResult {
  if (text === "today") return { first: today, last: today }
  if (text === "yesterday") return oneDay(addDays(today, -1))
  if (text === "this month" || text === "last month") {
    const first = addMonths({ ...today, day: 1 }, text === "this month" ? 0 : -1)
    return text === "this month" ? { first } : { first, last: addDays(addMonths(first, 1), -1) }
  }
  return lastOf(text, today) ?? agoOf(text, today) ?? writtenOf(text)
}

/** `last 7 days`, `past 2 weeks`, `7 days`, `7d`, `2w`. A bare `m` may be minutes. */
function lastOf(text: string, today: Day): SpanResult {
  const [, number, unit] = /^(?:last |past )?(\d+) ?(d|w|(?:day|week|month)s?)$/.exec(text) ?? []
  if (number === undefined) return undefined
  const count = Number(number)
  if (count < 1 || count > MAX_LAST) return { wrong: COUNT }
  return { first: back(today, count, unit) }
}

/** `3 days ago`: that one day. */
function agoOf(text: string, today: Day): SpanResult {
  const [, number, unit] = /^(an?|\d+) (day|week|month)s? ago$/.exec(text) ?? []
  if (number === undefined) return undefined
  const count = number.startsWith("a") ? 1 : Number(number)
  return count < 1 || count > MAX_LAST ? { wrong: COUNT } : oneDay(back(today, count, unit))
}

/** `2026-03-31` or `2026-03`. */
function writtenOf(text: string): SpanResult {
  const [, year, month, day] = /^(\d{4})-(\d{2})(?:-(\d{2}))?$/.exec(text) ?? []
  if (year === undefined) return undefined
  const first = { year: Number(year), month: Number(month), day: Number(day ?? 1) }
  if (!exists(first)) return { wrong: day === undefined ? NO_MONTH : NO_DAY }
  return day === undefined ? { first, last: addDays(addMonths(first, 1), -1) } : oneDay(first)
}

function oneDay(day: Day): Span {
  return { first: day, last: day }
}

function bad(value: string, advice: string): DateResult {
  return { ok: false, error: `date ${shownValue(value)} is not understood: ${advice}.` }
}

function back(day: Day, count: number, unit: string | undefined): Day {
  if (unit?.startsWith("month")) return addMonths(day, -count)
  return addDays(day, unit?.startsWith("w") ? -7 * count : -count)
}
