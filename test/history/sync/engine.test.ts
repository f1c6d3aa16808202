import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { COMPLETE_LISTING_MS, RECENT_LISTING_MS } from "../../../src/history/sync/backfill.ts"
import { withEngine, type EngineHistory } from "./engine-history.ts"
import { holdSecondPage, makeRigOver, type Rig, type RigSetup } from "./rig.ts"

const A_WHILE_MS = 20_000

/** Over the real index, at the real time: it forgets tombstones by its own clock. */
function makeRig(history: EngineHistory, setup: RigSetup = {}): Rig<EngineHistory> {
  return makeRigOver(history, { start: Date.now(), ...setup })
}

function hostIDs(rig: Rig<EngineHistory>, id: string): readonly string[] | undefined {
  return rig.host.sessions.get(id)?.messages.map((message) => message.id)
}

describe("sync over the real index", () => {
  test("backfill, a restart without a fetch, and the status adds up", () =>
    withEngine(async (history) => {
      const first = makeRig(history)
      for (let index = 0; index < 130; index += 1)
        first.host.add(`ses_${index}`, 3, { updated: 1_000_000 + index })
      first.sync.start()
      await first.clock.advance(A_WHILE_MS)
      assert.equal((await history.sessionIDs()).length, 130)
      const status = await history.status()
      assert.ok(status.ok)
      assert.deepEqual(
        [status.value.complete, status.value.messages, status.value.progress],
        [130, 390, { total: 130, failed: 0, pending: 0 }],
      )
      first.sync.dispose()
      first.host.calls.length = 0
      const second = makeRig(history, { host: first.host })
      second.sync.start()
      await second.clock.advance(A_WHILE_MS)
      assert.deepEqual(first.host.calls, ["list", "list"])
      second.sync.dispose()
    }))

  test("live: a message, an edit, a removal and a rename are found, or not any more", () =>
    withEngine(async (history) => {
      const rig = makeRig(history)
      rig.host.add("ses_a", 120)
      rig.sync.start()
      await rig.clock.advance(A_WHILE_MS)
      rig.host.say("ses_a", "flux capacitor", rig.clock.now())
      rig.host.change("ses_a", "msg_00007", "rewritten entirely")
      rig.host.removeMessage("ses_a", "msg_00008")
      rig.host.rename("ses_a", "a new name")
      await rig.clock.advance(5_000)
      assert.deepEqual(await history.find("flux capacitor"), ["ses_a"])
      assert.deepEqual(await history.find("rewritten entirely"), ["ses_a"])
      assert.deepEqual(await history.find("a new name"), ["ses_a"])
      assert.deepEqual(await history.find("text 7\u0020"), [])
      assert.deepEqual(await history.ids("ses_a"), hostIDs(rig, "ses_a"))
      rig.sync.dispose()
    }))

  test("a long session in pages; what is removed at the host goes", () =>
    withEngine(async (history) => {
      const rig = makeRig(history)
      rig.host.add("ses_long", 450)
      rig.sync.start()
      await rig.clock.advance(A_WHILE_MS)
      assert.deepEqual(await history.ids("ses_long"), hostIDs(rig, "ses_long"))
      rig.host.faults.silent = true
      const entry = rig.host.sessions.get("ses_long")
      assert.ok(entry !== undefined)
      entry.messages = entry.messages.slice(0, 220)
      rig.host.say("ses_long", "another way", rig.clock.now())
      await rig.clock.advance(RECENT_LISTING_MS)
      assert.deepEqual(await history.ids("ses_long"), hostIDs(rig, "ses_long"))
      rig.sync.dispose()
    }))

  test("a deleted session stays deleted, whatever answer comes late; a vanished one goes with a listing", () =>
    withEngine(async (history) => {
      const rig = makeRig(history)
      rig.host.add("ses_a", 150)
      rig.host.add("ses_b", 2)
      const goOn = holdSecondPage(rig.host, "ses_a")
      rig.sync.start()
      await rig.clock.advance(1_000)
      rig.host.remove("ses_a")
      await rig.clock.advance(2_000)
      goOn()
      await rig.clock.advance(2_000)
      assert.deepEqual(await history.sessionIDs(), ["ses_b"])
      rig.host.sessions.delete("ses_b")
      await rig.clock.advance(COMPLETE_LISTING_MS + RECENT_LISTING_MS)
      assert.deepEqual(await history.sessionIDs(), [])
      rig.sync.dispose()
    }))

  test("what is forgotten stays forgotten, by session, project and dates", () =>
    withEngine(async (history) => {
      const rig = makeRig(history)
      rig.host.add("ses_a", 3)
      rig.host.add("ses_b", 3)
      rig.host.add("ses_p", 3, { projectID: "prj_p" })
      rig.host.add("ses_d", 3, { updated: 5_000_000 })
      rig.sync.start()
      await rig.clock.advance(A_WHILE_MS)
      await history.forget({ kind: "session", sessionID: "ses_b" })
      await history.forget({ kind: "project", projectID: "prj_p" })
      await history.forget({ kind: "dates", from: 4_000_000, to: 6_000_000 })
      rig.host.calls.length = 0
      rig.sync.reconcile()
      await rig.clock.advance(A_WHILE_MS)
      assert.deepEqual(await history.sessionIDs(), ["ses_a"])
      assert.deepEqual(
        rig.host.calls.filter((call) => call.startsWith("messages")),
        [],
      )
      const status = await history.status()
      assert.deepEqual(status.ok && status.value.progress, { total: 1, failed: 0, pending: 0, forgotten: 3 })
      rig.sync.dispose()
    }))

  test("two syncs on one index, as of two processes, agree with the host", () =>
    withEngine(async (history) => {
      const one = makeRig(history)
      const two = makeRig(history, { host: one.host })
      for (let index = 0; index < 20; index += 1) one.host.add(`ses_${index}`, 5)
      one.sync.start()
      two.sync.start()
      await Promise.all([one.clock.advance(1_000), two.clock.advance(1_000)])
      one.host.say("ses_3", "news", one.clock.now())
      one.host.removeMessage("ses_4", "msg_00002")
      one.host.remove("ses_5")
      await Promise.all([one.clock.advance(A_WHILE_MS), two.clock.advance(A_WHILE_MS)])
      for (const id of one.host.sessions.keys()) assert.deepEqual(await history.ids(id), hostIDs(one, id))
      assert.equal((await history.sessionIDs()).length, 19)
      one.sync.dispose()
      two.sync.dispose()
    }))
})
