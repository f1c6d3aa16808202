import assert from "node:assert/strict"
import { after, describe, test } from "node:test"
import { createEngine } from "../../src/history/engine.ts"
import { aFolder, removeFolders } from "./make.ts"

// What a sync reported is known to every process that opens the file.

after(removeFolders)

function open(dataDir: string) {
  return createEngine({ dataDir, maskSecrets: true, sliceMs: 10, runs: "in-process" })
}

async function reportedIn(dataDir: string) {
  const history = open(dataDir)
  const status = await history.status()
  await history.close()
  assert.ok(status.ok)
  assert.equal(status.value.progress, undefined, "it has no sync of its own")
  const { at, ...counts } = status.value.reported ?? { at: 0 }
  assert.ok(at <= Date.now())
  return counts
}

describe("the report of a sync", () => {
  test("is known to the next process, the last one counts", async () => {
    const dataDir = aFolder()
    assert.deepEqual(await reportedIn(dataDir), {})
    const first = open(dataDir)
    await first.status()
    first.progress({ total: 9, failed: 1, pending: 3, excluded: 2 })
    first.progress({ total: 9, failed: 1, pending: 2, excluded: 2 })
    await first.close()
    assert.deepEqual(await reportedIn(dataDir), {
      total: 9,
      failed: 1,
      pending: 2,
      excluded: 2,
      forgotten: 0,
    })
    const second = open(dataDir)
    await second.status()
    second.progress({ total: 9, failed: 0, pending: 0 })
    await second.close()
    assert.deepEqual(await reportedIn(dataDir), {
      total: 9,
      failed: 0,
      pending: 0,
      excluded: 0,
      forgotten: 0,
    })
  })

  test("is none before the first complete listing", async () => {
    const dataDir = aFolder()
    const history = open(dataDir)
    await history.status()
    history.progress({ failed: 0, pending: 40 })
    await history.close()
    assert.deepEqual(await reportedIn(dataDir), {})
  })
})
