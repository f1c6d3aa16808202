import assert from "node:assert/strict"
import { describe, test } from "node:test"
import * as fc from "fast-check"
import { composed } from "../../src/text/compose.ts"
import {
  FIND_PIECE_UNITS,
  findFolded,
  fold,
  foldsPlainly,
  foldWithMap,
  originalRange,
} from "../../src/text/fold.ts"

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
  same("bệnh", "BỆNH".normalize("NFD"))
  same("한국어", "한국어".normalize("NFD"))
  same("\u212B", "å")
  same("\u2126", "ω")
  same("e\u0323\u0302", "e\u0302\u0323")
  same("J\u030C", "ǰ")
  same("I\u0308\u0301".replace("I", "Ι"), "ΐ")
  same("\uF900", "豈")

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
  finds("die Cafe\u0301s", "café", "Cafe\u0301")
  finds("Cafe\u0301", "cafe", undefined)
  finds("Cafe\u0301", "e", undefined)
  finds("\u1112\u1161\u11AB국", "한", "\u1112\u1161\u11AB")
  finds("\u1112\u1161\u11AB국", "하", undefined)
  finds("हिन्दी", "ह", "ह")
  finds("5 k\u2126 x", "ω", "\u2126")
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

test("every character folds the same alone and in a text, folds once, and gets shorter only by composing", () => {
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code < 0xe000) continue
    const character = String.fromCodePoint(code)
    const folded = fold(character)
    if (
      folded.length < character.normalize("NFC").length ||
      fold(folded) !== folded ||
      folded !== fold(character.normalize("NFD")) ||
      composed(character) !== character.normalize("NFC") ||
      (foldsPlainly(character) && folded !== character && !(code >= 0x41 && code <= 0x5a)) ||
      foldWithMap(`東${character}`).text !== `東${folded}`
    )
      assert.fail(`U+${code.toString(16)} folds to ${JSON.stringify(folded)}`)
  }
})

const letters = fc.string({
  unit: fc.constantFrom("a", "S", "ß", "ẞ", "İ", "Σ", "ς", "é", "É", "🚀", "ŉ", "ﬃ", "ΐ", " "),
})

const PIECES = [
  "e",
  "E",
  "\u0301",
  "\u0316",
  "\u0323",
  "\u0302",
  "é",
  "ệ",
  "J",
  "\u030C",
  "ǰ",
  "İ",
  "I",
  "\u0307",
  "Å",
  "\u212B",
  "\u2126",
  "\u212A",
  "k",
  "ß",
  "α",
  "\u0345",
  "ᾧ",
  "ㄱ",
  "\u1112",
  "\u1161",
  "\u11AB",
  "한",
  "가",
  "क",
  "\u093C",
  "\u0958",
  "豈",
  "\uF900",
  "中",
  "🚀",
  " ",
  "ΐ",
  "Ϊ",
]
const spelt = fc.string({ unit: fc.constantFrom(...PIECES), maxLength: 12 })
const form = fc.constantFrom("NFC", "NFD", "written")
const inForm = (text: string, name: string): string => (name === "written" ? text : text.normalize(name))

test("canonically equivalent texts fold alike; what is found is written there", () => {
  fc.assert(
    fc.property(spelt, spelt, spelt, form, form, (before, word, after, one, other) => {
      const text = inForm(before + word + after, one)
      assert.equal(fold(text), fold(inForm(before + word + after, other)))
      assert.equal(fold(fold(text)), fold(text))
      assert.equal(foldWithMap(text).text, fold(text))
      if (foldsPlainly(text)) assert.equal(fold(text), text.toLowerCase())
      const needle = fold(inForm(word, other))
      const place = findFolded(text, needle)
      assert.equal(place !== undefined, needle !== "" && fold(text).includes(needle))
      if (place) assert.ok(fold(text.slice(place.start, place.end)).includes(needle))
    }),
    { numRuns: 3_000 },
  )
})

test("a run of marks without end costs time in proportion to its length", () => {
  const run = (marks: number): number => {
    const text = `a${"\u0301\u0316".repeat(marks / 2)}`
    const start = performance.now()
    fold(text)
    return performance.now() - start
  }
  run(20_000)
  assert.ok(run(200_000) < 40 * Math.max(1, run(20_000)))
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
