import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { RECENT_LISTING_MS } from "../../../src/history/sync/backfill.ts"
import { CATCH_UP_MS } from "../../../src/history/sync/catch-up.ts"
import { COVERED_MS, LIVE_DELAY_MS, LIVE_EVERY_MS } from "../../../src/history/sync/live.ts"
import { NAMED_SINGLY } from "../../../src/history/sync/named.ts"
import { memoryHost } from "./memory-host.ts"
import { holdSecondPage, makeRig, START, type Rig } from "./rig.ts"

const A_WHILE_MS = 20_000

/** A rig that has everything, with `long` messages in ses_a, and has seen one live message there. */
async function following(long: number, rig: Rig = makeRig()): Promise<Rig> {
  rig.host.add("ses_a", long)
  rig.sync.start()
  await rig.clock.advance(A_WHILE_MS)
  rig.host.say("ses_a", "first", rig.clock.now())
  await rig.clock.advance(5_000)
  rig.host.calls.length = 0
  rig.history.writes.length = 0
  return rig
}

function hostIDs(rig: Rig, id: string): readonly string[] | undefined {
  return rig.host.sessions.get(id)?.messages.map((message) => message.id)
}

describe("live", () => {
  test("a message is stored well within two seconds", async () => {
    const rig = await following(5)
    const messageID = rig.host.say("ses_a", "news", rig.clock.now())
    await rig.clock.advance(LIVE_DELAY_MS + 50)
    assert.equal(rig.history.ids("ses_a").at(-1), messageID)
  })

  test("one message more costs one message, in a session of any length", async () => {
    const costs = []
    for (const long of [3, 3_000]) {
      const rig = await following(long)
      rig.host.say("ses_a", "news", rig.clock.now())
      await rig.clock.advance(5_000)
      costs.push([
        rig.host.calls.length,
        rig.history.writes.flatMap((one) => one.sessions?.[0]?.messages ?? []).length,
      ])
    }
    assert.deepEqual(costs, [
      [2, 1],
      [2, 1],
    ])
  })

  test("a session is written at most once a second, however many events come", async () => {
    const rig = await following(5)
    const messageID = rig.host.say("ses_a", "0", rig.clock.now())
    for (let step = 1; step <= 100; step += 1) {
      rig.host.change("ses_a", messageID, `streaming ${step}`)
      await rig.clock.advance(100)
    }
    await rig.clock.advance(LIVE_EVERY_MS)
    assert.ok(rig.history.writes.length <= 12, `${rig.history.writes.length} writes in 10 s`)
    assert.ok(rig.history.text("ses_a", messageID).includes("streaming 100"))
  })

  test("events before the start are kept", async () => {
    const rig = makeRig()
    rig.host.add("ses_a", 2)
    const messageID = rig.host.say("ses_a", "early", START)
    await rig.clock.advance(A_WHILE_MS)
    assert.equal(rig.history.ids("ses_a").at(-1), messageID)
  })

  test("an event that names an old message of a session seen for the first time is not lost", async () => {
    const rig = makeRig()
    rig.host.add("ses_a", 1_000)
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    rig.host.change("ses_a", "msg_00003", "edited")
    rig.host.removeMessage("ses_a", "msg_00004")
    await rig.clock.advance(5_000)
    assert.ok(rig.history.text("ses_a", "msg_00003").includes("edited"))
    assert.deepEqual(rig.history.ids("ses_a"), hostIDs(rig, "ses_a"))
  })

  test("rename, removal of a message, removal of the session", async () => {
    const rig = await following(5)
    rig.host.rename("ses_a", "another")
    rig.host.removeMessage("ses_a", "msg_00002")
    await rig.clock.advance(5_000)
    assert.equal(rig.history.title("ses_a"), "another")
    assert.deepEqual(rig.history.ids("ses_a"), hostIDs(rig, "ses_a"))
    rig.host.remove("ses_a")
    await rig.clock.advance(5_000)
    assert.deepEqual(rig.history.sessionIDs(), [])
    assert.deepEqual(rig.history.reports.at(-1), { total: 0, failed: 0, pending: 0 })
  })

  test("many changed messages at once are read from pages", async () => {
    const rig = await following(500)
    for (let index = 300; index <= 300 + NAMED_SINGLY; index += 1)
      rig.host.change("ses_a", `msg_00${index}`, `edited ${index}`)
    await rig.clock.advance(5_000)
    assert.deepEqual(rig.host.calls, ["session ses_a", "messages ses_a", "messages ses_a", "messages ses_a"])
    for (let index = 300; index <= 300 + NAMED_SINGLY; index += 1)
      assert.ok(rig.history.text("ses_a", `msg_00${index}`).includes(`edited ${index}`))
  })

  test("a host that cannot fetch one message is read by pages", async () => {
    const rig = await following(50, makeRig({ host: memoryHost({ withoutMessage: true }) }))
    const messageID = rig.host.say("ses_a", "news", rig.clock.now())
    await rig.clock.advance(5_000)
    assert.equal(rig.history.ids("ses_a").at(-1), messageID)
  })

  test("a session that was quiet for long is brought up to date as a whole with its next event", async () => {
    const rig = await following(5)
    await rig.clock.advance(COVERED_MS)
    // Meanwhile another process went on; its events do not come here.
    rig.host.faults.silent = true
    rig.host.say("ses_a", "elsewhere", rig.clock.now())
    rig.host.faults.silent = false
    rig.host.say("ses_a", "here", rig.clock.now())
    await rig.clock.advance(5_000)
    assert.deepEqual(rig.history.ids("ses_a"), hostIDs(rig, "ses_a"))
  })

  test("a lost event is caught up by the next listing", async () => {
    const rig = await following(5)
    rig.host.faults.silent = true
    rig.host.say("ses_a", "lost", rig.clock.now())
    await rig.clock.advance(RECENT_LISTING_MS)
    assert.deepEqual(rig.history.ids("ses_a"), hostIDs(rig, "ses_a"))
  })

  test("after a gap everything is compared, and no session's events are trusted", async () => {
    const rig = await following(5)
    rig.host.faults.silent = true
    rig.host.say("ses_a", "lost", rig.clock.now())
    rig.host.add("ses_new", 3)
    rig.host.faults.silent = false
    rig.sync.reconcile()
    rig.host.say("ses_a", "after", rig.clock.now())
    await rig.clock.advance(5_000)
    assert.deepEqual(rig.history.ids("ses_a"), hostIDs(rig, "ses_a"))
    assert.equal(rig.history.ids("ses_new").length, 3)
  })

  test("after a gap a session's next event brings all of it, also when no listing can be had", async () => {
    const rig = await following(5)
    rig.host.faults.silent = true
    rig.host.say("ses_a", "lost", rig.clock.now())
    rig.host.faults.silent = false
    rig.host.faults.listing = { reason: "failed", message: "away" }
    rig.sync.reconcile()
    rig.host.say("ses_a", "after", rig.clock.now())
    await rig.clock.advance(5_000)
    assert.deepEqual(rig.history.ids("ses_a"), hostIDs(rig, "ses_a"))
  })

  test("an event that comes again later costs nothing", async () => {
    const rig = await following(5)
    const event = {
      sessionID: "ses_a",
      kind: "message",
      messageID: "msg_00001",
      eventID: "evt_twice",
    } as const
    rig.host.emit(event)
    await rig.clock.advance(5_000)
    const asked = rig.host.calls.length
    rig.host.emit(event)
    await rig.clock.advance(5_000)
    assert.deepEqual([asked, rig.host.calls.length], [2, 2])
  })

  test("backfill and live at once: the newer text stays", async () => {
    const rig = makeRig()
    rig.host.add("ses_a", 5)
    rig.host.add("ses_b", 5, { updated: 2_000_000 })
    let held: (() => void) | undefined
    rig.host.faults.before = (call) => {
      if (call !== "messages ses_a" || held !== undefined) return
      return new Promise((resolve) => (held = resolve))
    }
    rig.sync.start()
    await rig.clock.advance(1_000)
    const messageID = rig.host.say("ses_a", "newer", rig.clock.now())
    rig.host.change("ses_a", "msg_00001", "changed")
    await rig.clock.advance(5_000)
    held?.()
    await rig.clock.advance(5_000)
    assert.equal(rig.history.ids("ses_a").at(-1), messageID)
    assert.ok(rig.history.text("ses_a", "msg_00001").includes("changed"))
    assert.equal(rig.history.ids("ses_a").length, 6)
  })

  test("an answer that is late does not bring a deleted session back", async () => {
    const rig = makeRig()
    rig.host.add("ses_a", 150)
    const goOn = holdSecondPage(rig.host, "ses_a")
    rig.sync.start()
    await rig.clock.advance(1_000)
    rig.host.remove("ses_a")
    await rig.clock.advance(5_000)
    goOn()
    await rig.clock.advance(5_000)
    assert.deepEqual(rig.history.sessionIDs(), [])
  })
})

describe("catch up", () => {
  test("brings in what no event told, at once", async () => {
    const rig = await following(5)
    rig.host.faults.silent = true
    const messageID = rig.host.say("ses_a", "lost", rig.clock.now())
    const caught = rig.sync.catchUp()
    await rig.clock.advance(100)
    assert.deepEqual(await caught, { complete: true, total: 1, failed: 0, pending: 0 })
    assert.equal(rig.history.ids("ses_a").at(-1), messageID)
  })

  test("writes noted events without waiting for their turn", async () => {
    const rig = await following(500)
    rig.host.change("ses_a", "msg_00001", "edited")
    const caught = rig.sync.catchUp()
    await rig.clock.advance(1)
    assert.equal((await caught).complete, true)
    assert.ok(rig.history.text("ses_a", "msg_00001").includes("edited"))
  })

  test("starts a sync that has not begun", async () => {
    const rig = makeRig()
    rig.host.add("ses_a", 3)
    const caught = rig.sync.catchUp()
    await rig.clock.advance(100)
    assert.equal((await caught).complete, true)
    assert.equal(rig.history.ids("ses_a").length, 3)
  })

  test("ends within its bound when the host does not answer, and says so", async () => {
    const rig = await following(5)
    rig.host.faults.before = () => new Promise(() => undefined)
    const caught = rig.sync.catchUp()
    await rig.clock.advance(CATCH_UP_MS)
    const { complete, why } = await caught
    assert.deepEqual([complete, why], [false, "it is still being brought up to date"])
  })

  test("ends at once when the caller gives up", async () => {
    const rig = await following(5)
    rig.host.faults.before = () => new Promise(() => undefined)
    const giveUp = new AbortController()
    const caught = rig.sync.catchUp(giveUp.signal)
    await rig.clock.advance(10)
    giveUp.abort()
    assert.equal((await caught).complete, false)
  })

  test("a host that cannot list is the reason given", async () => {
    const rig = await following(5)
    rig.host.faults.listing = { reason: "failed", message: "away" }
    const caught = rig.sync.catchUp()
    await rig.clock.advance(100)
    const { complete, why } = await caught
    assert.deepEqual([complete, why], [false, "away"])
  })
})
