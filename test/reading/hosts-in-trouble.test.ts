import assert from "node:assert/strict"
import { describe, test } from "node:test"
import type { SessionReader } from "../../src/hosts/host.ts"
import { readAround, type Reading } from "../../src/reading/around.ts"
import { v1OlderThan } from "../../src/reading/cursor.ts"
import { pageOf, pagePlace } from "../../src/reading/page.ts"
import { readRange } from "../../src/reading/range.ts"
import { memoryHistory } from "../tools/memory-history.ts"
import { memoryHost, message, session, START } from "./memory-reader.ts"

// Hosts that repeat cursors, fail, or are left while they answer.

const many = Array.from({ length: 1_000 }, (_, at) =>
  message(`msg_${String(at).padStart(4, "0")}`, { created: START + at }),
)

function reading(reader: SessionReader, signal = new AbortController().signal): Reading {
  return { reader, history: memoryHistory(), session: session("ses_1"), signal }
}

function host() {
  const made = memoryHost()
  made.add(session("ses_1"), many)
  return made
}

const firstPage = pagePlace({ from: "start", direction: "forward", limit: 20 })

describe("a host in trouble", () => {
  test("a repeated cursor fails after two calls", async () => {
    let calls = 0
    const reader: SessionReader = {
      ...host().reader,
      messages: () => {
        calls++
        return Promise.resolve({ ok: true, value: { messages: many.slice(0, 200), older: "again" } })
      },
    }
    const read = await readAround(reading(reader), firstPage)
    assert.equal(read.ok, false)
    assert.match(read.ok ? "" : read.fault.message, /repeated a page cursor of session ses_1/)
    assert.equal(calls, 2)
    const range = await readRange(reading(reader), { limit: 20 })
    assert.match(range.ok ? "" : range.fault.message, /repeated a page cursor/)
  })

  test("a failure in the middle is the answer, with the host's own words", async () => {
    const good = host().reader
    const reader: SessionReader = {
      ...good,
      messages: (id, page, signal) =>
        page.older === undefined
          ? good.messages(id, page, signal)
          : Promise.resolve({ ok: false, fault: { reason: "failed", message: "connection refused" } }),
    }
    const read = await readAround(reading(reader), firstPage)
    assert.deepEqual(read, { ok: false, fault: { reason: "failed", message: "connection refused" } })
    const range = await readRange(reading(reader), { offset: 5, limit: 20 })
    assert.equal(range.ok ? "" : range.fault.message, "connection refused")
  })

  test("an abort ends the walk: no page is asked for afterwards", async () => {
    const good = host()
    const abort = new AbortController()
    const reader: SessionReader = {
      ...good.reader,
      messages: (id, page, signal) => {
        abort.abort()
        return good.reader.messages(id, page, signal)
      },
    }
    const read = await readAround(reading(reader, abort.signal), firstPage)
    assert.equal(read.ok ? "" : read.fault.reason, "aborted")
    assert.equal(good.calls.length, 1)
  })

  test("the caller's signal reaches the host", async () => {
    const abort = new AbortController()
    let given: AbortSignal | undefined
    const good = host().reader
    const reader: SessionReader = {
      ...good,
      messages: (id, page, signal) => {
        given = signal
        return good.messages(id, page, signal)
      },
    }
    await readAround(reading(reader, abort.signal), firstPage)
    assert.equal(given, abort.signal)
  })
})

describe("work is bounded by the page", () => {
  test("with the index a page in the middle is one host call of the page's size", async () => {
    const made = host()
    const history = memoryHistory()
    await history.applyChanges({
      fetchedAt: 1,
      sessions: [{ session: session("ses_1"), messages: many, complete: true }],
    })
    const jumping: Reading = { ...reading(made.reader), history, olderThan: v1OlderThan }
    const pages = [
      { from: "start", direction: "forward", limit: 20, cursor: "msg_0500" },
      { from: "start", direction: "back", limit: 20, cursor: "msg_0500" },
      { from: "start", direction: "forward", limit: 20 },
      { from: "end", direction: "back", limit: 20 },
    ] as const
    for (const request of pages) {
      made.calls.length = 0
      const read = await readAround(jumping, pagePlace(request))
      assert.ok(read.ok)
      assert.equal(pageOf(request, read.value).items.length, 20)
      assert.equal(made.calls.length, 1, JSON.stringify(request))
      assert.ok((made.calls[0]?.limit ?? 0) <= 24)
    }
  })

  test("without the index the newest page still is one small call", async () => {
    const made = host()
    const request = { from: "end", direction: "back", limit: 20 } as const
    const read = await readAround(reading(made.reader), pagePlace(request))
    assert.ok(read.ok)
    assert.deepEqual(made.calls, [{ limit: 22 }])
  })
})

describe("a revert to a message that is gone", () => {
  test("leaves out the later ids, as the host does", async () => {
    const made = memoryHost()
    made.add(session("ses_1"), many.slice(0, 50))
    made.removeMessage("ses_1", "msg_0030")
    const gone = { ...reading(made.reader), session: session("ses_1", { revertedFrom: "msg_0030" }) }
    const read = await readAround(gone, pagePlace({ from: "end", direction: "back", limit: 3 }))
    assert.ok(read.ok)
    assert.equal(read.value.older[0]?.id, "msg_0029")
    assert.equal(read.value.reverted, 19)
    const range = await readRange(gone, { limit: 3 })
    assert.ok(range.ok)
    assert.deepEqual([range.value.first, range.value.total, range.value.reverted], [27, 49, 19])
  })
})
