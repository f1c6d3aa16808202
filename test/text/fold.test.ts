import assert from "node:assert/strict"
import { describe, test } from "node:test"
import * as fc from "fast-check"
import { FIND_PIECE_UNITS, findFolded, fold, foldWithMap, originalRange } from "../../src/text/fold.ts"

describe("spellings that match", () => {
  same("É", "é")
  same("RÉGLAGE du Cache", "réglage DU cache")
  same("ΟΔΟΣ", "οδος")
  same("ΟΔΟΣ", "οδοσ")
  same("οδος", "οδοσ")
  same("straße", "STRASSE")
  same("straße", "STRAẞE")
  same("İ", "i\u0307")
  same("ПРИВЕТ", "привет")
  same("Ǆ", "ǅ")
  same("ﬁx", "FIX")
  same("\u212A", "k")
  same("Ꭰ", "ꭰ")
  same("𐐀", "𐐨")
  same("ſ", "S")
  same("\u1FBE", "ι")
  same("東京", "東京")

  function same(one: string, other: string): void {
    test(`${one} = ${other}`, () => assert.equal(fold(one), fold(other)))
  }
})

describe("spellings that do not match", () => {
  differ("é", "e")
  differ("I", "ı")
  differ("İ", "i")
  differ("ß", "s")
  differ("Å", "A")
  differ("ΐ", "ι")
  differ("ー", "-")

  function differ(one: string, other: string): void {
    test(`${one} ≠ ${other}`, () => assert.notEqual(fold(one), fold(other)))
  }
})

describe("findFolded gives the range in the original", () => {
  finds("Login token", "TOKEN", "token")
  finds("η ΟΔΟΣ μου", "οδος", "ΟΔΟΣ")
  finds("İİİ ΟΔΟΣ", "οδοσ", "ΟΔΟΣ")
  finds("ßßß hit", "HIT", "hit")
  finds("Große Straße 7", "strasse", "Straße")
  finds("aßb", "s", "ß")
  finds("xİ", "i", "İ")
  finds("🚀🚀 É", "é", "É")
  finds("ǅ ĳ", "ǆ", "ǅ")
  finds("abc", "abcd", undefined)
  finds("abc", "", undefined)
  finds("", "a", undefined)

  function finds(text: string, needle: string, expected: string | undefined): void {
    test(`${needle} in ${text}`, () => {
      const range = findFolded(text, fold(needle))
      assert.equal(range && text.slice(range.start, range.end), expected)
    })
  }
})

test("the search starts at `from`", () => {
  assert.deepEqual(findFolded("ab AB", "ab", 1), { start: 3, end: 5 })
  assert.equal(findFolded("ab AB", "ab", 4), undefined)
})

test("a hit across the border of two pieces is found where it is", () => {
  for (const shift of [-6, -3, -1, 0, 1]) {
    const text = `${"ß".repeat(FIND_PIECE_UNITS + shift)}ΟΔΟΣ tail`
    const at = text.indexOf("ΟΔΟΣ")
    assert.deepEqual(findFolded(text, fold("οδος")), { start: at, end: at + 4 })
  }
})

test("every character folds the same alone and in a text, folds once, and never gets shorter", () => {
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code < 0xe000) continue
    const character = String.fromCodePoint(code)
    const folded = fold(character)
    if (
      folded.length < character.length ||
      fold(folded) !== folded ||
      foldWithMap(`é${character}`).text !== `é${folded}`
    )
      assert.fail(`U+${code.toString(16)} folds to ${JSON.stringify(folded)}`)
  }
})

const letters = fc.string({
  unit: fc.constantFrom("a", "S", "ß", "ẞ", "İ", "Σ", "ς", "é", "É", "🚀", "ŉ", "ﬃ", "ΐ", " "),
})

test("findFolded finds exactly when the folded text holds the needle", () => {
  fc.assert(
    fc.property(letters, letters, (text, word) => {
      const needle = fold(word)
      const range = findFolded(text, needle)
      assert.equal(range !== undefined, needle !== "" && fold(text).includes(needle))
      if (range) assert.ok(fold(text.slice(range.start, range.end)).includes(needle))
    }),
  )
})

test("a range of whole characters comes back as itself", () => {
  fc.assert(
    fc.property(letters, letters, letters, (before, hit, after) => {
      fc.pre(hit !== "")
      const folded = foldWithMap(before + hit + after)
      assert.equal(folded.text, fold(before) + fold(hit) + fold(after))
      const start = fold(before).length
      assert.deepEqual(originalRange(folded, { start, end: start + fold(hit).length }), {
        start: before.length,
        end: before.length + hit.length,
      })
    }),
  )
})
