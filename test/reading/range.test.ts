import assert from "node:assert/strict"
import { describe, test } from "node:test"
import * as fc from "fast-check"
import type { Reading } from "../../src/reading/around.ts"
import { v1OlderThan } from "../../src/reading/cursor.ts"
import { readRange } from "../../src/reading/range.ts"
import type { Message } from "../../src/session/model.ts"
import { memoryHistory } from "../tools/memory-history.ts"
import { memoryHost, message, session, START } from "./memory-reader.ts"

function messages(count: number): readonly Message[] {
  return Array.from({ length: count }, (_, at) =>
    message(`msg_${String(at).padStart(6, "0")}`, { created: START + Math.floor(at / 2) }),
  )
}

async function opened(given: {
  readonly host: readonly Message[]
  readonly stored?: readonly Message[]
  readonly revertedFrom?: string
}) {
  const self = session("ses_1", given.revertedFrom === undefined ? {} : { revertedFrom: given.revertedFrom })
  const host = memoryHost()
  host.add(self, given.host)
  const history = memoryHistory()
  const stored = given.stored ?? given.host
  await history.applyChanges({
    fetchedAt: 1,
    sessions: [{ session: self, messages: stored, complete: true }],
  })
  const reading: Reading = {
    history,
    reader: host.reader,
    session: self,
    signal: new AbortController().signal,
    olderThan: v1OlderThan,
  }
  return { host, history, reading }
}

describe("a range of indexes", () => {
  test("is the same slice with the index, behind it, and without it", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(700),
        fc.option(fc.nat(720), { nil: undefined }),
        fc.integer({ min: 1, max: 100 }),
        fc.constantFrom("complete", "behind", "far behind", "other", "none"),
        fc.option(fc.nat(700), { nil: undefined, freq: 3 }),
        async (count, offset, limit, index, revertAt) => {
          const host = messages(count)
          const revertedFrom = revertAt === undefined ? undefined : host[revertAt]?.id
          const stored = {
            complete: host,
            behind: host.slice(0, Math.max(0, count - 7)),
            "far behind": host.slice(0, Math.floor(count / 2)),
            other: host.map((entry, at) => (at === count - 3 ? { ...entry, id: `${entry.id}x` } : entry)),
            none: [],
          }[index]
          const { reading } = await opened({
            host,
            stored,
            ...(revertedFrom === undefined ? {} : { revertedFrom }),
          })
          const read = await readRange(reading, { limit, ...(offset === undefined ? {} : { offset }) })
          assert.ok(read.ok)
          const visible = revertedFrom === undefined ? count : host.findIndex((m) => m.id === revertedFrom)
          const first = Math.min(visible, offset ?? Math.max(0, visible - limit))
          assert.equal(read.value.total, count)
          assert.equal(read.value.first, first)
          assert.equal(read.value.reverted, count - visible)
          assert.deepEqual(
            read.value.messages.map((entry) => entry.id),
            host.slice(first, Math.min(visible, first + limit)).map((entry) => entry.id),
          )
        },
      ),
      { numRuns: 150 },
    )
  })

  test("costs two small host calls in a session of 100,000, wherever it lies", async () => {
    const { host, reading } = await opened({ host: messages(100_000) })
    for (const offset of [undefined, 0, 50_000, 99_990, 100_001]) {
      host.calls.length = 0
      const read = await readRange(reading, { limit: 20, ...(offset === undefined ? {} : { offset }) })
      assert.ok(read.ok)
      assert.equal(read.value.total, 100_000)
      assert.ok(host.calls.length <= 2, `${offset}: ${host.calls.length} calls`)
      assert.ok(host.calls.every((call) => call.limit <= 50))
    }
  })

  test("without the index it is counted through and only the page is fetched again", async () => {
    const { host, history, reading } = await opened({ host: messages(5_000) })
    history.fail("off")
    const read = await readRange(reading, { offset: 100, limit: 20 })
    assert.ok(read.ok)
    assert.equal(read.value.messages[0]?.id, "msg_000100")
    assert.equal(host.calls.length, 25 + 1)
  })
})
