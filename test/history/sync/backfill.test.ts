import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { backoffMs } from "../../../src/history/sync/backoff.ts"
import { COMPLETE_LISTING_MS, RECENT_LISTING_MS } from "../../../src/history/sync/backfill.ts"
import { unreadableIn } from "../../../src/history/sync/index.ts"
import { MESSAGES_PAGE } from "../../../src/history/sync/pages.ts"
import { unreadableID, unreadableMessage } from "../../../src/session/unreadable.ts"
import { makeRig, START, type Rig } from "./rig.ts"

const A_WHILE_MS = 20_000

/** The calls that fetch messages. */
function fetches(rig: Rig): readonly string[] {
  return rig.host.calls.filter((call) => call.startsWith("message"))
}

describe("backfill", () => {
  test("creating a sync asks nothing and sets no timer", async () => {
    const rig = makeRig()
    rig.host.add("ses_a", 3)
    await rig.clock.advance(A_WHILE_MS)
    assert.deepEqual([rig.host.calls, rig.clock.timers()], [[], 0])
  })

  test("every session of every page is stored, newest first", async () => {
    const rig = makeRig()
    for (let index = 0; index < 250; index += 1)
      rig.host.add(`ses_${index}`, 2, { updated: 1_000_000 + index })
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    assert.equal(rig.history.sessionIDs().length, 250)
    assert.equal(rig.host.calls.filter((call) => call === "list").length, 3)
    assert.deepEqual(fetches(rig).slice(0, 3), ["messages ses_249", "messages ses_248", "messages ses_247"])
    assert.deepEqual(rig.history.reports.at(-1), { total: 250, failed: 0, pending: 0 })
  })

  test("indexed + pending + failed = total in every report", async () => {
    const rig = makeRig()
    for (let index = 0; index < 20; index += 1)
      rig.host.add(`ses_${index}`, 2, { updated: 1_000_000 + index })
    rig.host.faults.failing.add("ses_7")
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    for (const report of rig.history.reports)
      assert.ok(report.total === undefined || report.failed + report.pending <= report.total)
    assert.deepEqual(rig.history.reports.at(-1), { total: 20, failed: 1, pending: 0 })
  })

  test("a row that cannot be read is a session that failed", async () => {
    const rig = makeRig()
    rig.host.add("ses_a", 2)
    rig.host.faults.unreadable = 2
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    assert.deepEqual(rig.history.reports.at(-1), { total: 3, failed: 2, pending: 0 })
    rig.host.faults.unreadable = 0
    await rig.clock.advance(COMPLETE_LISTING_MS + RECENT_LISTING_MS)
    assert.deepEqual(rig.history.reports.at(-1), { total: 1, failed: 0, pending: 0 })
  })

  test("a restart with everything unchanged fetches no message", async () => {
    const first = makeRig()
    for (let index = 0; index < 5; index += 1) first.host.add(`ses_${index}`, 2)
    first.sync.start()
    await first.clock.advance(A_WHILE_MS)
    first.sync.dispose()
    first.host.calls.length = 0

    const second = makeRig({ host: first.host, history: first.history })
    second.sync.start()
    await second.clock.advance(A_WHILE_MS)
    assert.deepEqual(first.host.calls, ["list"])
    assert.deepEqual(first.history.reports.at(-1), { total: 5, failed: 0, pending: 0 })
  })

  test("a restart in the middle goes on where it stopped", async () => {
    const first = makeRig()
    for (let index = 0; index < 10; index += 1)
      first.host.add(`ses_${index}`, 2, { updated: 1_000_000 + index })
    first.host.faults.before = (call) => {
      if (call === "messages ses_6") first.sync.dispose()
    }
    first.sync.start()
    await first.clock.advance(A_WHILE_MS)
    const half = fetches(first).length
    first.host.faults.before = undefined
    first.host.calls.length = 0

    const second = makeRig({ host: first.host, history: first.history })
    second.sync.start()
    await second.clock.advance(A_WHILE_MS)
    assert.equal(half, 4)
    assert.deepEqual(
      fetches(second),
      [6, 5, 4, 3, 2, 1, 0].map((index) => `messages ses_${index}`),
    )
    for (let index = 0; index < 10; index += 1) assert.equal(first.history.ids(`ses_${index}`).length, 2)
  })

  test("a long session comes in bounded pages, complete, its marker last", async () => {
    const rig = makeRig()
    rig.host.add("ses_long", 1_234)
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    assert.deepEqual(
      rig.history.ids("ses_long"),
      rig.host.sessions.get("ses_long")?.messages.map((one) => one.id),
    )
    const writes = rig.history.writes.flatMap((write) => write.sessions ?? [])
    for (const write of writes) assert.ok((write.messages ?? []).length <= MESSAGES_PAGE)
    assert.deepEqual(
      writes.map((write) => write.marker !== undefined),
      writes.map((_, index) => index === writes.length - 1),
    )
  })

  test("of a long session that grew only the end is fetched", async () => {
    const rig = makeRig()
    rig.host.add("ses_long", 2_000)
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    rig.host.calls.length = 0
    rig.host.faults.silent = true
    const messageID = rig.host.say("ses_long", "news", START)
    await rig.clock.advance(RECENT_LISTING_MS)
    assert.deepEqual(fetches(rig), ["messages ses_long"])
    assert.equal(rig.history.ids("ses_long").at(-1), messageID)
    assert.equal(rig.history.ids("ses_long").length, 2_001)
  })

  test("messages removed without an event go with the next refresh", async () => {
    const rig = makeRig()
    rig.host.add("ses_long", 500)
    rig.host.add("ses_short", 5)
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    rig.host.faults.silent = true
    for (const id of ["ses_long", "ses_short"]) {
      const last = rig.host.sessions.get(id)?.messages.at(-2)?.id ?? ""
      rig.host.removeMessage(id, last)
      rig.host.say(id, "news", START)
    }
    await rig.clock.advance(RECENT_LISTING_MS)
    for (const id of ["ses_long", "ses_short"])
      assert.deepEqual(
        rig.history.ids(id),
        rig.host.sessions.get(id)?.messages.map((one) => one.id),
      )
  })

  test("what the host cannot deliver is counted, and what it delivered once is kept", async () => {
    const rig = makeRig()
    rig.host.add("ses_a", 40)
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    const held = rig.host.sessions.get("ses_a")
    assert.ok(held)
    const [before] = held.messages.slice(29, 30)
    assert.ok(before)
    // Messages 30 and 31 cannot be had any more, 35 was removed; the session went on.
    const gap = unreadableMessage({
      id: unreadableID(before.id),
      sessionID: "ses_a",
      created: before.created,
    })
    const left = (from: number, to?: number) => held.messages.slice(from, to)
    held.messages = [...left(0, 30), gap, ...left(32, 35), ...left(36)]
    rig.host.faults.silent = true
    rig.host.say("ses_a", "news", rig.clock.now() - 7_200_000)
    const began = rig.host.calls.length
    await rig.clock.advance(COMPLETE_LISTING_MS + A_WHILE_MS)
    const kept = ["msg_00029", gap.id, "msg_00030", "msg_00031", "msg_00032", "msg_00034", "msg_00036"]
    const ids = rig.history.ids("ses_a")
    assert.deepEqual(
      kept.map((id) => ids.includes(id)),
      kept.map(() => true),
    )
    assert.equal(ids.includes("msg_00035"), false)
    const markers = await rig.history.markers()
    assert.ok(markers.ok)
    assert.deepEqual(unreadableIn(markers.value), { unreadable: 1, atLeast: false })
    const fetches = rig.host.calls.slice(began).filter((call) => call.startsWith("messages"))
    assert.deepEqual(fetches, ["messages ses_a"])
  })

  test("a revert far back and a new prompt leave what the host has", async () => {
    const rig = makeRig()
    rig.host.add("ses_long", 500)
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    rig.host.faults.silent = true
    const entry = rig.host.sessions.get("ses_long")
    assert.ok(entry !== undefined)
    entry.messages = entry.messages.slice(0, 250)
    rig.host.say("ses_long", "another way", START)
    await rig.clock.advance(RECENT_LISTING_MS)
    assert.deepEqual(
      rig.history.ids("ses_long"),
      entry.messages.map((one) => one.id),
    )
  })

  test("a rename costs a row and no message", async () => {
    const rig = makeRig()
    rig.host.add("ses_a", 5)
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    rig.host.calls.length = 0
    rig.host.faults.silent = true
    rig.host.rename("ses_a", "another")
    await rig.clock.advance(RECENT_LISTING_MS)
    assert.equal(rig.history.title("ses_a"), "another")
    assert.deepEqual(fetches(rig), [])
  })

  test("a rename during the backfill is not overwritten by the older listing", async () => {
    const rig = makeRig()
    rig.host.add("ses_a", 5)
    rig.host.faults.before = (call) => {
      if (call !== "messages ses_a") return
      rig.host.faults.before = undefined
      rig.host.rename("ses_a", "another")
      return new Promise((resolve) => void rig.clock.after(5_000, resolve))
    }
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    assert.equal(rig.history.title("ses_a"), "another")
    assert.equal(rig.history.ids("ses_a").length, 5)
  })

  test("a message that comes during the backfill of a long session stays", async () => {
    const rig = makeRig()
    rig.host.add("ses_a", 250)
    let pages = 0
    let live = ""
    rig.host.faults.before = (call) => {
      if (call !== "messages ses_a") return
      pages += 1
      if (pages !== 2) return
      live = rig.host.say("ses_a", "meanwhile", rig.clock.now())
      return new Promise((resolve) => void rig.clock.after(5_000, resolve))
    }
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    assert.equal(rig.history.ids("ses_a").at(-1), live)
    assert.equal(rig.history.ids("ses_a").length, 251)
  })

  test("a turn that stops without a sign is looked at until it is settled", async () => {
    const rig = makeRig()
    rig.host.add("ses_a", 3, { updated: START })
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    const entry = rig.host.sessions.get("ses_a")
    // The other process adds a message and is killed before it touches the session.
    entry?.messages.push({ ...entry.messages[0]!, id: "msg_late", created: START + 1_000 })
    await rig.clock.advance(2 * RECENT_LISTING_MS)
    assert.equal(rig.history.ids("ses_a").at(-1), "msg_late")
    await rig.clock.advance(COMPLETE_LISTING_MS + RECENT_LISTING_MS)
    rig.host.calls.length = 0
    await rig.clock.advance(5 * RECENT_LISTING_MS)
    assert.deepEqual(fetches(rig), [])
  })
})

describe("deletion", () => {
  test("a vanished session goes with the next complete listing, and only then", async () => {
    const rig = makeRig()
    for (const id of ["ses_a", "ses_b"]) rig.host.add(id, 2)
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    rig.host.faults.silent = true
    rig.host.remove("ses_a")
    await rig.clock.advance(5 * RECENT_LISTING_MS)
    assert.deepEqual(rig.history.sessionIDs(), ["ses_a", "ses_b"])
    await rig.clock.advance(COMPLETE_LISTING_MS)
    assert.deepEqual(rig.history.sessionIDs(), ["ses_b"])
    assert.deepEqual(rig.history.reports.at(-1), { total: 1, failed: 0, pending: 0 })
  })

  test("a session that slipped through the listing and still exists stays", async () => {
    const rig = makeRig()
    for (let index = 0; index < 150; index += 1)
      rig.host.add(`ses_${index}`, 1, { updated: 1_000_000 + index })
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    let lists = 0
    rig.host.faults.silent = true
    rig.host.faults.before = (call) => {
      if (call !== "list") return
      lists += 1
      const entry = rig.host.sessions.get("ses_3")
      // Between the pages a session of the second page becomes the newest one.
      if (lists === 2 && entry !== undefined) entry.session = { ...entry.session, updated: START }
    }
    rig.sync.reconcile()
    await rig.clock.advance(A_WHILE_MS)
    assert.equal(lists, 2)
    assert.deepEqual(
      rig.history.writes.filter((write) => write.removedSessions !== undefined),
      [],
    )
    assert.equal(rig.history.sessionIDs().length, 150)
  })

  test("what the other host stored is not deleted by this host's listing", async () => {
    const rig = makeRig()
    rig.host.add("ses_a", 2)
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    const session = { ...rig.host.sessions.get("ses_a")!.session, id: "ses_other" }
    const marker = "v2.1:5:0123456789abcdef"
    await rig.history.applyChanges({ fetchedAt: 1, sessions: [{ session, marker }] })
    await rig.clock.advance(2 * COMPLETE_LISTING_MS)
    assert.deepEqual(rig.history.sessionIDs(), ["ses_a", "ses_other"])
  })

  test("a partial listing deletes nothing", async () => {
    const rig = makeRig()
    for (const id of ["ses_a", "ses_b"]) rig.host.add(id, 2)
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    rig.host.faults.partial = true
    rig.host.sessions.delete("ses_a")
    await rig.clock.advance(2 * COMPLETE_LISTING_MS)
    assert.deepEqual(rig.history.sessionIDs(), ["ses_a", "ses_b"])
  })

  test("a listing that fails deletes nothing and is tried again with longer and longer waits", async () => {
    const rig = makeRig()
    rig.host.add("ses_a", 2)
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    rig.host.faults.listing = { reason: "failed", message: "away" }
    rig.host.calls.length = 0
    await rig.clock.advance(3_600_000)
    const lists = rig.host.calls.length
    assert.ok(lists > 5 && lists < 20, `${lists} listings in an hour`)
    assert.deepEqual(rig.history.sessionIDs(), ["ses_a"])
    assert.equal(rig.log.length, 1)
    rig.host.faults.listing = undefined
    rig.host.add("ses_b", 2)
    await rig.clock.advance(backoffMs(99) + A_WHILE_MS)
    assert.deepEqual(rig.history.sessionIDs(), ["ses_a", "ses_b"])
  })
})

describe("exclusion and forgetting", () => {
  test("excluded sessions are never fetched or stored, and counted apart", async () => {
    const rig = makeRig({ exclude: ["prj_x", "/private"] })
    rig.host.add("ses_a", 2)
    rig.host.add("ses_x", 2, { projectID: "prj_x" })
    rig.host.add("ses_p", 2, { directory: "/private/deep" })
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    rig.host.say("ses_x", "news", START)
    rig.host.change("ses_p", "msg_00000", "news")
    await rig.clock.advance(A_WHILE_MS)
    assert.deepEqual(rig.host.calls, ["list", "messages ses_a"])
    assert.deepEqual(rig.history.sessionIDs(), ["ses_a"])
    assert.deepEqual(rig.history.reports.at(-1), { total: 1, failed: 0, pending: 0, excluded: 2 })
  })

  test("what is excluded later leaves the index", async () => {
    const before = makeRig()
    before.host.add("ses_a", 2)
    before.host.add("ses_x", 2, { projectID: "prj_x" })
    before.sync.start()
    await before.clock.advance(A_WHILE_MS)
    before.sync.dispose()
    const after = makeRig({ host: before.host, history: before.history, exclude: ["prj_x"] })
    after.sync.start()
    await after.clock.advance(A_WHILE_MS)
    assert.deepEqual(before.history.sessionIDs(), ["ses_a"])
  })

  test("a forgotten session is not fetched again, and counted apart", async () => {
    const rig = makeRig()
    for (const id of ["ses_a", "ses_b"]) rig.host.add(id, 2)
    await rig.history.forget({ kind: "session", sessionID: "ses_b" })
    rig.sync.start()
    await rig.clock.advance(A_WHILE_MS)
    rig.host.say("ses_b", "news", START)
    await rig.clock.advance(2 * RECENT_LISTING_MS)
    assert.deepEqual(rig.history.sessionIDs(), ["ses_a"])
    assert.deepEqual(fetches(rig), ["messages ses_a"])
    assert.deepEqual(rig.history.reports.at(-1), { total: 1, failed: 0, pending: 0, forgotten: 1 })
  })
})
