import { describe, test } from "node:test"
import assert from "node:assert/strict"
import * as fc from "fast-check"
import { clockOf } from "../../src/tools/search/when.ts"

describe("the clock of answers", () => {
  const own = clockOf(undefined)
  const named = clockOf(own.zone)

  test("without a zone it is that of the process's own", () => {
    assert.equal(own.zone, Intl.DateTimeFormat().resolvedOptions().timeZone)
    fc.assert(
      fc.property(
        fc.date({ min: new Date("1970-01-02"), max: new Date("2200-01-01"), noInvalidDate: true }),
        (at) => assert.equal(own.time(at.getTime()), named.time(at.getTime())),
      ),
    )
  })

  test("midnight is 00:00 and digits are two", () => {
    assert.equal(clockOf("UTC").time(Date.UTC(2026, 2, 1)), "2026-03-01 00:00")
    assert.equal(own.time(new Date(2026, 2, 1, 4, 5).getTime()), "2026-03-01 04:05")
  })
})
