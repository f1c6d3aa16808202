import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { describe, test } from "node:test"
import { fileURLToPath } from "node:url"
import { excluder } from "../../../src/history/sync/exclude.ts"
import { joinSync, START_DELAY_MS, type MemberSetup } from "../../../src/history/sync/hub.ts"
import { memoryHistory, type MemoryHistory } from "./memory-history.ts"
import { memoryHost, type MemoryHost } from "./memory-host.ts"
import { START, testClock, type TestClock } from "./rig.ts"

type Process = {
  readonly host: MemoryHost
  readonly opened: MemoryHistory[]
  readonly clock: TestClock
  member(fields?: Partial<MemberSetup>): MemberSetup
}

let serial = 0

function makeProcess(): Process {
  serial += 1
  const key = `key ${serial}`
  const host = memoryHost()
  const opened: MemoryHistory[] = []
  const clock = testClock(() => host.pending() + opened.reduce((sum, one) => sum + one.pending(), 0))
  return {
    host,
    opened,
    clock,
    member: (fields) => ({
      key,
      feed: host.feed,
      excluded: excluder([]),
      log: () => undefined,
      clock,
      open() {
        const history = memoryHistory()
        opened.push(history)
        return history
      },
      ...fields,
    }),
  }
}

describe("hub", () => {
  test("joining asks nothing; the sync begins by itself after a moment", async () => {
    const one = makeProcess()
    one.host.add("ses_a", 2)
    const member = joinSync(one.member())
    await one.clock.advance(START_DELAY_MS - 1)
    assert.deepEqual(one.host.calls, [])
    await one.clock.advance(5_000)
    assert.deepEqual(one.opened[0]?.sessionIDs(), ["ses_a"])
    await member.leave()
  })

  test("while one member does not know what is excluded the host is asked nothing, and what is stored stays", async () => {
    const one = makeProcess()
    one.host.add("ses_a", 2)
    const first = joinSync(one.member())
    await one.clock.advance(10_000)
    one.host.add("ses_b", 2)
    const held = joinSync(one.member({ held: "it is not understood" }))
    const before = one.host.calls.length
    let why: string | undefined
    void held.catchUp().then((state) => (why = state.why))
    await one.clock.advance(60_000)
    assert.equal(why, "it is not understood")
    assert.equal(one.host.calls.length, before)
    assert.deepEqual(one.opened[0]?.sessionIDs(), ["ses_a"])
    await held.leave()
    await one.clock.advance(60_000)
    assert.deepEqual(one.opened[0]?.sessionIDs().toSorted(), ["ses_a", "ses_b"])
    await first.leave()
  })

  test("a touch begins it at once", async () => {
    const one = makeProcess()
    one.host.add("ses_a", 2)
    const member = joinSync(one.member())
    member.touch()
    await one.clock.advance(500)
    assert.deepEqual(one.opened[0]?.sessionIDs(), ["ses_a"])
    await member.leave()
  })

  test("two instances share one index, and an event both hear counts once", async () => {
    const one = makeProcess()
    one.host.add("ses_a", 2)
    const members = [joinSync(one.member()), joinSync(one.member())]
    await one.clock.advance(10_000)
    assert.equal(one.opened.length, 1)
    assert.equal(members[0]?.history, members[1]?.history)
    one.host.say("ses_a", "news", one.clock.now())
    await one.clock.advance(5_000)
    const before = one.opened[0]?.writes.length ?? 0
    const messageID = one.host.say("ses_a", "more", one.clock.now())
    await one.clock.advance(5_000)
    assert.equal((one.opened[0]?.writes.length ?? 0) - before, 1)
    assert.equal(one.opened[0]?.ids("ses_a").at(-1), messageID)
    for (const member of members) await member.leave()
  })

  test("the index closes with the last instance; leaving twice counts once", async () => {
    const one = makeProcess()
    const first = joinSync(one.member())
    const second = joinSync(one.member())
    await first.leave()
    await first.leave()
    assert.equal(one.opened[0]?.closed(), false)
    await second.leave()
    assert.equal(one.opened[0]?.closed(), true)
    assert.deepEqual([one.clock.timers(), one.host.subscribers()], [0, 0])
  })

  test("a process that loads the plugin again opens the index again", async () => {
    const one = makeProcess()
    one.host.add("ses_a", 2)
    await joinSync(one.member()).leave()
    const again = joinSync(one.member())
    await one.clock.advance(10_000)
    assert.deepEqual(
      one.opened.map((history) => history.sessionIDs()),
      [[], ["ses_a"]],
    )
    await again.leave()
  })

  test("an instance that left is never asked", async () => {
    const one = makeProcess()
    const other = memoryHost()
    for (const host of [one.host, other]) host.add("ses_a", 2)
    const stays = joinSync(one.member())
    const leaves = joinSync(one.member({ feed: other.feed }))
    await one.clock.advance(10_000)
    assert.ok(other.calls.length > 0)
    await leaves.leave()
    other.calls.length = 0
    one.host.say("ses_a", "news", START)
    await one.clock.advance(100_000)
    assert.deepEqual(other.calls, [])
    assert.ok(one.host.calls.length > 0)
    await stays.leave()
  })

  test("what one instance excludes is excluded for all", async () => {
    const one = makeProcess()
    one.host.add("ses_a", 2)
    one.host.add("ses_x", 2, { projectID: "prj_x" })
    const members = [joinSync(one.member()), joinSync(one.member({ excluded: excluder(["prj_x"]) }))]
    await one.clock.advance(10_000)
    assert.deepEqual(one.opened[0]?.sessionIDs(), ["ses_a"])
    for (const member of members) await member.leave()
  })

  test("fifty starts and stops leave nothing", async () => {
    const one = makeProcess()
    for (let index = 0; index < 20; index += 1) one.host.add(`ses_${index}`, 2)
    for (let cycle = 0; cycle < 50; cycle += 1) {
      const members = [joinSync(one.member()), joinSync(one.member())]
      members[0]?.touch()
      await one.clock.advance(cycle * 3)
      one.host.say("ses_3", "news", one.clock.now())
      await Promise.all(members.map((member) => member.leave()))
      await one.clock.advance(0)
      assert.deepEqual([one.clock.timers(), one.host.subscribers()], [0, 0])
    }
    assert.equal(one.opened.filter((history) => !history.closed()).length, 0)
    assert.equal(globalThis.opencodeBatonHistorySync1?.size, 0)
  })

  test("a sync at work keeps no process alive", () => {
    const program = fileURLToPath(new URL("unfinished.ts", import.meta.url))
    const ended = spawnSync(process.execPath, [program], { encoding: "utf8", timeout: 30_000 })
    assert.deepEqual([ended.status, ended.signal], [0, null], ended.stderr)
  })
})
