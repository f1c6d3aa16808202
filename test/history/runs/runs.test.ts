import assert from "node:assert/strict"
import { after, describe, test } from "node:test"
import { plantedHistory } from "../corpus.ts"
import { aFolder, aMessage, anIndex, aSession, found, got, removeFolders, store } from "../make.ts"
import { type Database, openDatabase, sqliteDriver } from "../../../src/storage/sqlite.ts"
import { readDead, readRuns } from "../../../src/history/runs/runs.ts"
import { ABANDONED_CHANGES } from "../../../src/history/runs/merge.ts"
import { gramKey } from "../../../src/history/file/schema.ts"

// How texts come from the tail into runs, what becomes of runs when texts go, and what a kill leaves.

after(removeFolders)

const driver = await sqliteDriver()

async function opened(index: ReturnType<typeof anIndex>): Promise<Database> {
  assert.ok(driver)
  return openDatabase(driver, got(await index.status()).file, { busyTimeoutMs: 100 })
}

/** Every stored text is in the tail or in a block of its role; the texts that are in neither. */
function uncovered(database: Database): readonly unknown[] {
  const blocks = readRuns(database).flatMap((run) => run.blocks)
  return database
    .prepare("SELECT rid, role FROM messages WHERE units > 0 AND rid NOT IN (SELECT rid FROM tail)")
    .all()
    .filter(
      (row) =>
        !blocks.some(
          ({ first, last, role }) =>
            role === row["role"] && first <= Number(row["rid"]) && Number(row["rid"]) <= last,
        ),
    )
}

function numberOf(database: Database, sql: string): number {
  return Number(Object.values(database.prepare(sql).get() ?? {})[0])
}

/** Sessions of about 1,000 units each, one write each. */
async function fill(index: ReturnType<typeof anIndex>, sessions: number): Promise<void> {
  for (let at = 0; at < sessions; at++) {
    const messages = Array.from({ length: 4 }, (_, n) =>
      aMessage(`m${at}-${n}`, `word${at}x shared ${"filler text ".repeat(20)}`, {
        role: n % 2 === 0 ? "user" : "assistant",
        created: at * 10 + n,
      }),
    )
    await store(index, [[aSession(`s${at}`, { updated: at }), messages]])
  }
}

describe("the tail", () => {
  test(
    "becomes runs, and those become few: every text is covered and found",
    { timeout: 30_000 },
    async () => {
      const index = anIndex(undefined, { sealUnits: 1_000 })
      await fill(index, 150)
      const database = await opened(index)
      assert.deepEqual(uncovered(database), [])
      assert.ok(readRuns(database).length <= 24, `${readRuns(database).length} runs`)
      assert.equal(numberOf(database, "SELECT count(*) FROM runs WHERE state <> 'whole'"), 0)
      for (const at of [0, 74, 149]) assert.deepEqual(await found(index, [`word${at}x`]), [`s${at}`])
      database.close()
      await index.close()
    },
  )

  test("tiny sessions make more blocks than one run can number", { timeout: 60_000 }, async () => {
    const dataDir = aFolder()
    const first = anIndex(dataDir)
    const tiny = (at: number) => [
      aMessage(`u${at}`, `ask${at}x`, { role: "user", created: at }),
      aMessage(`a${at}`, `answer${at}x`, { role: "assistant", created: at }),
    ]
    for (let from = 0; from < 33_000; from += 1_000) {
      const numbers = Array.from({ length: 1_000 }, (_, n) => from + n)
      await store(
        first,
        numbers.map((at) => [aSession(`s${at}`, { updated: at }), tiny(at)] as const),
      )
    }
    await first.close()
    const index = anIndex(dataDir)
    const database = await opened(index)
    assert.deepEqual(
      readRuns(database).filter((run) => run.blocks.length > 0xffff),
      [],
    )
    for (const at of [0, 29_999, 30_000, 32_999]) {
      assert.deepEqual(await found(index, [`ask${at}x`]), [`s${at}`])
      assert.deepEqual(await found(index, [`answer${at}x`]), [`s${at}`])
    }
    database.close()
    await index.close()
  })

  test("is indexed when the index is closed", async () => {
    const dataDir = aFolder()
    const first = anIndex(dataDir, { sealUnits: 100_000 })
    await store(first, [[aSession("s1"), [aMessage("m1", `zebra ${"many words ".repeat(7_000)}`)]]])
    await first.close()
    const second = anIndex(dataDir)
    const database = await opened(second)
    assert.equal(numberOf(database, "SELECT count(*) FROM tail"), 0)
    assert.equal(readRuns(database).length, 1)
    assert.deepEqual(await found(second, ["zebra"]), ["s1"])
    database.close()
    await second.close()
  })

  test("blocks are of one role, so that a search of what users said reads nothing else", async () => {
    const index = anIndex(undefined, { sealUnits: 1_000 })
    await fill(index, 3)
    const database = await opened(index)
    const roles = readRuns(database).flatMap((run) => run.blocks.map((block) => block.role))
    assert.deepEqual([...new Set(roles)].toSorted(), ["assistant", "user"])
    assert.deepEqual(await found(index, ["word1x"], { role: "user" }), ["s1"])
    database.close()
    await index.close()
  })
})

describe("a text that goes", () => {
  test("leaves no gram and no common word behind once it is forgotten", { timeout: 30_000 }, async () => {
    const index = anIndex(undefined, { sealUnits: 1_000 })
    await fill(index, 20)
    const secret = Array.from({ length: 40 }, (_, n) =>
      aMessage(`x${n}`, "palimpsest ".repeat(30), { created: n }),
    )
    await store(index, [[aSession("secret"), secret]])
    const database = await opened(index)
    const holding = "SELECT count(*) FROM common WHERE word = 'palimpsest'"
    assert.ok(numberOf(database, holding) > 0)
    got(await index.forget({ kind: "session", sessionID: "secret" }))
    assert.equal(numberOf(database, holding), 0)
    assert.equal(readDead(database).length, 0)
    assert.deepEqual(uncovered(database), [])
    const key = Number(database.prepare("SELECT max(rid) / 1048576 AS key FROM messages").get()?.["key"])
    const left = readRuns(database).flatMap((run) =>
      run.blocks.filter((block) => block.first > (key + 1) * 2 ** 20),
    )
    assert.deepEqual(left, [])
    assert.deepEqual(await found(index, ["palimpsest"]), [])
    assert.equal((await found(index, ["shared"], { limit: 100 })).length, 20)
    database.close()
    await index.close()
  })

  test("and its replacement: only the new one is found, also for common words", async () => {
    const index = anIndex(undefined, { sealUnits: 1_000 })
    await fill(index, 20)
    const messages = (text: string) =>
      Array.from({ length: 4 }, (_, n) =>
        aMessage(`m3-${n}`, text, { role: n % 2 === 0 ? "user" : "assistant" }),
      )
    await store(index, [[aSession("s3"), messages("something else")]], 20_000)
    assert.ok(!(await found(index, ["shared"])).includes("s3"))
    assert.deepEqual(await found(index, ["something else"]), ["s3"])
    assert.ok((await found(index, ["else"], { excluded: ["shared"] })).includes("s3"))
    await index.close()
  })

  test("also for words that are a gram, of which blocks are known for certain", async () => {
    const index = anIndex(undefined, { sealUnits: 1_000 })
    await fill(index, 20)
    const message = (text: string) => [aMessage("q", `${text} ${"more text ".repeat(200)}`)]
    await store(index, [[aSession("s3"), message("qz ¶ 稀")]], 20_000)
    for (const word of ["qz", "¶", "q", "稀"]) assert.deepEqual(await found(index, [word]), ["s3"], word)
    assert.deepEqual(await found(index, ["shared", "more"], { excluded: ["¶"] }), [])
    await store(index, [[aSession("s3"), message("none")]], 30_000)
    for (const word of ["qz", "¶", "稀"]) assert.deepEqual(await found(index, [word]), [], word)
    assert.deepEqual(await found(index, ["more"], { excluded: ["qz"] }), ["s3"])
    await index.close()
  })
})

describe("a merge that was killed", () => {
  test("leaves rows that nobody sees; opening the index removes them", async () => {
    const dataDir = aFolder()
    const first = anIndex(dataDir, { sealUnits: 1_000 })
    await fill(first, 5)
    const database = await opened(first)
    database.exec(
      `INSERT INTO runs(id, state, at, units, shift, directory) VALUES(900, 'building', ${-ABANDONED_CHANGES}, 0, 9, x'')`,
    )
    database.prepare("INSERT INTO grams VALUES(?, 0, x'00')").run(gramKey(900, 512))
    await first.close()
    const second = anIndex(dataDir)
    assert.deepEqual(await found(second, ["word3x"]), ["s3"])
    assert.equal(numberOf(database, "SELECT count(*) FROM runs WHERE id = 900"), 0)
    assert.equal(numberOf(database, `SELECT count(*) FROM grams WHERE id >= ${gramKey(900, 0)}`), 0)
    database.close()
    await second.close()
  })
})

test("two writers that seal and merge at once lose nothing", { timeout: 60_000 }, async () => {
  const dataDir = aFolder()
  const writers = [anIndex(dataDir, { sealUnits: 500 }), anIndex(dataDir, { sealUnits: 700 })]
  const { sessions } = plantedHistory(3, 60, 12)
  await Promise.all(
    writers.map(async (writer, half) => {
      for (const { session, messages } of sessions.filter((_, at) => at % 2 === half))
        await store(writer, [[session, messages]])
    }),
  )
  const [reader] = writers
  assert.ok(reader)
  const database = await opened(reader)
  assert.deepEqual(uncovered(database), [])
  const expected = sessions.filter(
    ({ session, messages }) =>
      session.title.includes("const") ||
      messages.some((message) =>
        message.parts.some((part) => part.type === "text" && part.text.includes("const")),
      ),
  )
  const ids = await found(reader, ["const"], { limit: 100, include: ["subagents", "archived"] })
  assert.equal(ids.length, expected.length)
  database.close()
  for (const writer of writers) await writer.close()
})
