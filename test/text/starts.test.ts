import assert from "node:assert/strict"
import { test } from "node:test"
import * as fc from "fast-check"
import { createStarts } from "../../src/text/starts.ts"

const WORDS = ["sk-", "SG", "ghp_", "://", "authorization", "Q~", "_auth"]
const starts = createStarts(WORDS.map((word) => ({ words: [word], value: word })))

function placesOf(text: string): readonly (readonly [number, readonly string[]])[] {
  const places: (readonly [number, readonly string[]])[] = []
  for (let at = starts.next(text, 0); at >= 0; at = starts.next(text, at + 1))
    places.push([at, starts.at(text, at)])
  return places
}

test("every place where a word begins is told, with the word, whatever the case and what is around", () => {
  const other = fc.oneof(fc.string({ unit: "binary", maxLength: 6 }), fc.constantFrom("s", "sk", "a", "東京"))
  const word = fc.constantFrom(...WORDS, ...WORDS.map((one) => one.toUpperCase()))
  fc.assert(
    fc.property(fc.array(fc.oneof(other, word), { maxLength: 12 }), (pieces) => {
      // A word of two characters is looked up with the one behind it.
      const text = `${pieces.join("")} `
      const lower = text.toLowerCase()
      if (lower.length !== text.length) return
      const told = new Map(placesOf(text))
      for (const one of WORDS)
        for (
          let at = lower.indexOf(one.toLowerCase());
          at >= 0;
          at = lower.indexOf(one.toLowerCase(), at + 1)
        )
          assert.ok(told.get(at)?.includes(one), `${one} at ${at}`)
    }),
  )
})

test("most of a text is passed over", () => {
  const text = "the quick brown fox jumps over the lazy dog\n".repeat(100)
  assert.deepEqual(placesOf(text), [])
})

test("values of words with one start come in the given order", () => {
  const both = createStarts([
    { words: ["sk-ant-"], value: "first" },
    { words: ["xapp-", "SK-"], value: "second" },
  ])
  assert.deepEqual(both.at("sk-", 0), ["first", "second"])
  assert.equal(both.next("a sk-", 0), 2)
  assert.equal(both.next("sk", 0), -1)
})
