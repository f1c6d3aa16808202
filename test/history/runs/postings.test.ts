import assert from "node:assert/strict"
import { describe, test } from "node:test"
import * as fc from "fast-check"
import {
  foldWord,
  GRAM_COUNT,
  gramsOf,
  isExact,
  MAX_WORD_GRAMS,
  tripleOf,
} from "../../../src/history/runs/grams.ts"
import { createGramCollector } from "../../../src/history/runs/collect.ts"
import { createMatcher, MAX_PATTERN_UNITS } from "../../../src/history/search/matcher.ts"
import { appendBlocks, firstEntry, nextEntry } from "../../../src/history/runs/cursor.ts"
import { readBlocks, writePostings } from "../../../src/history/runs/postings.ts"
import { fold, foldsPlainly } from "../../../src/text/fold.ts"

/** Texts that nearly hold words: few letters, every length of character, ends of words. */
const text = fc.string({
  unit: fc.constantFrom("a", "b", "A", " ", ".", "é", "É", "東", "🚀", "ß", "ı", "İ", "K", "\n"),
  maxLength: 40,
})

test("a block's grams are those of every word in it", () => {
  fc.assert(
    fc.property(
      fc.array(text, { minLength: 1, maxLength: 3 }),
      fc.nat(40),
      fc.nat(12),
      (texts, from, length) => {
        const collector = createGramCollector(0)
        for (const one of texts) {
          collector.add(fold(one.toWellFormed()))
          collector.endBlock()
        }
        const { starts, blocks } = collector.lists()
        texts.forEach((one, number) => {
          const word = foldWord(one.slice(from, from + length))
          if (word === "" || !fold(one.toWellFormed()).includes(word)) return
          for (const gram of gramsOf(word))
            assert.ok(blocks.slice(starts[gram], starts[gram + 1]).includes(number), word)
        })
      },
    ),
  )
})

test("the gram of a word that is a gram is in no other block", () => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      const words = Array.from(one.toWellFormed(), foldWord)
      const folded = fold(other.toWellFormed())
      const collector = createGramCollector(0)
      collector.add(folded)
      collector.endBlock()
      const { starts } = collector.lists()
      for (const word of words.filter(isExact)) {
        const [gram = -1, ...more] = gramsOf(word)
        assert.deepEqual(more, [])
        assert.equal((starts[gram + 1] ?? 0) > (starts[gram] ?? 0), folded.includes(word), word)
      }
      assert.ok(["a", "é", "東", "ab"].every(isExact) && !["🚀", "abc", "éa"].some(isExact))
    }),
  )
})

test("every block has its grams, however many there are", () => {
  const collector = createGramCollector(1_000)
  const count = 600
  for (let block = 0; block < count; block++) {
    collector.add(block % 3 === 0 ? "one two" : "two")
    collector.endBlock()
  }
  const { starts, blocks } = collector.lists()
  const holding = (word: string) =>
    gramsOf(word).map((gram) => blocks.slice(starts[gram], starts[gram + 1]).length)
  assert.deepEqual(new Set(holding("two")), new Set([count]))
  assert.deepEqual(new Set(holding("one two")), new Set([count / 3, count]))
})

test("a text need not be folded for its grams", () => {
  const grams = (one: string) => {
    const collector = createGramCollector(1_000)
    collector.add(one)
    collector.endBlock()
    return collector.lists()
  }
  fc.assert(
    fc.property(text, (one) => {
      const whole = one.toWellFormed()
      assert.deepEqual(grams(whole), grams(fold(whole)))
    }),
    { numRuns: 50 },
  )
})

for (const [slip, text] of [
  ["eror", "zero mirror error"],
  ["snapshto", "snapshot pushto hashtotal"],
  ["functoin", "function factoid rejoin"],
  ["检索", "检紀 搜索"],
  ["привте", "привет втеснить опте"],
] as const)
  test(`a text that holds the triples of a slip of the pen lacks another gram of it: ${slip}`, () => {
    const collector = createGramCollector(0)
    collector.add(text)
    collector.endBlock()
    const { starts } = collector.lists()
    const lacking = gramsOf(slip).filter((gram) => starts[gram] === starts[gram + 1])
    assert.ok(lacking.length > 0)
    // A text without one of its triples would tell nothing of the longer sequences.
    const bytes = new TextEncoder().encode(slip)
    const triples = Array.from(bytes.subarray(2), (byte, at) =>
      tripleOf(((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | byte),
    )
    assert.deepEqual(
      lacking.filter((gram) => triples.includes(gram)),
      [],
    )
  })

test("a long phrase asks for a few grams", () => {
  const phrase = Array.from({ length: 300 }, (_, at) => `w${at}x`).join(" ")
  assert.ok(gramsOf(phrase).length <= 3 * MAX_WORD_GRAMS)
  assert.ok(gramsOf(phrase).every((gram) => gram >= 0 && gram < GRAM_COUNT))
})

/** Per gram of a slice of 16 the blocks that hold it. */
const slice = fc.array(fc.uniqueArray(fc.nat(999), { maxLength: 300 }), { minLength: 16, maxLength: 16 })

describe("postings", () => {
  test("read back as they were written, whatever the row's size", () => {
    fc.assert(
      fc.property(slice, fc.integer({ min: 0, max: 4 }), (lists, shift) => {
        const rows = written(lists, shift)
        lists.forEach((expected, gram) => {
          const row = (gram >> shift) << shift
          const bits = new Uint8Array(125)
          const body = rows.get(row)
          const count = body ? readBlocks(body, gram - row, 1_000, bits) : 0
          assert.equal(count, expected.length)
          assert.ok(expected.every((block) => ((bits[block >> 3] ?? 0) >> (block & 7)) & 1))
        })
      }),
      { numRuns: 40 },
    )
  })

  test("are renumbered, and left out, when they are appended gram by gram", () => {
    fc.assert(
      fc.property(slice, fc.integer({ min: 0, max: 4 }), fc.nat(6), (lists, shift, left) => {
        // Every seventh block is left out, the others move by one.
        const numbers = Int32Array.from({ length: 1_000 }, (_, block) =>
          block % 7 === left ? -1 : block + 1,
        )
        const rows = [...written(lists, shift)].map(([place, body]) => ({ place, body }))
        const cursor = firstEntry(rows, numbers.length)
        const appended = lists.map((_, gram) => {
          if (cursor?.gram !== gram) return []
          const list = new Uint16Array(1_000)
          const end = appendBlocks(cursor, numbers, list, 0)
          nextEntry(cursor)
          return [...list.subarray(0, end)]
        })
        const expected = lists.map((blocks) =>
          blocks
            .filter((block) => block % 7 !== left)
            .map((block) => block + 1)
            .toSorted((one, other) => one - other),
        )
        assert.deepEqual(appended, expected)
        assert.ok(cursor === undefined || cursor.gram === Number.POSITIVE_INFINITY)
      }),
      { numRuns: 40 },
    )
  })

  test("of no rows are none", () => {
    assert.equal(firstEntry([], 1_000), undefined)
  })

  function written(lists: readonly (readonly number[])[], shift: number): Map<number, Uint8Array> {
    const starts = [0]
    for (const blocks of lists) starts.push((starts.at(-1) ?? 0) + blocks.length)
    const blocks = lists.flatMap((one) => one.toSorted((a, b) => a - b))
    const rows = new Map<number, Uint8Array>()
    writePostings(
      { starts: Uint32Array.from(starts), blocks: Uint16Array.from(blocks) },
      { from: 0, to: 16 },
      1_000,
      shift,
      (gram, body) => rows.set(gram, body),
    )
    return rows
  }
})

describe("a word compared with a text", () => {
  test("is found exactly where folding both finds it", () => {
    fc.assert(
      fc.property(text, fc.oneof(text, fc.constantFrom("a.b", "(a", "[b", "a*", "\\")), (whole, some) => {
        const body = whole.toWellFormed()
        const matcher = createMatcher(foldWord(some.slice(0, 4)))
        const expected = fold(body).includes(matcher.folded)
        assert.equal(matcher.isIn(body, foldsPlainly(body)), expected)
        const place = matcher.placeIn(body, foldsPlainly(body))
        if (matcher.folded !== "") assert.equal(place !== undefined, expected)
        if (place) assert.ok(fold(body.slice(place.start, place.end)).includes(matcher.folded))
      }),
      { numRuns: 400 },
    )
  })

  test("a word of a megabyte is found as a short one is", () => {
    for (const length of [MAX_PATTERN_UNITS, MAX_PATTERN_UNITS + 1, 1_000_000]) {
      const word = "Ab".repeat(length / 2 + 1).slice(0, length)
      const matcher = createMatcher(foldWord(word))
      for (const text of [`x ${word.toUpperCase()}`, `é ${word}`])
        assert.deepEqual(
          [matcher.isIn(text, foldsPlainly(text)), matcher.placeIn(text, foldsPlainly(text))],
          [true, { start: 2, end: 2 + length }],
        )
      assert.equal(matcher.isIn(word.slice(1), true), false)
    }
  })

  test("every plain character is equal to itself and its capital only", () => {
    const plain = Array.from({ length: 0xffff }, (_, at) => String.fromCharCode(at + 1)).filter(
      (character) =>
        character.isWellFormed() &&
        foldsPlainly(character) &&
        (character !== character.toUpperCase() || character !== character.toLowerCase()),
    )
    const all = plain.join("")
    for (const character of plain) {
      const folded = fold(character)
      const matcher = createMatcher(folded)
      const place = matcher.placeIn(all, true)
      assert.equal(place && fold(all.slice(place.start, place.end)), folded)
      assert.equal(place?.start, all.toLowerCase().indexOf(folded), folded)
    }
  })
})
