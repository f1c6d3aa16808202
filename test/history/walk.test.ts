import assert from "node:assert/strict"
import { after, test } from "node:test"
import { createCatalog } from "../../src/history/catalog.ts"
import { openSearch } from "../../src/history/search/open.ts"
import { walkSessions } from "../../src/history/search/walk.ts"
import { runAtOnce } from "../../src/history/steps.ts"
import { openDatabase, sqliteDriver } from "../../src/storage/sqlite.ts"
import { aMessage, anIndex, aSession, got, removeFolders, store } from "./make.ts"

after(removeFolders)

const driver = await sqliteDriver()

test("a walk that runs out of time tells how far it came, and counts no session it did not look at", async () => {
  assert.ok(driver)
  const index = anIndex()
  const sessions = Array.from(
    { length: 12 },
    (_, at) => [aSession(`s${at}`, { updated: at }), [aMessage(`m${at}`, "zebra")]] as const,
  )
  await store(index, sessions)
  const database = openDatabase(driver, got(await index.status()).file, { busyTimeoutMs: 100 })
  const search = openSearch(database, createCatalog(database).refresh(), {
    words: ["zebra"],
    excluded: [],
    scope: { kind: "all" },
    include: [],
  })
  const late = runAtOnce(walkSessions(search, { limit: 50, budgetMs: -1 }))
  assert.deepEqual(late.coverage, { complete: false, searched: 0, sessions: 12 })
  assert.deepEqual([late.matches, late.more], [[], false])
  const whole = runAtOnce(walkSessions(search, { limit: 50 }))
  assert.deepEqual(whole.coverage, { complete: true, searched: 12, sessions: 12 })
  assert.equal(whole.matches.length, 12)
  database.close()
  await index.close()
})
