import assert from "node:assert/strict"
import { test } from "node:test"
import * as fc from "fast-check"
import { joinTitles } from "../../../src/history/read/titles.ts"

test("a word is found in exactly the titles that hold it, also across their ends", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n", "é", "🦄"), maxLength: 6 })
  fc.assert(
    fc.property(
      fc.array(text),
      text.filter((word) => word !== ""),
      (titles, word) => {
        const entries = titles.map((foldedTitle, at) => ({ foldedTitle, key: at + 1 }))
        assert.deepEqual(
          joinTitles(entries).holding(word),
          entries.filter((entry) => entry.foldedTitle.includes(word)).map((entry) => entry.key),
        )
      },
    ),
  )
})
