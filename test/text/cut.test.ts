import assert from "node:assert/strict"
import { describe, test } from "node:test"
import * as fc from "fast-check"
import { cutBytes, cutJsonBytes, cutUnits, jsonBytes } from "../../src/text/cut.ts"

describe("cutUnits", () => {
  cuts("abc", 3, "abc")
  cuts("abc", 2, "ab")
  cuts("abc", 0, "")
  cuts("abc", -1, "")
  cuts("a🚀b", 2, "a")
  cuts("a🚀b", 3, "a🚀")
  cuts("xe\u0301y", 2, "x")
  cuts("👩‍💻!", 4, "")
  cuts("👩‍💻!", 5, "👩‍💻")
  cuts("🇫🇷🇩🇪", 6, "🇫🇷")
  cuts("", 0, "")

  function cuts(text: string, maxUnits: number, kept: string): void {
    test(`${JSON.stringify(text)} at ${maxUnits}`, () => {
      assert.deepEqual(cutUnits(text, maxUnits), {
        text: kept,
        cut: kept !== text,
        totalUnits: text.length,
        keptUnits: kept.length,
      })
    })
  }
})

describe("cutBytes", () => {
  cuts("abc", 3, "abc")
  cuts("abc", 2, "ab")
  cuts("é!", 1, "")
  cuts("é!", 2, "é")
  cuts("中文", 5, "中")
  cuts("🚀🚀", 7, "🚀")
  cuts("a", 0, "")

  function cuts(text: string, maxBytes: number, kept: string): void {
    test(`${text} at ${maxBytes}`, () => {
      const cut = cutBytes(text, maxBytes)
      assert.equal(cut.text, kept)
      assert.equal(cut.keptBytes, Buffer.byteLength(kept))
      assert.equal(cut.totalBytes, Buffer.byteLength(text))
    })
  }
})

const anyText = fc.string({
  unit: fc.constantFrom(
    "a",
    "\n",
    '"',
    "\\",
    "\u0001",
    "\u2028",
    "é",
    "中",
    "🚀",
    "e\u0301",
    "👩‍💻",
    "🇫🇷",
    "\ud800",
    "\udc00",
  ),
})
const size = fc.integer({ min: 0, max: 60 })

test("every cut is a start of the text, within its bound, and ends between characters", () => {
  fc.assert(
    fc.property(anyText, size, (text, max) => {
      for (const cut of [cutUnits(text, max), cutBytes(text, max), cutJsonBytes(text, max)]) {
        assert.ok(text.startsWith(cut.text))
        assert.equal(cut.cut, cut.text !== text)
        assert.equal(cut.keptUnits, cut.text.length)
        const rest = text.slice(cut.keptUnits)
        assert.ok(cut.text.isWellFormed() || !text.isWellFormed())
        assert.doesNotMatch(rest, /^[\u0301\u200d]/)
      }
      assert.ok(cutUnits(text, max).text.length <= max)
      assert.ok(Buffer.byteLength(cutBytes(text, max).text) <= max)
      assert.ok(jsonBytes(cutJsonBytes(text, max).text) <= max)
    }),
  )
})

test("a cut takes what fits: one character more would not", () => {
  const simple = fc.string({ unit: fc.constantFrom("a", "\n", '"', "\u0001", "é", "中", "🚀") })
  fc.assert(
    fc.property(simple, size, (text, max) => {
      const bytes = cutBytes(text, max)
      const json = cutJsonBytes(text, max)
      const next = (kept: string) => kept + String.fromCodePoint(text.codePointAt(kept.length) ?? 0)
      if (bytes.cut) assert.ok(Buffer.byteLength(next(bytes.text)) > max)
      if (json.cut) assert.ok(jsonBytes(next(json.text)) > max)
    }),
  )
})
