import assert from "node:assert/strict"
import { after, test } from "node:test"
import { createCatalog } from "../../../src/history/read/catalog.ts"
import type { Hidden } from "../../../src/history/contract.ts"
import { openSearch } from "../../../src/history/search/open.ts"
import { type WalkOptions, walkSessions } from "../../../src/history/search/walk.ts"
import { searchSessions } from "../../../src/history/search/search.ts"
import { runSteps } from "../../../src/history/steps.ts"
import { openDatabase, sqliteDriver } from "../../../src/storage/sqlite.ts"
import type { Session } from "../../../src/session/model.ts"
import { aMessage, anIndex, aSession, got, removeFolders, store } from "../make.ts"

after(removeFolders)

const driver = await sqliteDriver()

/** What a walk over these sessions hides, each with "zebra" in its one message; later ones are newer. */
async function hiddenOf(
  given: readonly Partial<Session>[],
  options: WalkOptions,
  include: readonly Hidden[] = [],
  words: readonly string[] = ["zebra"],
) {
  assert.ok(driver)
  const index = anIndex()
  await store(
    index,
    given.map((one, at) => [aSession(`s${at}`, { updated: at, ...one }), [aMessage(`m${at}`, "zebra")]]),
  )
  const database = openDatabase(driver, got(await index.status()).file, { busyTimeoutMs: 100 })
  const filter = { words, excluded: [], scope: { kind: "all" }, include } as const
  const walk = await runSteps(
    walkSessions(openSearch(database, createCatalog(database).refresh(), filter), options),
    Infinity,
  )
  database.close()
  await index.close()
  return walk.hidden
}

test("kinds that sessions not looked at have are told: a count of 0 means nothing for them", async () => {
  const sessions = [{ parentID: "s9" }, { archived: 1 }, { revertedFrom: "m2" }, {}]
  const none = { subagents: 0, archived: 0, reverted: 0, atLeast: true }
  const late = { limit: 50, budgetMs: -1 }
  assert.deepEqual(await hiddenOf(sessions, late), {
    ...none,
    uncounted: ["reverted", "archived", "subagents"],
  })
  assert.deepEqual(await hiddenOf(sessions, late, ["archived", "reverted"]), {
    ...none,
    uncounted: ["subagents"],
  })
  assert.deepEqual(await hiddenOf([{}, {}], late), none)
})

test("a session found by reverted messages only is counted behind the last shown one too", async () => {
  const sessions = [{ revertedFrom: "m0" }, {}, {}]
  const counts = { subagents: 0, archived: 0, reverted: 1, atLeast: false }
  assert.deepEqual(await hiddenOf(sessions, { limit: 1 }), counts)
  assert.deepEqual(await hiddenOf(sessions, { limit: 1 }, [], []), { ...counts, reverted: 0 })
})

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
  const late = await runSteps(walkSessions(search, { limit: 50, budgetMs: -1 }), Infinity)
  assert.deepEqual(late.coverage, { complete: false, searched: 0, sessions: 12 })
  assert.deepEqual([late.matches, late.more], [[], false])
  const whole = await runSteps(walkSessions(search, { limit: 50 }), Infinity)
  assert.deepEqual(whole.coverage, { complete: true, searched: 12, sessions: 12 })
  assert.equal(whole.matches.length, 12)
  database.close()
  await index.close()
})

test("an order by relevance that had no time for its scores does not say it is complete", async () => {
  assert.ok(driver)
  const index = anIndex()
  await store(
    index,
    [1, 2, 3].map((at) => [
      aSession(`s${at}`, { updated: at, title: "zebra" }),
      [aMessage(`m${at}`, "zebra")],
    ]),
  )
  const database = openDatabase(driver, got(await index.status()).file, { busyTimeoutMs: 100 })
  const catalog = createCatalog(database).refresh()
  const request = { words: ["zebra"], excluded: [], scope: { kind: "all" }, include: [], limit: 9 } as const
  const search = (budgetMs?: number) =>
    runSteps(
      searchSessions(database, catalog, { ...request, sort: "relevance", hits: false }, budgetMs),
      Infinity,
    )
  assert.deepEqual((await search()).coverage, { complete: true, searched: 3, sessions: 3 })
  const late = await search(-1)
  assert.deepEqual(late.coverage, { complete: false, searched: 0, sessions: 3 })
  // Nothing that was found is dropped for it: newest first.
  assert.deepEqual(
    late.sessions.map(({ session }) => session.id),
    ["s3", "s2", "s1"],
  )
  database.close()
  await index.close()
})
