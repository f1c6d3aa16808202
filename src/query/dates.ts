import { shownValue } from "../text/printable.ts"

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
  'today, yesterday, "last 7 days" (days, weeks, months), 2026-03-31, 2026-03, "2026-03-01 to 2026-03-31", "since 2026-03-01" or "before 2026-03-01"'

type Day = { readonly year: number; readonly month: number; readonly day: number }

/** The range in milliseconds since the epoch, inclusive; an open end is absent. Errors are one line. */
export function parseDate(text: string, context: DateContext): DateResult {
  const value = text.trim().toLowerCase().replace(/\s+/g, " ")
  const today = dayOf(context.now, context.timeZone)
  const start = (day: Day) => startOfDay(day, context.timeZone)
  const end = (day: Day) => start(addDays(day, 1)) - 1

  if (value === "today") return { ok: true, from: start(today), to: end(today) }
  if (value === "yesterday") {
    const day = addDays(today, -1)
    return { ok: true, from: start(day), to: end(day) }
  }
  const last = /^last (\d+) (day|week|month)s?$/.exec(value)
  if (last) {
    const count = Number(last[1])
    if (count < 1 || count > MAX_LAST) return bad(text, `use a number from 1 to ${MAX_LAST}`)
    return { ok: true, from: start(back(today, count, last[2])), to: context.now }
  }
  const month = /^(\d{4})-(\d{2})$/.exec(value)
  if (month) {
    const first = { year: Number(month[1]), month: Number(month[2]), day: 1 }
    if (!exists(first)) return bad(text, "there is no such month; write a month from 01 to 12, like 2026-03")
    return { ok: true, from: start(first), to: start(addMonths(first, 1)) - 1 }
  }
  const shape = /^(?:(since|before) )?(\d{4}-\d{2}-\d{2})(?: to (\d{4}-\d{2}-\d{2}))?$/.exec(value)
  if (!shape || (shape[1] && shape[3])) return bad(text, `write ${FORMS}`)
  const first = readDay(shape[2])
  const second = shape[3] === undefined ? first : readDay(shape[3])
  if (!first || !second)
    return bad(text, "there is no such day in the calendar; write an existing one, like 2026-03-31")
  if (shape[1] === "since") return { ok: true, from: start(first) }
  if (shape[1] === "before") return { ok: true, to: start(first) - 1 }
  if (start(second) < start(first))
    return bad(text, `the range ends before it starts; write ${shape[3]} to ${shape[2]}`)
  return { ok: true, from: start(first), to: end(second) }
}

function bad(value: string, advice: string): DateResult {
  return { ok: false, error: `date ${shownValue(value)} is not understood: ${advice}.` }
}

function readDay(text: string | undefined): Day | undefined {
  const [year = 0, month = 0, day = 0] = (text ?? "").split("-").map(Number)
  return exists({ year, month, day }) ? { year, month, day } : undefined
}

function exists(day: Day): boolean {
  return day.year >= 1 && day.month >= 1 && day.month <= 12 && day.day >= 1 && day.day <= daysIn(day)
}

function daysIn(day: Day): number {
  return fromUtc(utc({ year: day.year, month: day.month + 1, day: 0 })).day
}

function back(day: Day, count: number, unit: string | undefined): Day {
  if (unit === "month") return addMonths(day, -count)
  return addDays(day, unit === "week" ? -7 * count : -count)
}

function addDays(day: Day, count: number): Day {
  return fromUtc(utc({ ...day, day: day.day + count }))
}

/** Month ends are clamped: one month before 31 March is 28 or 29 February. */
function addMonths(day: Day, count: number): Day {
  const first = fromUtc(utc({ year: day.year, month: day.month + count, day: 1 }))
  return { ...first, day: Math.min(day.day, daysIn(first)) }
}

/** The calendar day as milliseconds in a zone without clock changes; only for calendar arithmetic. */
function utc(day: Day): number {
  const date = new Date(0)
  date.setUTCFullYear(day.year, day.month - 1, day.day)
  return date.getTime()
}

function fromUtc(ms: number): Day {
  const date = new Date(ms)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

function dayOf(ms: number, timeZone: string | undefined): Day {
  if (timeZone !== undefined) return fromUtc(wallClock(ms, timeZone))
  const date = new Date(ms)
  return { year: date.getFullYear(), month: date.getMonth() + 1, day: date.getDate() }
}

/** The first instant of the day. Where midnight does not exist, the day starts when the clock was moved to. */
function startOfDay(day: Day, timeZone: string | undefined): number {
  if (timeZone === undefined) {
    const date = new Date(2000, 0, 1)
    date.setFullYear(day.year, day.month - 1, day.day)
    return date.getTime()
  }
  const wanted = utc(day)
  // No zone is more than 14 hours from UTC and no day starts twice: find the first instant of that wall day.
  let low = wanted - 15 * HOUR
  let high = wanted + 15 * HOUR
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (wallClock(middle, timeZone) >= wanted) high = middle
    else low = middle + 1
  }
  return low
}

const HOUR = 3_600_000

/** The zone's wall clock at an instant, written as if it were UTC. */
function wallClock(ms: number, timeZone: string): number {
  const parts = new Map(
    formatter(timeZone)
      .formatToParts(ms)
      .map((part) => [part.type, Number(part.value)]),
  )
  const read = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0
  const day = utc({ year: read("year"), month: read("month"), day: read("day") })
  return (
    day +
    read("hour") * HOUR +
    read("minute") * 60_000 +
    read("second") * 1_000 +
    (((ms % 1_000) + 1_000) % 1_000)
  )
}

const formatters = new Map<string, Intl.DateTimeFormat>()

function formatter(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone)
  if (known) return known
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  })
  formatters.set(timeZone, made)
  return made
}
