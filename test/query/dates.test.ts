import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { describe, test } from "node:test"
import { fileURLToPath } from "node:url"
import { parseDate } from "../../src/query/dates.ts"
import { dateCases } from "./dates-table.ts"

// The zone of a process is fixed when it starts, so each zone is a process: this file starts itself again.

const ZONES = ["UTC", "America/Los_Angeles", "Asia/Kolkata", "America/Sao_Paulo"]
const HOUR = 3_600_000

if (process.env["BATON_DATES_ZONE"] === undefined) {
  for (const zone of ZONES)
    test(`the dates in ${zone}`, () => {
      const file = fileURLToPath(import.meta.url)
      const bun = process.versions["bun"] !== undefined
      // A test runner inside a test runner would report to the outer one: its context is taken away.
      const { NODE_TEST_CONTEXT: _context, ...env } = process.env
      const child = spawnSync(process.execPath, bun ? ["test", file] : ["--test", file], {
        env: { ...env, TZ: zone, BATON_DATES_ZONE: zone },
        encoding: "utf8",
      })
      assert.equal(child.status, 0, child.stdout + child.stderr)
      assert.match(child.stdout + child.stderr, bun ? /[1-9]\d* pass/ : /pass [1-9]/)
    })
} else {
  describe(`dates in ${process.env["BATON_DATES_ZONE"]}`, dateCases)
}

describe("days of 23 and 25 hours, in a named zone", () => {
  hours("2026-03-08", "America/Los_Angeles", 23)
  hours("2026-11-01", "America/Los_Angeles", 25)
  hours("2026-03-08", "Asia/Kolkata", 24)
  hours("2026-03-08", "UTC", 24)
  hours("2018-11-04", "America/Sao_Paulo", 23)
  hours("2026-03", "America/Los_Angeles", 31 * 24 - 1)

  function hours(text: string, timeZone: string, expected: number): void {
    test(`${text} in ${timeZone}`, () => {
      const result = parseDate(text, { now: 0, timeZone })
      assert.ok(result.ok)
      assert.equal((result.to ?? 0) + 1 - (result.from ?? 0), expected * HOUR)
    })
  }
})

test("today is the day of the named zone, not of UTC", () => {
  const now = Date.UTC(2026, 2, 31, 22, 30)
  const result = parseDate("today", { now, timeZone: "Asia/Kolkata" })
  assert.deepEqual(result, {
    ok: true,
    from: Date.UTC(2026, 2, 31, 18, 30),
    to: Date.UTC(2026, 3, 1, 18, 30) - 1,
  })
})
