import { after, before, test } from "node:test"
import assert from "node:assert/strict"
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CLAIM_STALE_MS, claimDraft } from "../../src/handoff/claim.ts"

let hostDir = ""
before(() => {
  hostDir = mkdtempSync(join(tmpdir(), "baton-claims-"))
})
after(() => rmSync(hostDir, { recursive: true, force: true }))
const folder = () => join(hostDir, "opencode-baton", "claims")

test("of many at the same moment one has the claim, the next has it after, and nothing is left", async () => {
  const claims = await Promise.all(Array.from({ length: 8 }, () => claimDraft(hostDir, "ses_1")))
  const held = claims.filter((release) => release !== undefined)
  assert.equal(held.length, 1)
  assert.equal(statSync(join(folder(), "ses_1")).mode & 0o777, 0o600)
  await held[0]?.()
  const next = await claimDraft(hostDir, "ses_1")
  await next?.()
  assert.ok(next !== undefined)
  assert.deepEqual(readdirSync(folder()), [])
})

test("the claim of a terminal that was killed ends after a while", async () => {
  assert.ok((await claimDraft(hostDir, "ses_2")) !== undefined)
  assert.equal(await claimDraft(hostDir, "ses_2"), undefined)
  const later = () => Date.now() + CLAIM_STALE_MS + 1_000
  await (
    await claimDraft(hostDir, "ses_2", later)
  )?.()
  assert.deepEqual(readdirSync(folder()), [])
})

test("where no file can be made everyone has it", async () => {
  const file = join(hostDir, "file")
  writeFileSync(file, "")
  assert.ok((await claimDraft(file, "ses_3")) !== undefined)
})

test("a name that could be another file's is nobody's", async () =>
  assert.equal(await claimDraft(hostDir, "../x"), undefined))
