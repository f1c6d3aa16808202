import { test } from "node:test"
import assert from "node:assert/strict"
import * as fc from "fast-check"
import { partIDsAfter } from "../../../src/hosts/v1/ids.ts"

const now = Date.UTC(2026, 10, 30)

test("ids have the host's form", () => {
  for (const id of partIDsAfter([], 50, now)) assert.match(id, /^prt_[0-9a-f]{12}[0-9A-Za-z]{14}$/)
})

test("they sort behind all existing ones and in their own order, whatever the clock says", () => {
  const hex = fc
    .integer({ min: 0, max: 2 ** 47 })
    .map((value) => `prt_${value.toString(16).padStart(12, "0")}ABCDEFGHIJKLMN`)
  fc.assert(
    fc.property(fc.array(hex, { maxLength: 5 }), fc.nat({ max: 100 }), (existing, count) => {
      const made = partIDsAfter(existing, count, now)
      assert.deepEqual([...made].sort(), made)
      assert.equal(new Set(made).size, count)
      const highest = [...existing].sort().at(-1)
      if (highest !== undefined && made[0] !== undefined) assert.ok(made[0] > highest)
    }),
  )
})

test("an id of another form does not disturb them", () => {
  assert.equal(partIDsAfter(["", "x", "prt_nothex", "msg_1"], 2, now).length, 2)
})
