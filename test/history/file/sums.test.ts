import assert from "node:assert/strict"
import { test } from "node:test"
import { bodySum, rowSum } from "../../../src/history/file/sums.ts"

// The sums are the same in every runtime that opens the file, and bound to the key.

test("of a body, also an empty one of any origin", () => {
  assert.equal(bodySum(7, new Uint8Array()), 7)
  assert.equal(bodySum(7, new Uint8Array(new ArrayBuffer(8), 8, 0)), 7)
  assert.equal(bodySum(0, "123456789"), 0xcbf43926 | 0)
  assert.equal(bodySum(5, "text"), bodySum(5, new TextEncoder().encode("text")))
  assert.notEqual(bodySum(5, "text"), bodySum(6, "text"))
  assert.notEqual(bodySum(5, "text"), bodySum(5 + 2 ** 32, "text"))
})

test("of a row: neither a moved value nor a missing one has the same", () => {
  const rows = [
    [1, "a", "b"],
    [1, "ab", ""],
    [1, "a", null],
    [1, "a", ""],
    [1, new Uint8Array(), "a"],
    [2, "a", "b"],
  ]
  assert.equal(new Set(rows.map((row) => rowSum(row))).size, rows.length)
  assert.equal(rowSum([1, "a", 9], 2), rowSum([1, "a"]))
})
