import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { COMPLETE_LISTING_MS } from "../../../src/history/sync/backfill.ts"
import { withEngine } from "./engine-history.ts"
import { makeRigOver, START } from "./rig.ts"

// What is newer is decided by the order in which fetches began, which the index file keeps. The clock may be set while
// a sync runs, and two processes may have different ones.

const DAY_MS = 86_400_000
const A_WHILE_MS = 5_000

describe("a clock that is set", () => {
  for (const [name, jump] of [
    ["back by a day", -DAY_MS],
    ["back by a year", -365 * DAY_MS],
    ["forwards by a day", DAY_MS],
    ["to 1970", -START],
  ] as const) {
    test(`${name}: what the host deletes afterwards goes, and what it says is found`, async () => {
      await withEngine(async (history) => {
        const rig = makeRigOver(history)
        rig.host.add("ses_a", 2)
        rig.host.add("ses_b", 2)
        rig.sync.start()
        await rig.clock.advance(A_WHILE_MS)
        assert.deepEqual(await history.sessionIDs(), ["ses_a", "ses_b"])

        rig.clock.set(jump)
        rig.host.say("ses_b", "flux capacitor", START + A_WHILE_MS)
        await rig.clock.advance(A_WHILE_MS)
        assert.deepEqual(await history.find("flux capacitor"), ["ses_b"])
        rig.host.remove("ses_a")
        await rig.clock.advance(A_WHILE_MS)
        assert.deepEqual(await history.sessionIDs(), ["ses_b"])

        // Deleted without an event: the complete listing finds it as soon as ever.
        rig.host.sessions.delete("ses_b")
        await rig.clock.advance(COMPLETE_LISTING_MS + 70_000)
        assert.deepEqual(await history.sessionIDs(), [])
        rig.sync.dispose()
      })
    })
  }
})

describe("two processes with different clocks", () => {
  for (const [name, jump] of [
    ["ahead", DAY_MS],
    ["behind", -DAY_MS],
  ] as const) {
    test(`what one whose clock was ${name} stored, the other changes and removes`, async () => {
      await withEngine(async (history) => {
        const first = makeRigOver(history, { start: START + jump })
        first.host.add("ses_a", 2)
        first.host.add("ses_b", 2)
        first.sync.start()
        await first.clock.advance(A_WHILE_MS)
        first.sync.dispose()

        const second = makeRigOver(history, { host: first.host })
        second.host.rename("ses_a", "renamed")
        second.host.sessions.delete("ses_b")
        second.sync.start()
        await second.clock.advance(A_WHILE_MS)
        assert.deepEqual(await history.sessionIDs(), ["ses_a"])
        assert.deepEqual(await history.find("renamed"), ["ses_a"])
        second.sync.dispose()
      })
    })
  }
})
