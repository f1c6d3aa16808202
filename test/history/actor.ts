import { type Database, openDatabase, sqliteDriver } from "../../src/storage/sqlite.ts"
import { createEngine } from "../../src/history/engine.ts"
import { aMessage, aSession } from "./make.ts"

// A process of its own for tests with several: `actor.ts <verb> <data dir> <name> <count> [seal units]`. It tells on its standard
// output what it has reached, a line each.

const [verb, dataDir = "", name = "", count = "0", sealUnits] = process.argv.slice(2)

if (verb === "write") await writeSessions(Number(count))
if (verb === "lock") await holdLock(Number(count))
if (verb === "search") await searchOnce()

/** Stores sessions one after the other, each with a word of its own. */
async function writeSessions(sessions: number): Promise<void> {
  const index = engine()
  for (let at = 0; at < sessions; at++) {
    const messages = Array.from({ length: 20 }, (_, n) =>
      aMessage(`${name}-${at}-${n}`, `shared ${name}word${at}x ${"filler text ".repeat(50)}`, { created: n }),
    )
    const session = aSession(`${name}-${at}`)
    const result = await index.applyChanges({
      fetchedAt: 1_000 + at,
      sessions: [{ session, messages, complete: true, marker: "m" }],
    })
    if (!result.ok) throw new Error(result.fault.message)
    console.log(`stored ${at}`)
  }
  await index.close()
  console.log("done")
}

/** Keeps the write lock of the index for so many milliseconds. */
async function holdLock(ms: number): Promise<void> {
  const driver = await sqliteDriver()
  if (!driver) throw new Error("no driver")
  const database: Database = openDatabase(driver, name, { busyTimeoutMs: 1_000 })
  database.exec("BEGIN IMMEDIATE")
  console.log("locked")
  await new Promise((resolve) => setTimeout(resolve, ms))
  database.exec("COMMIT")
  database.close()
  console.log("released")
}

async function searchOnce(): Promise<void> {
  const index = engine()
  const answer = await index.search({
    words: [name],
    excluded: [],
    scope: { kind: "all" },
    include: [],
    limit: 5,
    sort: "newest",
    hits: false,
  })
  const change = await index.applyChanges({ fetchedAt: 1, sessions: [{ session: aSession("new") }] })
  console.log(
    answer.ok
      ? `found ${answer.value.sessions.map((match) => match.session.id).join(" ")}`
      : answer.fault.message,
  )
  console.log(change.ok ? "written" : `not written: ${change.fault.reason}`)
  await index.close()
}

function engine() {
  return createEngine({
    dataDir,
    maskSecrets: true,
    sliceMs: 10,
    runs: "in-process",
    ...(sealUnits === undefined ? {} : { sealUnits: Number(sealUnits) }),
  })
}
