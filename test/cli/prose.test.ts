import { describe, test } from "node:test"
import assert from "node:assert/strict"
import * as fc from "fast-check"
import { widthOf } from "../../src/cli/layout.ts"
import { proseLines } from "../../src/cli/view/prose.ts"

describe("prose on a screen of 30 columns", () => {
  const rows: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    [
      "is broken between words",
      ["one two three four five six seven eight"],
      ["one two three four five six", "seven eight"],
    ],
    [
      "goes on below the text of a list",
      ["- one two three four five six seven", "12. one two three four five six"],
      ["- one two three four five six", "  seven", "12. one two three four five", "    six"],
    ],
    [
      "keeps quote marks",
      ["> one two three four five six seven"],
      ["> one two three four five six", "> seven"],
    ],
    [
      "fills a line of both kinds of words",
      ["one two three four five 東京のサーバー。"],
      ["one two three four five 東京の", "サーバー。"],
    ],
    [
      "is not code, whatever the fence",
      ["~~~", "const a = 'one two three four five six seven'", "~~~", "one two three four five six seven"],
      ["~~~", "const a = 'one two three four five six seven'", "~~~", "one two three four five six", "seven"],
    ],
    [
      "is no table and no indented code",
      ["| one two three | four five six seven |", "    one two three four five six seven"],
      ["| one two three | four five six seven |", "    one two three four five six seven"],
    ],
    [
      "breaks wide characters by their columns",
      ["東京のサーバーを更新してください。"],
      ["東京のサーバーを更新してくださ", "い。"],
    ],
  ]
  for (const [name, given, wanted] of rows) test(name, () => assert.deepEqual(proseLines(given, 30), wanted))

  test("loses no word, whatever the text", () => {
    const text = fc.array(
      fc.constantFrom("one", "two", "- ", "> ", "```", "|", "    ", "\t", "東京", "a".repeat(40)),
    )
    fc.assert(
      fc.property(fc.array(text, { maxLength: 6 }), (lines) => {
        const given = lines.map((words) => words.join(" "))
        const shown = proseLines(given, 30)
        const letters = (all: readonly string[]) => all.join("").replaceAll(/[\s>]/g, "")
        assert.equal(letters(shown), letters(given))
      }),
    )
  })

  test("is never wider than the screen", () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 60 }), (text) =>
        assert.ok(proseLines([text], 30).every((line) => widthOf(line) <= 30)),
      ),
    )
  })
})
