import assert from "node:assert/strict"
import { describe, test } from "node:test"
import * as fc from "fast-check"
import { nearest } from "../../src/text/nearest.ts"
import {
  oneLine,
  oneLineUnits,
  printableLines,
  printableTitle,
  shownValue,
} from "../../src/text/printable.ts"

describe("printableTitle", () => {
  prints("Fix build", '"Fix build"')
  prints('a "quoted"\n- Session ID: ses_x', '"a \\"quoted\\"\\n- Session ID: ses_x"')
  prints("a\u2028b\u0085c\u007f", '"a\\u2028b\\u0085c\\u007f"')
  prints("a\u202eb", '"a\\u202eb"')
  prints("\ud800", '"\uFFFD"')
  prints("中 🚀 👩‍💻", '"中 🚀 👩‍💻"')

  function prints(title: string, expected: string): void {
    test(JSON.stringify(title), () => assert.equal(printableTitle(title), expected))
  }
})

describe("printableLines", () => {
  prints("a\nb\tc", "a\nb\tc")
  prints("a\r\nb\rc\u2028d\u2029e\u0085f", "a\nb\nc\nd\ne\nf")
  prints("a\u0008b\u000bc", "a\\u0008b\\u000bc")
  prints("a\u2066b", "a\\u2066b")

  function prints(text: string, expected: string): void {
    test(JSON.stringify(text), () => assert.equal(printableLines(text), expected))
  }
})

describe("shownValue", () => {
  shows("a\nb", '"a\\nb"')
  shows("x".repeat(200), `"${"x".repeat(80)}"… (200 characters)`)
  shows(12.5, "12.5")
  shows(Number.NaN, "NaN")
  shows(null, "null")
  shows(undefined, "undefined")
  shows(false, "false")
  shows([1, 2], "a list of 2")
  shows({ a: 1 }, "an object")
  shows(12n, "a bigint")
  shows(Symbol("s"), "a symbol")

  function shows(value: unknown, expected: string): void {
    test(expected, () => assert.equal(shownValue(value), expected))
  }
})

describe("nearest", () => {
  finds("sessionID", "sessionId")
  finds("session_id", "sessionId")
  finds("sesionId", "sessionId")
  finds("limits", "limit")
  finds("colour", undefined)
  finds("", undefined)
  finds("s".repeat(100_000), undefined)

  function finds(word: string, expected: string | undefined): void {
    test(word.slice(0, 20), () => assert.equal(nearest(word, ["sessionId", "limit"]), expected))
  }
})

const anyText = fc.string({
  unit: fc.oneof(fc.constantFrom("\n", "\u202e", "\ud800", "\0", '"', "\\"), fc.string({ maxLength: 2 })),
})

test("a printed title is one safe line that parses back", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (title) => {
      const printed = printableTitle(title)
      assert.doesNotMatch(printed, /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u)
      assert.equal(JSON.parse(printed), title.replaceAll("\0", "\uFFFD"))
    }),
  )
})

test("oneLineUnits says how long each unit becomes", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      let units = 0
      for (let at = 0; at < text.length; at++) units += oneLineUnits(text, at)
      assert.equal(oneLine(text).length, units)
    }),
  )
})
