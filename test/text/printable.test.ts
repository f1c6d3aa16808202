import assert from "node:assert/strict"
import { describe, test } from "node:test"
import * as fc from "fast-check"
import { nearest } from "../../src/text/nearest.ts"
import {
  guarded,
  isPrintable,
  oneLine,
  oneLineUnits,
  pasteable,
  printableJson,
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

describe("oneLine", () => {
  // Escaped: what steers, turns or hides.
  prints("a\u009b31mb", "a\\u009b31mb")
  prints("a\u200bb", "a\\u200bb")
  prints("a\u200db", "a\\u200db")
  prints("a\ufe0f", "a\\ufe0f")
  prints("a\u{e0041}", "a\\udb40\\udc41")
  prints("a\u3164\u2060\ufff9", "a\\u3164\\u2060\\ufff9")
  // Kept: what a character is made of.
  for (const text of ["👩‍💻", "❤️", "1️⃣", "می‌خواهم", "क्‍ष", "葛\u{e0100}", "שלום", "🇩🇪", "é"]) prints(text, text)

  function prints(text: string, expected: string): void {
    test(JSON.stringify(text), () => assert.equal(oneLine(text), expected))
  }
})

test("everything that Unicode calls ignorable or a control is escaped behind a letter, and nothing else", () => {
  for (let code = 1; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    const character = String.fromCodePoint(code)
    const hidden = /[\p{Cc}\p{DI}\p{Zl}\p{Zp}\uFFF9-\uFFFB]/u.test(character)
    if (isPrintable(`a${character}`) === hidden) assert.fail(code.toString(16))
  }
})

describe("guarded", () => {
  const link = "\u001B]8;;file:///a%20b\u001B\\a b\u001B]8;;\u001B\\"
  for (const own of ["a\tb\nc", "\u001B[1;33mhit\u001B[22;39m", link]) prints(own, own)
  prints("\u001B[2J", "\\u001b[2J")
  prints("\u001B]52;c;eA==\u0007", "\\u001b]52;c;eA==\\u0007")
  prints("\u001B]8;;http://x\u001B\\", "\\u001b]8;;http://x\\u001b\\")
  prints("a\rb\u202e\ud800", "a\\rb\\u202e\uFFFD")

  function prints(text: string, expected: string): void {
    test(JSON.stringify(text), () => assert.equal(guarded(text), expected))
  }
})

test("printed JSON is the same value, and holds nothing that steers or hides", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.constantFrom(undefined, 2), (text, indent) => {
      const printed = printableJson({ [text]: [text] }, indent)
      assert.ok(printed.split("\n").every(isPrintable))
      assert.deepEqual(JSON.parse(printed), { [text]: [text] })
    }),
  )
})

describe("pasteable", () => {
  pastes("a\r\nb\tc\u2028d", "a\nb\tc\nd")
  pastes("so\u00adft \u200bzero \u202Ebidi \u0007bell \u001b[201~", "soft zero bidi bell [201~")
  pastes("❤️ می‌خواهم \\n \\u0041", "❤️ می‌خواهم \\n \\u0041")

  function pastes(text: string, expected: string): void {
    test(JSON.stringify(text), () => assert.equal(pasteable(text), expected))
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
