import assert from "node:assert/strict"
import { test } from "node:test"
import { createRecent } from "../../../src/history/runs/recent.ts"

test("a text is given for the row and stamp it was written with, and for no other", () => {
  const recent = createRecent(100)
  recent.note([{ rid: 7, stamp: 3, text: "one" }])
  assert.equal(recent.text(7, 3), "one")
  assert.equal(recent.text(7, 4), undefined)
  assert.equal(recent.text(8, 3), undefined)
  recent.note([{ rid: 7, stamp: 4, text: "two" }])
  assert.equal(recent.text(7, 3), undefined)
  assert.equal(recent.text(7, 4), "two")
})

test("what is beyond the bound is counted and not kept", () => {
  const recent = createRecent(10)
  recent.note([
    { rid: 1, stamp: 1, text: "12345678" },
    { rid: 2, stamp: 1, text: "12345678" },
  ])
  assert.equal(recent.text(1, 1), "12345678")
  assert.equal(recent.text(2, 1), undefined)
  assert.equal(recent.units, 16)
  recent.clear()
  assert.equal(recent.text(1, 1), undefined)
  assert.equal(recent.units, 0)
})

test("of a message that came twice in one write, only the last text counts, also beyond the bound", () => {
  const recent = createRecent(10)
  recent.note([
    { rid: 1, stamp: 1, text: "12345678" },
    { rid: 1, stamp: 1, text: "abcdefgh" },
  ])
  assert.equal(recent.text(1, 1), undefined)
})
