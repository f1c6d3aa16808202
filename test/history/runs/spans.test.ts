import assert from "node:assert/strict"
import { test } from "node:test"
import * as fc from "fast-check"
import type { Run, Stretch } from "../../../src/history/runs/runs.ts"
import { spansOf } from "../../../src/history/runs/spans.ts"

const BLOCK: Stretch = { first: 0, last: 0, oldest: 0, newest: 0, role: "user", texts: 1 }

/** A run with a block for each of the keys. */
function aRun(keys: readonly number[], id: number): Run {
  return {
    id,
    units: 0,
    shift: 9,
    count: keys.length,
    block: () => BLOCK,
    isUsers: () => true,
    blocks: keys.map(() => BLOCK),
    keys: Uint32Array.from(keys),
    spanKeys: Uint32Array.from(keys.filter((key, block) => key !== keys[block - 1])),
  }
}

test("the spans of a session are its blocks, those beside each other as one, and of no session there are none", () => {
  const key = fc.nat({ max: 6 })
  fc.assert(
    fc.property(fc.array(fc.array(key, { maxLength: 12 }), { maxLength: 4 }), (all) => {
      const spans = spansOf(all.map(aRun))
      for (let session = 0; session < 9; session++) {
        const found = spans.of(session)
        assert.equal(found.length, spans.counts[session] ?? 0)
        assert.deepEqual(
          found.flatMap(({ run, from, to }) =>
            Array.from({ length: to - from }, (_, n) => [run.id, from + n]),
          ),
          all.flatMap((keys, run) => keys.flatMap((one, block) => (one === session ? [[run, block]] : []))),
        )
        for (const { run, from, to } of found)
          assert.ok(run.keys[from - 1] !== session && run.keys[to] !== session)
      }
    }),
  )
})
