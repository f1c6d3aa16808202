import { after, before, describe, test } from "node:test"
import assert from "node:assert/strict"
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DRAFT_KEPT_MS, keepDraft, keepsDrafts, takeDraft } from "../../src/handoff/draft-file.ts"

const draft = { source: "ses_a", at: 1_000, draft: "text\n" }
let dataDir = ""
before(() => {
  dataDir = mkdtempSync(join(tmpdir(), "baton-drafts-"))
})
after(() => rmSync(dataDir, { recursive: true, force: true }))
const folder = () => join(dataDir, "opencode-baton", "drafts")

test("nothing is kept on a machine that never kept one", async () => {
  assert.equal(keepsDrafts(dataDir), false)
  assert.equal(await takeDraft(dataDir, "ses_1", 1_000), undefined)
})

test("a draft is taken once, of however many at the same moment, and leaves nothing behind", async () => {
  await keepDraft(dataDir, "ses_1", draft)
  assert.equal(keepsDrafts(dataDir), true)
  assert.equal(statSync(join(folder(), "ses_1.json")).mode & 0o777, 0o600)
  const taken = await Promise.all(Array.from({ length: 8 }, () => takeDraft(dataDir, "ses_1", 1_000)))
  assert.deepEqual(
    taken.filter((one) => one !== undefined),
    [draft],
  )
  assert.deepEqual(readdirSync(folder()), [])
})

test("one that waited too long is not shown any more", async () => {
  await keepDraft(dataDir, "ses_2", draft)
  assert.equal(await takeDraft(dataDir, "ses_2", 1_000 + DRAFT_KEPT_MS), undefined)
})

describe("a file that holds no draft is none", () => {
  for (const text of ["", "{", "null", '{"draft":5}'])
    test(JSON.stringify(text), async () => {
      writeFileSync(join(folder(), "ses_3.json"), text)
      assert.equal(await takeDraft(dataDir, "ses_3", 1_000), undefined)
    })
})

describe("a name that could be another file's is refused", () => {
  for (const id of ["../x", "a/b", "", ".", "a\0b", "x".repeat(300)])
    test(JSON.stringify(id), async () => {
      await assert.rejects(keepDraft(dataDir, id, draft), /is not a session id/)
      assert.equal(await takeDraft(dataDir, id, 1_000), undefined)
    })
})
