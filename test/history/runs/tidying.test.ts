import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { after, describe, test } from "node:test"
import type { History } from "../../../src/history/contract.ts"
import { type Sealed, startSealThread, type SealThread } from "../../../src/history/runs/seal-thread.ts"
import { openDatabase, sqliteDriver } from "../../../src/storage/sqlite.ts"
import { aFolder, aMessage, anIndex, aSession, found, got, removeFolders, store } from "../make.ts"

// Who seals while much is written: the thread, or the engine where there is none or it failed.

after(removeFolders)

const SEAL_UNITS = 10_000
const worker = new URL("../../../src/history/worker.ts", import.meta.url)
const driver = await sqliteDriver()

/** Sessions of 1,500 characters, which are stored as they are, each with a word of its own. */
async function write(index: History, from: number, count: number): Promise<void> {
  for (let at = from; at < from + count; at++)
    await store(index, [
      [aSession(`s${at}`), [aMessage(`m${at}`, `word${at}x ${"some more text ".repeat(100)}`)]],
    ])
}

/** Runs and characters that wait for one. */
async function sealedIn(index: History): Promise<{ runs: number; waiting: number }> {
  assert.ok(driver)
  const { file } = got(await index.status())
  const database = openDatabase(driver, file, { readOnly: true, busyTimeoutMs: 1_000 })
  const row = database
    .prepare("SELECT (SELECT count(*) FROM runs) AS runs, (SELECT total(units) FROM tail) AS waiting")
    .get()
  database.close()
  return { runs: Number(row?.["runs"]), waiting: Number(row?.["waiting"]) }
}

/** Rows whose old text a run still has. */
async function deadIn(index: History): Promise<number> {
  assert.ok(driver)
  const { file } = got(await index.status())
  const database = openDatabase(driver, file, { readOnly: true, busyTimeoutMs: 1_000 })
  const row = database.prepare("SELECT count(*) AS dead FROM dead").get()
  database.close()
  return Number(row?.["dead"])
}

type Watched = { readonly threads: SealThread[]; readonly started: (path: string) => SealThread | undefined }

function watched(): Watched {
  const threads: SealThread[] = []
  return {
    threads,
    started: (path) => {
      const thread = startSealThread(worker, path)
      if (thread) threads.push(thread)
      return thread
    },
  }
}

/** A thread that answers by hand. */
function byHand() {
  let answer: ((sealed: Sealed) => void) | undefined
  const calls: string[] = []
  const thread: SealThread = {
    seal: () => {
      calls.push("seal")
      return new Promise((resolve) => (answer = resolve))
    },
    busy: () => answer !== undefined,
    end: async () => void calls.push("end"),
  }
  return {
    calls,
    started: () => thread,
    answer: (sealed: Sealed) => {
      const resolve = answer
      answer = undefined
      resolve?.(sealed)
    },
  }
}

describe("while much is written", () => {
  test("a thread seals it, and closing waits for that", { timeout: 60_000 }, async () => {
    const dataDir = aFolder()
    const { threads, started } = watched()
    const index = anIndex(dataDir, { sealUnits: SEAL_UNITS, sealThread: started })
    await write(index, 0, 40)
    await index.close()
    assert.equal(threads.length, 1)
    const again = anIndex(dataDir)
    const { runs, waiting } = await sealedIn(again)
    assert.ok(runs > 0)
    assert.ok(waiting < SEAL_UNITS, `${waiting} characters wait`)
    for (const at of [0, 17, 39]) assert.deepEqual(await found(again, [`word${at}x`]), [`s${at}`])
    assert.deepEqual(got(await again.status()).notes, [])
    await again.close()
  })

  test("writing goes on while the thread seals, up to three full tails", async () => {
    const thread = byHand()
    const index = anIndex(aFolder(), { sealUnits: SEAL_UNITS, sealThread: thread.started })
    await write(index, 0, 19)
    assert.deepEqual(thread.calls, ["seal"])
    let written = false
    const more = write(index, 19, 2).then(() => (written = true))
    // What it waits for is looked for every 25 ms.
    await new Promise((resolve) => setTimeout(resolve, 200))
    assert.deepEqual([written, thread.calls], [false, ["seal"]])
    thread.answer({ left: 9_000 })
    await more
    // The thread left nearly a full tail, and one more was written since.
    assert.deepEqual(thread.calls, ["seal", "seal"])
    thread.answer({ left: 0 })
    await index.close()
    assert.equal(thread.calls.at(-1), "end")
  })

  test("who waits for the thread merges meanwhile what it would have to merge later", async () => {
    const dataDir = aFolder()
    const before = anIndex(dataDir, { sealUnits: SEAL_UNITS, sealThread: () => undefined })
    await write(before, 0, 10)
    await before.close()
    const thread = byHand()
    const index = anIndex(dataDir, { sealUnits: SEAL_UNITS, sealThread: thread.started })
    // What the runs hold is replaced: they are to be written anew without it.
    const replaced = Array.from(
      { length: 10 },
      (_, at) =>
        [aSession(`s${at}`), [aMessage(`m${at}`, `other${at}x ${"some more text ".repeat(100)}`)]] as const,
    )
    await store(index, replaced, 20_000)
    const more = write(index, 10, 12)
    while ((await deadIn(index)) > 0) await new Promise((resolve) => setTimeout(resolve, 10))
    assert.deepEqual(thread.calls, ["seal"])
    thread.answer({ left: 0 })
    await more
    thread.answer({ left: 0 })
    for (const word of ["other3x", "word21x"]) assert.equal((await found(index, [word])).length, 1)
    assert.deepEqual(await found(index, ["word3x"]), [])
    await index.close()
  })

  test("the engine seals itself where no thread can be started", async () => {
    const index = anIndex(aFolder(), { sealUnits: SEAL_UNITS, sealThread: () => undefined })
    await write(index, 0, 14)
    const { runs, waiting } = await sealedIn(index)
    assert.ok(runs >= 1 && waiting < SEAL_UNITS)
    await index.close()
  })

  test("a thread that failed is told of and not asked again", async () => {
    const thread = byHand()
    const index = anIndex(aFolder(), { sealUnits: SEAL_UNITS, sealThread: thread.started })
    await write(index, 0, 7)
    thread.answer({ left: 0, failed: "the disk is full" })
    await write(index, 7, 14)
    assert.deepEqual(
      thread.calls.filter((call) => call === "seal"),
      ["seal"],
    )
    assert.ok((await sealedIn(index)).runs > 0)
    assert.deepEqual(got(await index.status()).notes, [
      "New text could not be indexed (the disk is full); it is searched without an index.",
    ])
    for (const at of [0, 20]) assert.deepEqual(await found(index, [`word${at}x`]), [`s${at}`])
    await index.close()
  })
})

describe("the thread", () => {
  test("says why it could not seal", { timeout: 60_000 }, async () => {
    const thread = startSealThread(worker, `${aFolder()}/missing/index.sqlite`)
    assert.ok(thread)
    assert.match((await thread.seal(1)).failed ?? "", /open/)
    assert.equal(thread.busy(), false)
    await thread.end()
  })

  test("that is gone says so", { timeout: 60_000 }, async () => {
    const thread = startSealThread(worker, `${aFolder()}/missing/index.sqlite`)
    assert.ok(thread)
    await thread.end()
    assert.equal((await thread.seal(1)).failed, "its thread ended")
  })

  test("leaves nothing of what is forgotten while it works", { timeout: 60_000 }, async () => {
    const index = anIndex(aFolder(), { sealUnits: SEAL_UNITS, sealThread: watched().started })
    for (let round = 0; round < 6; round++) {
      await write(index, round * 10, 10)
      const sessionID = `s${round * 10 + 8}`
      got(await index.forget({ kind: "session", sessionID }))
      assert.deepEqual(await found(index, [`word${round * 10 + 8}x`]), [])
    }
    const { file } = got(await index.status())
    await index.close()
    const bytes = readFileSync(file).toString("latin1")
    for (let round = 0; round < 6; round++) assert.ok(!bytes.includes(`word${round * 10 + 8}x`))
    assert.ok(bytes.includes("word59x"))
  })
})
