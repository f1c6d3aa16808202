import assert from "node:assert/strict"
import { describe, test } from "node:test"
import type { Applied, Changes, HistoryResult } from "../../../src/history/contract.ts"
import { backoffMs } from "../../../src/history/sync/backoff.ts"
import { RECENT_LISTING_MS } from "../../../src/history/sync/backfill.ts"
import { STORED_BEHIND } from "../../../src/history/sync/work.ts"
import { memoryHistory, type MemoryHistory } from "./memory-history.ts"
import { makeRig } from "./rig.ts"

// Sessions are fetched while those before are on their way into the index, which here takes them when the test says so.

const A_WHILE_MS = 20_000

type Held = { readonly sessionID: string; readonly answer: (fault?: HistoryResult<Applied>) => void }

/** An index whose writes of messages wait; `pending` does not count them, so that time goes on. */
function holding(): { readonly history: MemoryHistory; readonly held: Held[] } {
  const history = memoryHistory()
  const held: Held[] = []
  const applyChanges = (changes: Changes): Promise<HistoryResult<Applied>> => {
    const change = changes.sessions?.find((one) => one.messages !== undefined)
    if (change === undefined) return history.applyChanges(changes)
    return new Promise((resolve) => {
      const answer: Held["answer"] = (fault) => resolve(fault ?? history.applyChanges(changes))
      held.push({ sessionID: change.session.id, answer })
    })
  }
  return { history: { ...history, applyChanges }, held }
}

function fetchesOf(calls: readonly string[], sessionID = ""): number {
  return calls.filter((call) => call.startsWith(`messages ${sessionID}`)).length
}

describe("while the index stores", () => {
  test("the host is asked for more sessions, up to a bound", async () => {
    const { history, held } = holding()
    const rig = makeRig({ history })
    for (let at = 0; at < 40; at++) rig.host.add(`ses_${at}`, 2, { updated: 1_000_000 + at })
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    assert.deepEqual([held.length, fetchesOf(rig.host.calls)], [STORED_BEHIND, STORED_BEHIND])
    held.shift()?.answer()
    await rig.clock.advance(A_WHILE_MS)
    assert.equal(fetchesOf(rig.host.calls), STORED_BEHIND + 1)
    for (let one = held.shift(); one !== undefined; one = held.shift()) {
      one.answer()
      await rig.clock.advance(1_000)
    }
    assert.deepEqual(rig.history.reports.at(-1), { total: 40, failed: 0, pending: 0 })
    for (const id of ["ses_0", "ses_39"]) assert.equal(history.ids(id).length, 2)
  })

  test("of a long session the next page is fetched, and no more", async () => {
    const { history, held } = holding()
    const rig = makeRig({ history })
    rig.host.add("ses_a", 450)
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    assert.deepEqual([held.length, fetchesOf(rig.host.calls)], [1, 2])
    for (let page = 0; page < 5; page++) {
      held.shift()?.answer()
      await rig.clock.advance(A_WHILE_MS)
    }
    assert.equal(history.ids("ses_a").length, 450)
    assert.deepEqual(rig.history.reports.at(-1), { total: 1, failed: 0, pending: 0 })
  })

  test("a session that comes again waits until it is stored", async () => {
    const { history, held } = holding()
    const rig = makeRig({ history })
    rig.host.add("ses_a", 2)
    rig.host.faults.silent = true
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    const later = rig.host.say("ses_a", "news", rig.clock.now())
    await rig.clock.advance(RECENT_LISTING_MS * 2)
    assert.deepEqual([held.length, fetchesOf(rig.host.calls, "ses_a")], [1, 1])
    held.shift()?.answer()
    await rig.clock.advance(RECENT_LISTING_MS)
    assert.equal(held.length, 1)
    held.shift()?.answer()
    await rig.clock.advance(A_WHILE_MS)
    assert.equal(history.ids("ses_a").at(-1), later)
  })
})

describe("a write that fails late", () => {
  test("holds up no other session and is tried again", async () => {
    const { history, held } = holding()
    const rig = makeRig({ history })
    for (const id of ["ses_a", "ses_b"]) rig.host.add(id, 2)
    rig.sync.start()
    await rig.clock.advance(500)
    const failing = held.find((one) => one.sessionID === "ses_a")
    failing?.answer({ ok: false, fault: { reason: "failed", message: "no such luck" } })
    held.find((one) => one.sessionID === "ses_b")?.answer()
    await rig.clock.advance(100)
    assert.deepEqual(rig.history.reports.at(-1), { total: 2, failed: 1, pending: 0 })
    assert.equal(history.ids("ses_b").length, 2)
    await rig.clock.advance(A_WHILE_MS)
    held.at(-1)?.answer()
    await rig.clock.advance(A_WHILE_MS)
    assert.deepEqual(rig.history.reports.at(-1), { total: 2, failed: 0, pending: 0 })
    assert.equal(history.ids("ses_a").length, 2)
  })

  test("because the index takes none is one wait for all that were on their way", async () => {
    const { history, held } = holding()
    const rig = makeRig({ history })
    for (let at = 0; at < 8; at++) rig.host.add(`ses_${at}`, 2)
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    assert.equal(held.length, 8)
    for (const one of held.splice(0))
      one.answer({ ok: false, fault: { reason: "read-only", message: "no space" } })
    await rig.clock.advance(backoffMs(1) + A_WHILE_MS)
    assert.equal(rig.log.filter((line) => line.includes("waits")).length, 1)
    assert.equal(held.length, 8)
    for (const one of held.splice(0)) one.answer()
    await rig.clock.advance(A_WHILE_MS)
    assert.deepEqual(rig.history.reports.at(-1), { total: 8, failed: 0, pending: 0 })
  })
})
