import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { describe, test } from "node:test"
import { fileURLToPath } from "node:url"
import * as fc from "fast-check"
import { clockOf } from "../../src/tools/search/when.ts"

// The zone of a process is fixed when it starts, so each zone is a process: this file starts itself again.

const ZONES = ["UTC", "America/Los_Angeles", "Asia/Kolkata", "America/Sao_Paulo"]
const zone = process.env["BATON_CLOCK_ZONE"]

if (zone === undefined) {
  for (const TZ of ZONES)
    test(`the clock of answers in ${TZ}`, { timeout: 60_000 }, () => {
      const file = fileURLToPath(import.meta.url)
      const bun = process.versions["bun"] !== undefined
      // A test runner inside a test runner would report to the outer one: its context is taken away.
      const { NODE_TEST_CONTEXT: _context, ...env } = process.env
      const child = spawnSync(process.execPath, bun ? ["test", file] : ["--test", file], {
        env: { ...env, TZ, BATON_CLOCK_ZONE: TZ },
        encoding: "utf8",
      })
      assert.equal(child.status, 0, child.stdout + child.stderr)
      assert.match(child.stdout + child.stderr, bun ? /[1-9]\d* pass/ : /pass [1-9]/)
    })
} else {
  describe(`the clock of answers in ${zone}`, () => {
    const own = clockOf(undefined)
    const named = clockOf(zone)

    test("without a zone it is that of the process's own", () => {
      // By its older name where the runtime prefers that one.
      assert.equal(own.zone, Intl.DateTimeFormat().resolvedOptions().timeZone)
      const aTime = fc.date({ min: new Date("1970-01-02"), max: new Date("2200-01-01"), noInvalidDate: true })
      fc.assert(
        fc.property(aTime, (at) => assert.equal(own.time(at.getTime()), named.time(at.getTime()))),
        { numRuns: 300 },
      )
    })

    test("every quarter of an hour around the changes of the clock", () => {
      for (const day of ["2026-03-08", "2026-11-01", "2018-11-04"])
        for (let quarter = 0; quarter < 2 * 96; quarter++) {
          const at = Date.parse(`${day}T00:00Z`) + quarter * 900_000
          assert.equal(own.time(at), named.time(at), new Date(at).toISOString())
        }
    })

    test("midnight is 00:00 and digits are two", () => {
      assert.equal(own.time(new Date(2026, 2, 1).getTime()), "2026-03-01 00:00")
      assert.equal(own.time(new Date(2026, 2, 1, 4, 5).getTime()), "2026-03-01 04:05")
    })
  })
}

describe("a named zone", () => {
  for (const [timeZone, expected] of [
    ["UTC", "2026-03-01 00:00"],
    ["America/Los_Angeles", "2026-02-28 16:00"],
    ["Asia/Kolkata", "2026-03-01 05:30"],
  ] as const)
    test(timeZone, () => assert.equal(clockOf(timeZone).time(Date.UTC(2026, 2, 1)), expected))
})
