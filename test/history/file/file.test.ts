import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, describe, test } from "node:test"
import { openDatabase, sqliteDriver } from "../../../src/storage/sqlite.ts"
import { APPLICATION_ID, LAYOUT_VERSION } from "../../../src/history/file/schema.ts"
import { LOG_MAX_BYTES } from "../../../src/history/file/writer.ts"
import { ALL, aFolder, aMessage, anIndex, aSession, found, got, removeFolders, store } from "../make.ts"

after(removeFolders)

const driver = await sqliteDriver()

/** A data directory whose index file was made by somebody. */
function prepared(make: (path: string) => void): { dataDir: string; path: string } {
  const dataDir = aFolder()
  mkdirSync(join(dataDir, "history-search"))
  const path = join(dataDir, "history-search", "index-v1.sqlite")
  make(path)
  return { dataDir, path }
}

function aDatabase(path: string, sql: string): void {
  assert.ok(driver)
  const database = openDatabase(driver, path, { busyTimeoutMs: 100 })
  database.exec(sql)
  database.close()
}

function digest(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex")
}

/** An index of some pages. */
async function filled(dataDir: string): Promise<void> {
  const index = anIndex(dataDir)
  const text = `zebra ${"text ".repeat(500)}`
  await store(
    index,
    Array.from({ length: 40 }, (_, at) => [aSession(`s${at}`), [aMessage(`m${at}`, text)]] as const),
  )
  await index.close()
}

/** Everything behind the first pages is noise. */
function spoil(path: string, pages: number): void {
  const bytes = readFileSync(path)
  bytes.fill(0x5a, pages * 16 * 1024)
  writeFileSync(path, bytes)
}

const zebra = [[aSession("s1"), [aMessage("m1", "zebra")]]] as const

describe("what lies in the index's place", () => {
  test("another program's database is left alone, byte for byte", async () => {
    const { dataDir, path } = prepared((path) =>
      aDatabase(path, "CREATE TABLE theirs(a); INSERT INTO theirs VALUES(1)"),
    )
    const before = [digest(path), statSync(path).mtimeMs]
    const index = anIndex(dataDir)
    await store(index, zebra)
    const status = got(await index.status())
    assert.match(status.file, /index-baton-v1\.sqlite$/)
    assert.match(status.notes.join("\n"), /belongs to another program and was left alone/)
    await index.close()
    assert.deepEqual([digest(path), statSync(path).mtimeMs], before)
    assert.ok(!existsSync(`${path}-wal`))
  })

  test("an older layout of ours makes room for a new one", async () => {
    const { dataDir, path } = prepared((path) =>
      aDatabase(
        path,
        `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 0; CREATE TABLE old(a)`,
      ),
    )
    const index = anIndex(dataDir)
    await store(index, zebra)
    assert.deepEqual(await found(index, ["zebra"]), ["s1"])
    const status = got(await index.status())
    assert.equal(status.file, path)
    assert.match(status.notes.join("\n"), /older layout \(0\) and is being rebuilt/)
    await index.close()
  })

  test("a newer layout of ours is not touched, and the answer says what to do", async () => {
    const { dataDir, path } = prepared((path) =>
      aDatabase(
        path,
        `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${LAYOUT_VERSION + 1}; CREATE TABLE new(a)`,
      ),
    )
    const before = digest(path)
    const index = anIndex(dataDir)
    const answer = await index.search({ ...ALL, words: ["zebra"] })
    assert.ok(!answer.ok && answer.fault.reason === "unavailable", JSON.stringify(answer).slice(0, 300))
    assert.match(answer.fault.message, /newer opencode-baton \(layout \d+.*update opencode-baton/)
    await index.close()
    assert.equal(digest(path), before)
  })

  test("noise is moved aside and rebuilt, and status says so", async () => {
    const { dataDir, path } = prepared((path) => writeFileSync(path, "noise ".repeat(10_000)))
    const index = anIndex(dataDir)
    await store(index, zebra)
    assert.deepEqual(await found(index, ["zebra"]), ["s1"])
    assert.match(
      got(await index.status()).notes.join("\n"),
      /was damaged; it was moved to .*\.damaged and is being rebuilt/,
    )
    assert.ok(readFileSync(`${path}.damaged`).includes("noise"))
    await index.close()
  })

  for (const pages of [1, 2, 3, 5, 8, 12])
    test(`a file of ours that is damaged behind page ${pages} is moved aside when that is met`, async () => {
      const dataDir = aFolder()
      await filled(dataDir)
      spoil(join(dataDir, "history-search", "index-v1.sqlite"), pages)
      const index = anIndex(dataDir)
      await index.search({ ...ALL, words: ["zebra"] })
      await store(index, zebra)
      assert.deepEqual(await found(index, ["zebra"]), ["s1"])
      assert.match(got(await index.status()).notes.join("\n"), /was damaged/)
      await index.close()
    })

  test("a damaged file that cannot be moved is left, and the answer says what to do", async () => {
    const { dataDir, path } = prepared((path) => writeFileSync(path, "noise ".repeat(10_000)))
    mkdirSync(`${path}.damaged`)
    const index = anIndex(dataDir)
    const answer = await index.search({ ...ALL, words: ["zebra"] })
    assert.ok(!answer.ok && answer.fault.reason === "unavailable", JSON.stringify(answer).slice(0, 300))
    assert.match(answer.fault.message, /dataDir option/)
    await index.close()
  })

  test("nor one whose damage is met later: every call is answered", async () => {
    const dataDir = aFolder()
    await filled(dataDir)
    const path = join(dataDir, "history-search", "index-v1.sqlite")
    spoil(path, 3)
    mkdirSync(`${path}.damaged`)
    const index = anIndex(dataDir)
    for (const answer of [
      await index.search({ ...ALL, words: ["zebra"] }),
      await index.applyChanges({ fetchedAt: 1 }),
    ]) {
      assert.ok(!answer.ok && answer.fault.reason === "unavailable", JSON.stringify(answer).slice(0, 300))
      assert.match(answer.fault.message, /dataDir option/)
    }
    await index.close()
  })

  test("a data directory that is a file is told, not thrown", async () => {
    const file = join(aFolder(), "not-a-folder")
    writeFileSync(file, "")
    const index = anIndex(file)
    for (const answer of [
      await index.search({ ...ALL, words: ["x"] }),
      await index.applyChanges({ fetchedAt: 1 }),
      await index.status(),
    ]) {
      assert.ok(!answer.ok && answer.fault.reason === "unavailable", JSON.stringify(answer).slice(0, 300))
      assert.match(answer.fault.message, /dataDir option/)
    }
    await index.close()
  })
})

test("the log stays bounded while another connection reads", { timeout: 60_000 }, async () => {
  assert.ok(driver)
  const dataDir = aFolder()
  const index = anIndex(dataDir)
  await store(index, zebra)
  const { file } = got(await index.status())
  const reader = openDatabase(driver, file, { busyTimeoutMs: 100 })
  let largest = 0
  for (let at = 0; at < 30; at++) {
    reader.prepare("SELECT count(*) FROM messages").get()
    await store(
      index,
      [
        [
          aSession(`b${at}`),
          Array.from({ length: 10 }, (_, n) =>
            aMessage(`b${at}-${n}`, `${at} ${n} ${"many words in here ".repeat(800)}`, { created: n }),
          ),
        ],
      ],
      20_000 + at,
    )
    largest = Math.max(largest, got(await index.status()).logBytes)
  }
  reader.close()
  assert.ok(largest < LOG_MAX_BYTES / 2, `${largest} bytes`)
  await index.close()
})

test(
  "a log at its bound because of an open snapshot grows no further; the write follows when it is let go",
  { timeout: 60_000 },
  async () => {
    assert.ok(driver)
    const dataDir = aFolder()
    const index = anIndex(dataDir)
    await store(index, zebra)
    const { file } = got(await index.status())
    const reader = openDatabase(driver, file, { busyTimeoutMs: 100 })
    reader.exec("BEGIN")
    reader.prepare("SELECT count(*) FROM messages").get()
    const other = openDatabase(driver, file, { busyTimeoutMs: 100 })
    for (let at = 0; got(await index.status()).logBytes < LOG_MAX_BYTES; at++)
      other.prepare("INSERT INTO grams VALUES(?, 0, randomblob(8000000))").run(2 ** 52 + at)

    let written = false
    const write = store(index, [[aSession("s2"), [aMessage("m2", "lion")]]]).then(() => (written = true))
    assert.deepEqual(await found(index, ["zebra"]), ["s1"])
    assert.deepEqual(await found(index, ["lion"]), [])
    assert.equal(written, false)
    assert.ok(got(await index.status()).logBytes < LOG_MAX_BYTES * 1.25)
    reader.exec("COMMIT")
    await write
    assert.deepEqual(await found(index, ["lion"]), ["s2"])
    assert.ok(got(await index.status()).logBytes < LOG_MAX_BYTES / 2)
    for (const connection of [other, reader]) connection.close()
    await index.close()
  },
)

test("an index reopened finds what was stored", async () => {
  const dataDir = aFolder()
  const first = anIndex(dataDir)
  await store(first, zebra)
  await first.close()
  const second = anIndex(dataDir)
  assert.deepEqual(await found(second, ["zebra"]), ["s1"])
  await second.close()
})
