import assert from "node:assert/strict"
import { after, describe, test } from "node:test"
import { dropDead, tidyRuns } from "../../../src/history/runs/merge.ts"
import { createRecent } from "../../../src/history/runs/recent.ts"
import { readDead, readRuns } from "../../../src/history/runs/runs.ts"
import { sealTail } from "../../../src/history/runs/seal.ts"
import type { Steps } from "../../../src/history/steps.ts"
import { type Database, openDatabase, sqliteDriver } from "../../../src/storage/sqlite.ts"
import { aMessage, anIndex, aSession, found, got, removeFolders, store } from "../make.ts"

// What another process does between the collecting of grams, which holds no lock, and the write that stores them.

after(removeFolders)

const driver = await sqliteDriver()

type Index = ReturnType<typeof anIndex>

/** A second process's writer on the same file. */
async function opened(index: Index) {
  assert.ok(driver)
  const { file: path } = got(await index.status())
  const database = openDatabase(driver, path, { busyTimeoutMs: 100 })
  const recent = createRecent(0)
  return { database, writer: { database, path, maskSecrets: false, sealUnits: 1_000, recent } }
}

/** The steps up to the first that `reached` is true behind. */
function runUntil(steps: Steps<void>, reached: () => boolean): void {
  while (!reached()) assert.equal(steps.next().done, false)
}

function finish<Value>(steps: Steps<Value>): Value {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

function counted(database: Database, sql: string): number {
  return Number(Object.values(database.prepare(sql).get() ?? {})[0])
}

const first = [aMessage("m1", "qz ¶ one"), aMessage("m2", "kept two", { created: 1_001 })]

describe("a text in the tail, while another process seals it,", () => {
  test("is replaced: no block is said to hold the old one for certain", async () => {
    const index = anIndex()
    await store(index, [[aSession("s1"), first]])
    const { database, writer } = await opened(index)
    const steps = sealTail(writer, 10)
    for (let at = 0; at < 3; at++) steps.next()
    await store(index, [[aSession("s1"), [aMessage("m1", "new"), first[1] ?? aMessage("m2", "")]]], 20_000)
    finish(steps)
    assert.equal(readRuns(database).length, 1)
    assert.deepEqual(await found(index, ["¶"]), [])
    assert.deepEqual(await found(index, ["two"], { excluded: ["qz"] }), ["s1"])
    assert.deepEqual(await found(index, ["new"]), ["s1"])
    assert.equal(readDead(database).length, 1)
    database.close()
    await index.close()
  })

  test("is forgotten: nothing of it gets into a run", async () => {
    const index = anIndex()
    await store(index, [[aSession("s1"), first]])
    await store(index, [[aSession("s2"), [aMessage("m3", "stays")]]])
    const { database, writer } = await opened(index)
    const steps = sealTail(writer, 1)
    for (let at = 0; at < 4; at++) steps.next()
    const forgotten = index.forget({ kind: "session", sessionID: "s1" })
    while (counted(database, "SELECT count(*) FROM sessions") > 1) await new Promise(setImmediate)
    assert.equal(finish(steps), false)
    assert.equal(counted(database, "SELECT count(*) FROM grams"), 0)
    got(await forgotten)
    assert.equal(finish(sealTail(writer, 1)), true)
    assert.deepEqual(await found(index, ["stays"]), ["s2"])
    database.close()
    await index.close()
  })
})

test("forgetting takes the run with it that another process was making", async () => {
  const index = anIndex()
  const { database, writer } = await opened(index)
  await store(index, [[aSession("s1"), first]])
  await store(index, [[aSession("s2"), [aMessage("m3", "stays")]]])
  finish(sealTail(writer, 1))
  await store(index, [[aSession("s2"), [aMessage("m3", "changed")]]], 20_000)
  const steps = dropDead(writer)
  runUntil(steps, () => counted(database, "SELECT count(*) FROM runs WHERE state = 'building'") > 0)
  for (let at = 0; at < 5; at++) steps.next()
  got(await index.forget({ kind: "session", sessionID: "s1" }))
  assert.equal(counted(database, "SELECT count(*) FROM runs"), 0)
  assert.equal(counted(database, "SELECT count(*) FROM grams"), 0)
  finish(steps)
  assert.equal(counted(database, "SELECT count(*) FROM grams"), 0)
  assert.deepEqual(await found(index, ["changed"]), ["s2"])
  database.close()
  await index.close()
})

test("a merge that is ended right behind its last write loses no text", async () => {
  const index = anIndex()
  const { database, writer } = await opened(index)
  await store(index, [[aSession("s1"), [aMessage("m1", "zebra")]]])
  await store(index, [[aSession("s2"), [aMessage("m2", "lion")]]])
  assert.equal(finish(sealTail(writer, 1)), true)
  await store(index, [[aSession("s2"), [aMessage("m2", "tiger")]]], 20_000)
  const [before] = readRuns(database)
  const steps = dropDead(writer)
  runUntil(steps, () => readRuns(database)[0]?.id !== before?.id)
  steps.return()
  assert.deepEqual(await found(index, ["zebra"]), ["s1"])
  assert.deepEqual(await found(index, ["tiger"]), ["s2"])
  database.close()
  await index.close()
})

test("a merge that slept for so long that another process cleared it away loses no text", async () => {
  const index = anIndex()
  const { database, writer } = await opened(index)
  for (let at = 0; at < 9; at++) {
    const last = at === 8
    await store(index, [
      [aSession(`s${at}`), [aMessage("m", `word${at}x ${last ? "" : "filler ".repeat(140)}`)]],
    ])
    if (!last) finish(sealTail(writer, 1))
  }
  const steps = tidyRuns(writer, 1)
  const building = () => counted(database, "SELECT count(*) FROM runs WHERE state = 'building'") > 0
  runUntil(steps, building)
  steps.next()
  database.exec("DELETE FROM runs WHERE state = 'building'")
  finish(steps)
  for (let at = 0; at < 9; at++) assert.deepEqual(await found(index, [`word${at}x`]), [`s${at}`])
  const known = readRuns(database).map(({ id }) => id)
  assert.equal(
    counted(database, `SELECT count(*) FROM grams WHERE id / ${2 ** 20} NOT IN (${known.join(",")})`),
    0,
  )
  database.close()
  await index.close()
})
