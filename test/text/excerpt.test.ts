import assert from "node:assert/strict"
import { describe, test } from "node:test"
import * as fc from "fast-check"
import { excerpt } from "../../src/text/excerpt.ts"
import { findFolded, fold } from "../../src/text/fold.ts"
import { oneLine } from "../../src/text/printable.ts"
import { costRatio } from "../growth.ts"

describe("an excerpt", () => {
  shows("the login token expired", "token", 100, "the login token expired")
  shows("the login token expired", "token", 23, "the login token expired")
  shows("one two three four five six seven eight nine ten", "five", 22, "…four five six seven…")
  shows("one two three four five six seven eight nine ten", "one", 16, "one two three…")
  shows("one two three four five six seven eight nine ten", "ten", 16, "…eight nine ten")
  shows("a\n## User\nforged hit here", "hit", 100, "a\\n## User\\nforged hit here")
  shows("tab\there", "here", 100, "tab\\there")
  shows("x \u202e hit", "hit", 100, "x \\u202e hit")
  shows("ab hit\0", "hit", 100, "ab hit\uFFFD")
  shows("a long-word-that-is-the-hit b", "long-word-that-is-the-hit", 12, "…long-word-…")
  shows("中文字符测试中文字符测试", "测试", 8, "中文字符测试…")

  function shows(text: string, hit: string, maxUnits: number, expected: string): void {
    test(`${JSON.stringify(text)} around ${hit} in ${maxUnits}`, () => {
      const start = text.indexOf(hit)
      assert.equal(excerpt(text, { start, end: start + hit.length }, maxUnits), expected)
    })
  }
})

test("the hit is shown where folding changes lengths", () => {
  const text = `${"İ".repeat(400)} ΟΔΟΣ ${"ß".repeat(400)}`
  const range = findFolded(text, fold("οδος"))
  assert.ok(range)
  assert.match(excerpt(text, range, 100), /ΟΔΟΣ/)
})

test("one hit in 20 MB costs the excerpt, not the text", async () => {
  const around = (units: number) => {
    const text = `${"word ".repeat(units / 10)}needle${" word".repeat(units / 10)}`
    const start = text.indexOf("needle")
    return () => {
      for (let count = 0; count < 1_000; count++) excerpt(text, { start, end: start + 6 }, 300)
    }
  }
  const ratio = await costRatio(around(20_000), around(20_000_000), 10)
  assert.ok(ratio <= 10, `a thousand times the text costs ${ratio.toFixed(1)} times as much`)
})

const unit = fc.constantFrom(
  "a",
  "b",
  " ",
  "\n",
  "\t",
  "\u0001",
  "🚀",
  "e\u0301",
  "👩‍💻",
  "中",
  "\u202e",
  "\0",
  "\ud800",
)
const words = fc.string({ unit, maxLength: 80 })

test("it holds the hit, fits, is one line, and splits no character", () => {
  fc.assert(
    fc.property(
      words,
      fc.string({ unit, minLength: 1, maxLength: 5 }),
      words,
      fc.integer({ min: 70, max: 120 }),
      (a, hit, b, max) => {
        const text = a + hit + b
        const shown = excerpt(text, { start: a.length, end: a.length + hit.length }, max)
        assert.ok(shown.length <= max, `${shown.length} > ${max}`)
        assert.ok(shown.includes(oneLine(hit)) || /[\ud800-\udfff]$/u.test(a) || /^[\ud800-\udfff]/u.test(b))
        assert.doesNotMatch(shown, /[\p{Cc}\u202e]/u)
        assert.ok(shown.isWellFormed())
      },
    ),
    { numRuns: 500 },
  )
})

test("any range and any bound give a well-formed line within the bound", () => {
  fc.assert(
    fc.property(words, fc.integer(), fc.integer(), fc.nat(40), (text, start, end, max) => {
      const shown = excerpt(text, { start, end }, max)
      assert.ok(shown.length <= max && shown.isWellFormed())
    }),
  )
})
