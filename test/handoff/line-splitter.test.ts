import assert from "node:assert/strict"
import { describe, test } from "node:test"
import * as fc from "fast-check"
import { lineSplitter } from "../../src/handoff/line-splitter.ts"

function split(chunks: readonly string[], maxUnits = 100): string[] {
  const lines: string[] = []
  const splitter = lineSplitter(maxUnits)
  const take = (line: string): boolean => lines.push(line) > 0
  for (const chunk of chunks) splitter.feed(chunk, take)
  splitter.end(take)
  return lines
}

describe("lineSplitter", () => {
  const cases: [chunks: readonly string[], lines: readonly string[]][] = [
    [[], []],
    [[""], []],
    [["a"], ["a"]],
    [["a\n"], ["a"]],
    [["\n"], [""]],
    [["\n\n"], ["", ""]],
    [["a\r\nb\rc\nd"], ["a", "b", "c", "d"]],
    [["a\r"], ["a"]],
    [["\r"], [""]],
    [
      ["a\r", "\nb"],
      ["a", "b"],
    ],
    [
      ["a\r", "", "\nb"],
      ["a", "b"],
    ],
    [
      ["a\r", "b"],
      ["a", "b"],
    ],
    [
      ["a\r", "\r"],
      ["a", ""],
    ],
    [["a\n\r"], ["a", ""]],
    [
      ["a", "b", "\n", "c"],
      ["ab", "c"],
    ],
    [["a\u2028b\u0085c\fd\ve"], ["a\u2028b\u0085c\fd\ve"]],
  ]
  for (const [chunks, lines] of cases)
    test(`${JSON.stringify(chunks)} is ${JSON.stringify(lines)}`, () =>
      assert.deepEqual(split(chunks), lines))

  test("keeps one unit more than asked of a long line", () => {
    assert.deepEqual(split(["abcdef", "ghi\nxy"], 4), ["abcde", "xy"])
  })
  test("stops when told", () => {
    const lines: string[] = []
    const take = (line: string): boolean => lines.push(line) < 2
    assert.equal(lineSplitter(9).feed("a\nb\nc\n", take), false)
    assert.deepEqual(lines, ["a", "b"])
  })
  test("gives the same lines however the text is cut", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "\r", "\n", "é") })
    fc.assert(
      fc.property(fc.array(text), (chunks) => {
        const naive = chunks.join("").split(/\r\n|\r|\n/)
        if (naive.at(-1) === "") naive.pop()
        assert.deepEqual(split(chunks), naive)
      }),
    )
  })
})
