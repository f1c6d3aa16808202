import assert from "node:assert/strict"
import { test } from "node:test"
import { pacing, REST_MAX_MS } from "../../../src/history/sync/context.ts"
import { testClock } from "./rig.ts"

function pace(urgent = false) {
  const clock = testClock(() => 0, 1_000)
  return { clock, ...pacing(clock, new AbortController().signal, () => urgent) }
}

/** When the next call may begin, after a call of `tookMs` and `workMs` of our own work. */
async function nextAfter(tookMs: number, workMs: number, urgent = false): Promise<number> {
  const { clock, turn, answered } = pace(urgent)
  const began = clock.elapsed()
  await clock.advance(tookMs)
  answered(began)
  await clock.advance(workMs)
  const begins = turn().then(() => clock.elapsed())
  await clock.advance(FAR_MS)
  return (await begins) - began - tookMs
}

/** Longer than any rest. */
const FAR_MS = 10_000

test("the host rests as long as the call took", async () => {
  assert.equal(await nextAfter(40, 0), 40)
})

test("writing the answer is part of the rest", async () => {
  assert.equal(await nextAfter(40, 30), 40)
  assert.equal(await nextAfter(40, 90), 90)
})

test("a call that waited long is not made up for", async () => {
  assert.equal(await nextAfter(9_000, 0), REST_MAX_MS)
})

test("nothing waits while a search does", async () => {
  assert.equal(await nextAfter(40, 0, true), 0)
})

test("the first call waits for nothing", async () => {
  const { clock, turn } = pace()
  const waited = turn()
  await clock.advance(0)
  await waited
  assert.equal(clock.now(), 1_000)
})
