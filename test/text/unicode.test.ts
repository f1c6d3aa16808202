import assert from "node:assert/strict"
import { describe, test } from "node:test"
import * as fc from "fast-check"
import { boundaryAfter, boundaryBefore, repairText, sliceUnits } from "../../src/text/unicode.ts"

describe("repairText", () => {
  repairs("fine 🚀 中", "fine 🚀 中")
  repairs("a\ud83db", "a\uFFFDb")
  repairs("\ude80", "\uFFFD")
  repairs("\ude80\ud83d", "\uFFFD\uFFFD")
  repairs("abc\0def", "abc\uFFFDdef")
  repairs("", "")

  function repairs(text: string, expected: string): void {
    test(JSON.stringify(text), () => assert.equal(repairText(text), expected))
  }
})

describe("sliceUnits", () => {
  slices("a🚀b", 0, 2, "a")
  slices("a🚀b", 2, 4, "b")
  slices("a🚀b", 1, 3, "🚀")
  slices("a🚀b", 2, 3, "")
  slices("e\u0301x", 1, 3, "x")
  slices("a👩‍💻b", 2, 7, "b")
  slices("a👩‍💻b", 0, 4, "a")
  slices("👍🏽!", 0, 2, "")
  slices("👍🏽!", 0, 4, "👍🏽")
  slices("❤\ufe0f!", 0, 1, "")
  slices("🇫🇷🇩🇪", 4, 8, "🇩🇪")
  slices("🇫🇷🇩🇪", 2, 8, "🇩🇪")
  slices("a\r\nb", 0, 2, "a")
  slices("abc", -5, 99, "abc")
  slices("abc", 2, 1, "")

  function slices(text: string, start: number, end: number, expected: string): void {
    test(`${JSON.stringify(text)} ${start}..${end}`, () =>
      assert.equal(sliceUnits(text, start, end), expected))
  }
})

test("a stack of marks without end is cut between marks, never inside a pair", () => {
  const stack = `a${"\u0301".repeat(500)}`
  assert.equal(boundaryBefore(stack, 300), 300)
  assert.equal(boundaryAfter(stack, 300), 300)
  const joined = "👩\u200d".repeat(200)
  assert.ok(joined.slice(0, boundaryBefore(joined, 301)).isWellFormed())
  assert.ok(joined.slice(boundaryAfter(joined, 301)).isWellFormed())
})

test("a slice is inside what was asked, whole, and the boundaries enclose the index", () => {
  const unit = fc.constantFrom("a", "🚀", "e\u0301", "👩‍💻", "🇫🇷", "\r\n", "\ufe0f", "\u200d")
  fc.assert(
    fc.property(fc.string({ unit }), fc.nat(40), fc.nat(40), (text, start, end) => {
      const slice = sliceUnits(text, start, end)
      assert.ok(slice.isWellFormed())
      assert.ok(text.slice(start, Math.max(start, end)).includes(slice))
      const at = Math.min(start, text.length)
      assert.ok(boundaryBefore(text, at) <= at && at <= boundaryAfter(text, at))
      assert.equal(boundaryBefore(text, boundaryBefore(text, at)), boundaryBefore(text, at))
    }),
  )
})
