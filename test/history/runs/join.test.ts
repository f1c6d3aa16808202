import assert from "node:assert/strict"
import { describe, test } from "node:test"
import * as fc from "fast-check"
import { firstEntry } from "../../../src/history/runs/cursor.ts"
import { joinBlocks, type Part } from "../../../src/history/runs/join.ts"
import { putBlocks } from "../../../src/history/runs/postings.ts"

/** The blocks of one run that hold a gram, of so many blocks. */
type Held = { readonly count: number; readonly blocks: readonly number[] }

/** Few of them, as many as there can be, or some. */
const held: fc.Arbitrary<Held> = fc
  .tuple(fc.integer({ min: 1, max: 700 }), fc.constantFrom(3, 40, 700))
  .chain(([count, most]) =>
    fc
      .uniqueArray(fc.nat(count - 1), { minLength: 1, maxLength: Math.min(most, count), size: "max" })
      .map((blocks) => ({ count, blocks: blocks.toSorted((one, other) => one - other) })),
  )

const mapBytesOf = (count: number) => Math.ceil(count / 8)

function written(blocks: readonly number[], count: number): Uint8Array {
  const out = new Uint8Array(mapBytesOf(count) + 8)
  return out.slice(0, putBlocks(out, 0, mapBytesOf(count), Uint16Array.from(blocks), 0, blocks.length))
}

/** What joining the runs writes, and what writing all of their blocks anew does. */
function joined(runs: readonly Held[]) {
  const all: number[] = []
  const parts: Part[] = []
  let base = 0
  for (const { count, blocks } of runs) {
    const body = Uint8Array.from([0, ...written(blocks, count)])
    const cursor = firstEntry([{ place: 0, body }], count)
    assert.ok(cursor)
    parts.push({ cursor, base })
    all.push(...blocks.map((block) => base + block))
    base += count
  }
  const out = new Uint8Array(mapBytesOf(base) + 8).fill(0xff)
  const end = joinBlocks(parts, mapBytesOf(base), out, 0)
  return { parts, end, found: out.slice(0, Math.max(0, end)), expected: written(all, base) }
}

describe("the blocks of runs joined", () => {
  test("are written as if they were those of one run", () => {
    fc.assert(
      fc.property(fc.array(held, { minLength: 1, maxLength: 5 }), (runs) => {
        const { end, found, expected } = joined(runs)
        if (end >= 0) assert.deepEqual(found, expected)
      }),
      { numRuns: 300 },
    )
  })

  const few = { count: 600, blocks: [0, 7, 300, 599] }
  const most = { count: 601, blocks: Array.from({ length: 500 }, (_, at) => at + 101) }

  for (const [what, runs] of [
    ["lists to a list", [few, few, few]],
    ["bit maps to a bit map", [most, most]],
    ["a list and bit maps to a bit map", [most, few, most]],
    [
      "lists to a bit map",
      [
        { count: 8, blocks: [1] },
        { count: 8, blocks: [7] },
      ],
    ],
  ] as const)
    test(`${what}, without a look at each block`, () => {
      const { found, expected } = joined(runs)
      assert.deepEqual(found, expected)
    })

  test("are left to a look at each where blocks were left out, or a bit map may become a list", () => {
    const { parts } = joined([few, few])
    const [first, second] = parts
    assert.ok(first && second)
    const out = new Uint8Array(400)
    assert.equal(joinBlocks([first, { ...second, base: -1 }], 150, out, 0), -1)
    assert.equal(
      joined([
        { count: 80, blocks: Array.from({ length: 12 }, (_, at) => at * 6) },
        { count: 9_000, blocks: [1] },
      ]).end,
      -1,
    )
  })
})
