import { after, before, test } from "node:test"
import assert from "node:assert/strict"
import { appendFileSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { withRecord } from "../../src/handoff/record.ts"
import { noteSource, sourceNotes } from "../../src/handoff/source-notes.ts"

let root = ""
before(() => {
  root = mkdtempSync(join(tmpdir(), "baton-notes-"))
})
after(() => rmSync(root, { recursive: true, force: true }))

const fileIn = (dataDir: string) => join(dataDir, "opencode-baton", "handoffs.jsonl")

test("what is noted completes a session's metadata, for whoever noted it, at once", async () => {
  const dataDir = join(root, "a")
  const notes = sourceNotes(dataDir)
  assert.deepEqual(await notes.complete("ses_1", { own: 1 }), { own: 1 })
  assert.equal(existsSync(dataDir), false)
  await Promise.all(
    Array.from({ length: 30 }, (_, at) => noteSource(dataDir, `ses_${at}`, { source: `src_${at}`, at })),
  )
  for (let at = 0; at < 30; at++)
    assert.deepEqual(
      await notes.complete(`ses_${at}`, { own: 1 }),
      withRecord({ own: 1 }, { source: `src_${at}`, at }),
    )
  await noteSource(dataDir, "ses_1", { source: "src_later", at: 7 })
  assert.deepEqual(await notes.complete("ses_1", {}), withRecord({}, { source: "src_later", at: 7 }))
  assert.deepEqual(await notes.complete("ses_30", {}), {})
  assert.equal(statSync(fileIn(dataDir)).mode & 0o777, 0o600)
})

test("what the host keeps itself counts", async () => {
  const dataDir = join(root, "b")
  await noteSource(dataDir, "ses_1", { source: "ses_noted", at: 1 })
  const kept = withRecord({}, { source: "ses_kept", at: 2 })
  assert.deepEqual(await sourceNotes(dataDir).complete("ses_1", kept), kept)
})

test("broken lines are left out, and a file that cannot be read holds none", async () => {
  const dataDir = join(root, "c")
  await noteSource(dataDir, "ses_1", { source: "ses_a", at: 1 })
  appendFileSync(
    fileIn(dataDir),
    '{"session":"ses_2"}\nnull\n{\n[]\n{"session":"ses_3","source":"ses_b","at":2}\n{"se',
  )
  const notes = sourceNotes(dataDir)
  assert.deepEqual(await notes.complete("ses_1", {}), withRecord({}, { source: "ses_a", at: 1 }))
  assert.deepEqual(await notes.complete("ses_2", {}), {})
  assert.deepEqual(await notes.complete("ses_3", {}), withRecord({}, { source: "ses_b", at: 2 }))
  const blocked = join(root, "d")
  writeFileSync(blocked, "a file where the folder should be")
  assert.deepEqual(await sourceNotes(blocked).complete("ses_1", {}), {})
})
