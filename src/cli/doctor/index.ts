import { NO_SQLITE, openDatabase, sqliteDriver } from "../../storage/sqlite.ts"
import type { Context } from "../context.ts"
import { indexPath, unreadableIndex } from "../index-file.ts"
import { error, type Finding, warning, well } from "./finding.ts"

// Whether the index can be used: the SQLite it needs, a test query, completeness, and who holds its lock.

const ABOUT = "index"

/** The runtime's SQLite; the index needs nothing else, neither extensions nor a module that is built. */
export async function sqliteFinding(): Promise<Finding> {
  const driver = await sqliteDriver()
  if (driver === undefined) return error("SQLite", NO_SQLITE, "use Node 22.5 or later, or Bun")
  const database = openDatabase(driver, ":memory:", { busyTimeoutMs: 1 })
  const version = database.prepare("SELECT sqlite_version() AS version").get()?.["version"]
  database.close()
  return well("SQLite", `${String(version)} of ${driver.name}`)
}

export async function indexFindings(context: Context): Promise<readonly Finding[]> {
  const unreadable = unreadableIndex(context.dataDir)
  if (unreadable !== undefined) return [error(ABOUT, unreadable.what, unreadable.remedy)]
  const began = performance.now()
  const found = await context.history().search(TEST_QUERY, context.signal)
  const tookMs = Math.round(performance.now() - began)
  if (!found.ok) return [error(ABOUT, found.fault.message, "run `baton status`")]
  const status = await context.history().status()
  if (!status.ok) return [error(ABOUT, status.fault.message, "run `baton index`")]
  const { mode, complete, sessions, notes } = status.value
  return [
    ...notes.map((text) => warning(ABOUT, text, "run `baton index`")),
    ...(mode === "read-only"
      ? [
          warning(
            ABOUT,
            `${indexPath(context.dataDir)} cannot be written to`,
            "make it and its folder writable",
          ),
        ]
      : await lockFindings(context)),
    ...(complete < sessions
      ? [
          warning(
            ABOUT,
            `${sessions - complete} of ${sessions} sessions are not completely indexed`,
            "run `baton index`",
          ),
        ]
      : []),
    well(ABOUT, `a test query took ${tookMs} ms over ${sessions} sessions`),
  ]
}

const TEST_QUERY = {
  words: ["the"],
  excluded: [],
  scope: { kind: "all" },
  include: [],
  limit: 1,
  sort: "newest",
  hits: true,
} as const

/** Whether another process holds the lock: noting a fetch has to wait for it like any change. */
async function lockFindings(context: Context): Promise<readonly Finding[]> {
  const written = await context.history().beginFetch(context.signal)
  if (written.ok) return []
  return [
    warning(
      "lock",
      written.fault.message,
      "end the process that writes for so long; a lock of a killed process goes by itself",
    ),
  ]
}
