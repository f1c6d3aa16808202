import { addDays, type Day, weekdayOf, writtenDay } from "./calendar.ts"

// What to write instead of a date whose words can mean two things: weeks begin on Monday for some and on Sunday for
// others, and "last Monday" may be this week's. Pure.

const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

/** Advice that names the nearest form with its dates filled in; undefined where nothing is near. */
export function nearestDateForm(value: string, today: Day): string | undefined {
  const [, bound, words = value] = /^(since|from|after|before|until|on) (.*)$/.exec(value) ?? []
  const open =
    bound === "before" || bound === "until"
      ? "before "
      : bound === undefined || bound === "on"
        ? ""
        : "since "
  const monday = addDays(today, -weekdayOf(today))
  if (words === "this week") return weekAdvice(open, monday, today)
  if (words === "last week") return weekAdvice(open, addDays(monday, -7), addDays(monday, -1))
  const [, before, name] = /^(?:(last|this) )?([a-z]+)$/.exec(words) ?? []
  const weekday = WEEKDAYS.indexOf(name ?? "")
  if (weekday >= 0) {
    const days = (weekdayOf(today) - weekday + 7) % 7 || (before === "last" ? 7 : 0)
    return `write the day, like "${open}${writtenDay(addDays(today, -days))}"`
  }
  if (words === "this year") return `write "since ${writtenDay({ ...today, month: 1, day: 1 })}"`
  if (words === "last year") {
    const year = today.year - 1
    return `write "${open === "" ? `${writtenDay({ year, month: 1, day: 1 })} to ${writtenDay({ year, month: 12, day: 31 })}` : open + writtenDay({ year, month: 1, day: 1 })}"`
  }
  const [, count, unit] = /^(?:last |past )?(\d{1,4}) ?(m|mo|mon|y|yr|years?)$/.exec(words) ?? []
  if (count !== undefined)
    return `write "last ${unit?.startsWith("y") ? Number(count) * 12 : Number(count)} months"`
  if (/^(?:last |past )?\d{1,6} ?(?:h|hours?|min|minutes?)(?: ago)?$/.test(words))
    return 'write today or "last 1 day": a date counts whole days'
  if (bound !== undefined && bound !== "since" && bound !== "before" && words !== "")
    return `write "${open}2026-03-01", with since or before`
  return undefined
}

function weekAdvice(open: string, first: Day, last: Day): string {
  if (open !== "") return `write the day, like "${open}${writtenDay(first)}"`
  return `write "last 7 days" or the days, like "${writtenDay(first)} to ${writtenDay(last)}"`
}
