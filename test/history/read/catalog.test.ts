import assert from "node:assert/strict"
import { after, test } from "node:test"
import * as fc from "fast-check"
import { createCatalog, newestFirst } from "../../../src/history/read/catalog.ts"
import { openDatabase, sqliteDriver } from "../../../src/storage/sqlite.ts"
import { aMessage, anIndex, aSession, got, removeFolders, store } from "../make.ts"

after(removeFolders)

const driver = await sqliteDriver()

const change = fc.record({
  id: fc.constantFrom("s1", "s2", "s3", "s4", "s5"),
  updated: fc.nat({ max: 4 }),
  title: fc.constantFrom("blue", "green"),
  project: fc.constantFrom("p1", "p2"),
  removed: fc.boolean(),
})

test("after any changes the catalog is what one read anew is, in order", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 5 }), async (rounds) => {
      assert.ok(driver)
      const index = anIndex()
      await store(index, [[aSession("s0"), [aMessage("m", "text")]]])
      const database = openDatabase(driver, got(await index.status()).file, { busyTimeoutMs: 100 })
      const kept = createCatalog(database)
      let clock = 20_000
      for (const round of rounds) {
        for (const { id, updated, title, project, removed } of round)
          if (removed)
            got(await index.applyChanges({ fetchedAt: clock++, sessions: [], removedSessions: [id] }))
          else
            await store(
              index,
              [[aSession(id, { updated, title, projectID: project }), [aMessage("m", id)]]],
              clock++,
            )
        const catalog = kept.refresh()
        const { entries, keys, homes, keyEnd, allHomes } = catalog
        const anew = createCatalog(database).refresh()
        assert.deepEqual(
          entries.map(({ key, session }) => ({ key, session })),
          anew.entries.map(({ key, session }) => ({ key, session })),
        )
        assert.deepEqual(entries, entries.toSorted(newestFirst))
        assert.deepEqual(
          [...keys],
          entries.map((entry) => entry.key),
        )
        assert.deepEqual(
          [...homes].map((home) => allHomes[home]?.projectID),
          entries.map(({ session }) => session.projectID),
        )
        assert.ok(keys.every((key) => key < keyEnd))
        for (const word of ["blue", "green"])
          assert.deepEqual(
            new Set(catalog.titled(word)),
            new Set(entries.filter(({ session }) => session.title === word).map(({ key }) => key)),
          )
      }
      database.close()
      await index.close()
    }),
    { numRuns: 25 },
  )
})
