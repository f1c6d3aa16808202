import assert from "node:assert/strict"
import { test } from "node:test"
import { parseDate } from "../../src/query/dates.ts"

// The cases of the date argument, run in each zone by a file of its own: wall-clock times in, wall-clock times out.

/** Milliseconds of a local wall-clock time in the process's zone. */
export function local(text: string): number {
  return new Date(text).getTime()
}

const NOW = "2026-03-31T10:20:30.400"

export function dateCases(): void {
  range("today", "2026-03-31T00:00:00.000", "2026-03-31T23:59:59.999")
  range("Yesterday", "2026-03-30T00:00:00.000", "2026-03-30T23:59:59.999")
  range("last 7 days", "2026-03-24T00:00:00.000", NOW)
  range("last 1 day", "2026-03-30T00:00:00.000", NOW)
  range("  LAST   2   weeks ", "2026-03-17T00:00:00.000", NOW)
  range("last 1 month", "2026-02-28T00:00:00.000", NOW)
  range("last 13 months", "2025-02-28T00:00:00.000", NOW)
  range("last 25 months", "2024-02-29T00:00:00.000", NOW)
  range("last 3 months", "2025-12-31T00:00:00.000", NOW)
  range("2026-03-08", "2026-03-08T00:00:00.000", "2026-03-08T23:59:59.999")
  range("2026-11-01", "2026-11-01T00:00:00.000", "2026-11-01T23:59:59.999")
  range("2024-02", "2024-02-01T00:00:00.000", "2024-02-29T23:59:59.999")
  range("2025-12", "2025-12-01T00:00:00.000", "2025-12-31T23:59:59.999")
  range("2026-03-01 to 2026-03-31", "2026-03-01T00:00:00.000", "2026-03-31T23:59:59.999")
  range("2026-03-08 to 2026-03-08", "2026-03-08T00:00:00.000", "2026-03-08T23:59:59.999")
  range("since 2026-03-08", "2026-03-08T00:00:00.000", undefined)
  range("before 2026-03-09", undefined, "2026-03-08T23:59:59.999")
  range("0099-12-31", "0099-12-31T00:00:00.000", "0099-12-31T23:59:59.999")

  error("2024-02-30", /no such day/)
  error("2023-02-29", /"2023-02-29".*no such day/)
  error("2024-00", /no such month/)
  error("2024-13-45", /no such day/)
  error("0000-01-01", /no such day/)
  error("2026-01-01 to 2026-02-30", /no such day/)
  error("2026-03-31 to 2026-03-01", /ends before it starts; write 2026-03-01 to 2026-03-31/)
  error("last 0 days", /from 1 to/)
  error("last 99999 months", /from 1 to/)
  range("7d", "2026-03-24T00:00:00.000", NOW)
  range("2w", "2026-03-17T00:00:00.000", NOW)
  range("7 days", "2026-03-24T00:00:00.000", NOW)
  range("past 2 weeks", "2026-03-17T00:00:00.000", NOW)
  range("3 days ago", "2026-03-28T00:00:00.000", "2026-03-28T23:59:59.999")
  range("a week ago", "2026-03-24T00:00:00.000", "2026-03-24T23:59:59.999")
  range("1 month ago", "2026-02-28T00:00:00.000", "2026-02-28T23:59:59.999")
  range("this month", "2026-03-01T00:00:00.000", NOW)
  range("last month", "2026-02-01T00:00:00.000", "2026-02-28T23:59:59.999")
  range("since yesterday", "2026-03-30T00:00:00.000", undefined)
  range("since 3 days ago", "2026-03-28T00:00:00.000", undefined)
  range("since last month", "2026-02-01T00:00:00.000", undefined)
  range("since 2026-02", "2026-02-01T00:00:00.000", undefined)
  range("before today", undefined, "2026-03-30T23:59:59.999")
  range("2026-01 to 2026-02", "2026-01-01T00:00:00.000", "2026-02-28T23:59:59.999")
  range("2026-03-08 to yesterday", "2026-03-08T00:00:00.000", "2026-03-30T23:59:59.999")

  error("last week", /write "last 7 days" or the days, like "2026-03-23 to 2026-03-29"/)
  error("this week", /write "last 7 days" or the days, like "2026-03-30 to 2026-03-31"/)
  error("since last week", /like "since 2026-03-23"/)
  error("since last monday", /like "since 2026-03-30"/)
  error("last tuesday", /like "2026-03-24"/)
  error("on friday", /like "2026-03-27"/)
  error("this year", /write "since 2026-01-01"/)
  error("last year", /write "2025-01-01 to 2025-12-31"/)
  error("3m", /write "last 3 months"/)
  error("2 years", /write "last 24 months"/)
  error("last 3 hours", /write today/)
  error("yesterday to today to today", /write today/)
  error("tomorrow", /write today, yesterday/)
  error("since 2026-01-01 to 2026-02-01", /write today/)
  error("", /write today/)
  error("x".repeat(10_000), /write today/)
}

function range(text: string, from: string | undefined, to: string | undefined): void {
  test(text, () => {
    const result = parseDate(text, { now: local(NOW) })
    assert.ok(result.ok)
    assert.equal(result.from, from === undefined ? undefined : local(from))
    assert.equal(result.to, to === undefined ? undefined : local(to))
  })
}

function error(text: string, expected: RegExp): void {
  test(`error: ${text.slice(0, 40)}`, () => {
    const result = parseDate(text, { now: local(NOW) })
    assert.ok(!result.ok)
    assert.match(result.error, expected)
    assert.ok(result.error.length < 400 && !result.error.includes("\n"))
  })
}
