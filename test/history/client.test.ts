import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, describe, test } from "node:test"
import { fileURLToPath, pathToFileURL } from "node:url"
import { createClient } from "../../src/history/client.ts"
import { openHistory } from "../../src/history/index.ts"
import { ALL, aFolder, aMessage, aSession, found, got, removeFolders, store } from "./make.ts"

after(removeFolders)

const zebra = [[aSession("s1"), [aMessage("m1", "zebra")]]] as const

describe("the index in its worker", () => {
  test("stores, finds and says where it runs", { timeout: 30_000 }, async () => {
    const history = createClient({ dataDir: aFolder(), maskSecrets: true })
    await store(history, zebra)
    assert.deepEqual(await found(history, ["zebra"]), ["s1"])
    history.progress({ total: 9, failed: 1, pending: 3 })
    const status = got(await history.status())
    assert.equal(status.runs, "worker")
    assert.deepEqual(status.progress, { total: 9, failed: 1, pending: 3 })
    await history.close()
    await history.close()
    const late = await history.search({ ...ALL, words: ["zebra"] })
    assert.ok(!late.ok && late.fault.reason === "closed")
  })

  test("answers an aborted call at once and goes on", { timeout: 30_000 }, async () => {
    const history = createClient({ dataDir: aFolder(), maskSecrets: true })
    await store(history, zebra)
    const controller = new AbortController()
    const answer = history.search({ ...ALL, words: ["zebra"] }, controller.signal)
    controller.abort()
    const result = await answer
    assert.ok(!result.ok && result.fault.reason === "aborted")
    assert.deepEqual(await found(history, ["zebra"]), ["s1"])
    await history.close()
  })

  test("tells what cannot be sent to it", { timeout: 30_000 }, async () => {
    const history = createClient({ dataDir: aFolder(), maskSecrets: true })
    const session = aSession("s1", { metadata: { callback: () => undefined } })
    const result = await history.applyChanges({ fetchedAt: 1, sessions: [{ session }] })
    assert.equal(result.ok ? "" : result.fault.reason, "failed")
    await history.status()
    // Now the worker is there, and the call goes to it at once.
    const late = await history.applyChanges({ fetchedAt: 1, sessions: [{ session }] })
    assert.equal(late.ok ? "" : late.fault.reason, "failed")
    await history.close()
  })
})

describe("without a worker", () => {
  test("that can be found, the same answers come from here", { timeout: 30_000 }, async () => {
    const workerURL = pathToFileURL(join(aFolder(), "missing.js"))
    const history = createClient({ dataDir: aFolder(), maskSecrets: true, workerURL })
    await store(history, zebra)
    assert.deepEqual(await found(history, ["zebra"]), ["s1"])
    assert.equal(got(await history.status()).runs, "in-process")
    await history.close()
  })

  test("that starts, calls made meanwhile are answered from here", { timeout: 30_000 }, async () => {
    const folder = aFolder()
    writeFileSync(join(folder, "broken.mjs"), "throw new Error('no')")
    const history = createClient({
      dataDir: aFolder(),
      maskSecrets: true,
      workerURL: pathToFileURL(join(folder, "broken.mjs")),
    })
    const both = await Promise.all([history.status(), history.search({ ...ALL, words: ["zebra"] })])
    assert.deepEqual(
      both.map((one) => one.ok),
      [true, true],
    )
    assert.equal(got(await history.status()).runs, "in-process")
    await history.close()
  })
})

test("two openings share one index; it ends with the last", { timeout: 30_000 }, async () => {
  const dataDir = aFolder()
  const one = openHistory({ dataDir, maskSecrets: true })
  const other = openHistory({ dataDir, maskSecrets: true })
  await store(one, zebra)
  await one.close()
  assert.deepEqual(await found(other, ["zebra"]), ["s1"])
  await other.close()
  const third = openHistory({ dataDir, maskSecrets: true })
  assert.deepEqual(await found(third, ["zebra"]), ["s1"])
  await third.close()
})

test(
  "an index that nobody closed does not keep the process alive, and prints nothing",
  { timeout: 30_000 },
  () => {
    const program = fileURLToPath(new URL("./left-open.ts", import.meta.url))
    const child = spawnSync(process.execPath, [program, aFolder()], { encoding: "utf8", timeout: 20_000 })
    assert.deepEqual([child.status, child.stdout.trim()], [0, "answered"])
    assert.doesNotMatch(child.stderr, /Experimental/)
  },
)
