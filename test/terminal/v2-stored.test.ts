import { after, test } from "node:test"
import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { withRecord } from "../../src/handoff/record.ts"
import { CLAIM_MS, take } from "../../src/terminal/v2-stored.ts"

// Terminals over one host that find a waiting draft in the same instant.

const root = mkdtempSync(join(tmpdir(), "baton-stored-v2-"))
after(() => rmSync(root, { recursive: true, force: true }))

/** Takes of several terminals at once; each has its own data folder, or they share one. The first writes late. */
async function takes(shared: boolean, firstWritesAfterMs: number): Promise<readonly string[]> {
  let metadata: object = withRecord({}, { source: "ses_source", at: 1, draft: "the draft\n" })
  const kinds = ["one", "two", "three"].map(async (terminal, at) => {
    const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
    const session = {
      get: async () => {
        await wait(0)
        return { metadata }
      },
      update: async (given: { metadata: object }) => {
        await wait(at === 0 ? firstWritesAfterMs : 0)
        metadata = given.metadata
      },
    }
    const hostDir = join(root, shared ? "shared" : terminal)
    return (await take({ session, hostDir, terminal, now: Date.now }, "ses_new")).kind
  })
  return Promise.all(kinds)
}

const count = (kinds: readonly string[]) => kinds.filter((kind) => kind === "taken").length

test("one takes it, on one machine however slow it is, and on several", async () => {
  assert.equal(count(await takes(true, 2 * CLAIM_MS)), 1)
  assert.equal(count(await takes(false, 0)), 1)
})
