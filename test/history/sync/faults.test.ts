import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { BACKOFF_MAX_MS } from "../../../src/history/sync/backoff.ts"
import { textMessage } from "./memory-host.ts"
import { makeRig, START } from "./rig.ts"

const A_WHILE_MS = 20_000
const AN_HOUR_MS = 3_600_000

describe("a session that fails", () => {
  test("holds up no other, is logged once and tried with longer and longer waits", async () => {
    const rig = makeRig()
    for (let index = 0; index < 5; index += 1) rig.host.add(`ses_${index}`, 2, { updated: 1_000_000 + index })
    rig.host.faults.failing.add("ses_4")
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    assert.deepEqual(rig.history.reports.at(-1), { total: 5, failed: 1, pending: 0 })
    await rig.clock.advance(AN_HOUR_MS)
    const tries = rig.host.calls.filter((call) => call.endsWith("ses_4")).length
    assert.ok(tries > 8 && tries < 25, `${tries} tries in an hour`)
    assert.equal(rig.log.length, 1)
    assert.match(rig.log[0] ?? "", /ses_4.*tried again/)

    rig.host.faults.failing.clear()
    await rig.clock.advance(BACKOFF_MAX_MS + 1_000)
    assert.deepEqual(rig.history.reports.at(-1), { total: 5, failed: 0, pending: 0 })
    assert.equal(rig.history.ids("ses_4").length, 2)
  })

  test("live too: what it missed is there when it works again", async () => {
    const rig = makeRig()
    rig.host.add("ses_a", 300)
    rig.host.add("ses_b", 3)
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    rig.host.faults.failing.add("ses_a")
    rig.host.say("ses_a", "news", rig.clock.now())
    rig.host.change("ses_a", "msg_00001", "edited")
    const other = rig.host.say("ses_b", "news", rig.clock.now())
    await rig.clock.advance(500)
    assert.equal(rig.history.ids("ses_b").at(-1), other)
    await rig.clock.advance(A_WHILE_MS)
    rig.host.faults.failing.clear()
    await rig.clock.advance(AN_HOUR_MS)
    assert.deepEqual(
      rig.history.ids("ses_a"),
      rig.host.sessions.get("ses_a")?.messages.map((one) => one.id),
    )
    assert.ok(rig.history.text("ses_a", "msg_00001").includes("edited"))
  })

  test("one slow answer holds up no other session's events", async () => {
    const rig = makeRig()
    rig.host.add("ses_a", 3)
    rig.host.add("ses_b", 3)
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    rig.host.faults.before = (call) => (call.includes("ses_a") ? new Promise(() => undefined) : undefined)
    rig.host.say("ses_a", "news", rig.clock.now())
    const other = rig.host.say("ses_b", "news", rig.clock.now())
    await rig.clock.advance(1_000)
    assert.equal(rig.history.ids("ses_b").at(-1), other)
  })

  test("a cyclic page cursor is a failure, not a loop", async () => {
    const rig = makeRig()
    rig.host.add("ses_a", 3)
    rig.host.add("ses_b", 300)
    rig.host.faults.cyclicMessages.add("ses_b")
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    assert.equal(rig.history.ids("ses_a").length, 3)
    assert.match(rig.log[0] ?? "", /ses_b.*repeated a page cursor/)
  })

  test("a cyclic listing is a failure, not a loop; what it listed is indexed", async () => {
    const rig = makeRig()
    rig.host.add("ses_a", 3)
    rig.host.faults.cyclicListing = true
    rig.sync.start()
    await rig.clock.advance(500)
    assert.match(rig.log[0] ?? "", /repeated a cursor/)
    assert.equal(rig.history.ids("ses_a").length, 3)
    assert.ok(rig.host.calls.filter((call) => call === "list").length <= 3)
  })
})

describe("broken data", () => {
  test("duplicate message ids are tolerated", async () => {
    const rig = makeRig()
    rig.host.add("ses_a", 3)
    rig.host.sessions.get("ses_a")?.messages.push(textMessage("ses_a", "msg_00001", "again", 1_000_000))
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    assert.equal(rig.history.ids("ses_a").length, 3)
    assert.deepEqual(rig.log, [])
  })

  test("an empty session and times of zero", async () => {
    const rig = makeRig()
    rig.host.add("ses_a", 0, { updated: 0, created: 0 })
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    assert.deepEqual(rig.history.reports.at(-1), { total: 1, failed: 0, pending: 0 })
  })

  test("an error nobody expected is one line in the log, and the others go on", async () => {
    const rig = makeRig()
    rig.host.add("ses_a", 3)
    rig.host.add("ses_b", 3, { updated: 2_000_000 })
    rig.host.faults.before = (call) => {
      if (call.endsWith("ses_b")) throw new Error("a bug")
    }
    rig.sync.start()
    rig.host.say("ses_b", "news", START)
    await rig.clock.advance(A_WHILE_MS)
    assert.equal(rig.history.ids("ses_a").length, 3)
    assert.ok(rig.log.length >= 1 && rig.log.length <= 2, rig.log.join("\n"))
  })
})

describe("an index that takes no writes", () => {
  test("is waited for, with nothing fetched in vain, and one line in the log", async () => {
    const rig = makeRig()
    for (let index = 0; index < 300; index += 1) rig.host.add(`ses_${index}`, 2)
    rig.history.fault = { reason: "read-only", message: "it is read-only" }
    rig.sync.start()
    await rig.clock.advance(AN_HOUR_MS)
    const fetches = rig.host.calls.filter((call) => call.startsWith("messages")).length
    assert.ok(fetches < 20, `${fetches} fetches`)
    assert.equal(rig.log.length, 1)
    rig.history.fault = undefined
    await rig.clock.advance(AN_HOUR_MS)
    assert.equal(rig.history.sessionIDs().length, 300)
  })

  test("a lock that is held for a while costs a retry", async () => {
    const rig = makeRig()
    rig.host.add("ses_a", 3)
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    rig.history.fault = { reason: "busy", message: "locked" }
    const messageID = rig.host.say("ses_a", "news", rig.clock.now())
    await rig.clock.advance(500)
    rig.history.fault = undefined
    await rig.clock.advance(5_000)
    assert.equal(rig.history.ids("ses_a").at(-1), messageID)
  })
})

describe("the end", () => {
  test("dispose leaves no timer and no subscription, and nothing is asked afterwards", async () => {
    const rig = makeRig()
    for (let index = 0; index < 300; index += 1) rig.host.add(`ses_${index}`, 2)
    rig.sync.start()
    rig.host.say("ses_1", "news", START)
    await rig.clock.advance(50)
    rig.sync.dispose()
    await rig.clock.advance(0)
    const { calls } = rig.host
    const asked = calls.length
    rig.host.say("ses_2", "news", START)
    await rig.clock.advance(AN_HOUR_MS)
    assert.deepEqual([rig.clock.timers(), rig.host.subscribers(), calls.length - asked], [0, 0, 0])
  })
})
