// Days of the calendar and the instants at which they begin in a time zone. Pure.

export type Day = { readonly year: number; readonly month: number; readonly day: number }

/** Day of the week, 0 for Monday to 6 for Sunday. */
export function weekdayOf(day: Day): number {
  return (new Date(utc(day)).getUTCDay() + 6) % 7
}

/** The day as the date argument writes it: 2026-03-31. */
export function writtenDay({ year, month, day }: Day): string {
  const digits = (value: number, count: number) => String(value).padStart(count, "0")
  return `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`
}

/** Whether the calendar has such a day, from the year 1 on. */
export function exists(day: Day): boolean {
  return day.year >= 1 && day.month >= 1 && day.month <= 12 && day.day >= 1 && day.day <= daysIn(day)
}

function daysIn(day: Day): number {
  return fromUtc(utc({ year: day.year, month: day.month + 1, day: 0 })).day
}

/** The day `count` days later; earlier when it is negative. */
export function addDays(day: Day, count: number): Day {
  return fromUtc(utc({ ...day, day: day.day + count }))
}

/** Month ends are clamped: one month before 31 March is 28 or 29 February. */
export function addMonths(day: Day, count: number): Day {
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

/** The day of an instant; in the process's zone without a name. */
export function dayOf(ms: number, timeZone: string | undefined): Day {
  if (timeZone !== undefined) return fromUtc(wallClock(ms, timeZone))
  const date = new Date(ms)
  return { year: date.getFullYear(), month: date.getMonth() + 1, day: date.getDate() }
}

/** The first instant of the day. Where midnight does not exist, the day starts when the clock was moved to. */
export function startOfDay(day: Day, timeZone: string | undefined): number {
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
