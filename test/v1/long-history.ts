import { existsSync } from "node:fs"
import { join } from "node:path"
import { openDatabase, sqliteDriver } from "../../src/storage/sqlite.ts"
import { serve, type Serve } from "../hosts/serve.ts"
import type { World } from "../hosts/world.ts"
import { inHostDatabase, seedSession } from "./seed.ts"

// A host with a long history and no index yet, and what of it the index file holds.

export type LongHistory = { readonly sessions: number; readonly messages: number }

/** Starts the world's host with `sessions` sessions `ses_seed0` … of `messages` messages each. */
export async function longHistory(world: World, size: LongHistory, plugin: string): Promise<Serve> {
  world.usePlugins([])
  const host = await serve(world)
  const model = (await host.createSession({ title: "model" })).id
  await host.stop()
  await inHostDatabase(world, (database) => {
    for (let at = 0; at < size.sessions; at += 1) {
      const texts = Array.from(
        { length: size.messages },
        (_, n) => `${n} of seed${at}x: ${words(at * size.messages + n)}`,
      )
      seedSession(database, { id: `ses_seed${at}`, model, updated: 1_700_000_000_000 + at * 1000, texts })
    }
  })
  world.usePlugins([plugin])
  await host.restart()
  return host
}

/** About 400 characters that differ from message to message. */
function words(seed: number): string {
  const word = (at: number) => ((seed * 7919 + at * 104_729) % 1_000_003).toString(36)
  return Array.from({ length: 80 }, (_, at) => word(at)).join(" ")
}

export const indexFolder = (world: World) => join(world.data, "history-search")
export const indexFile = (world: World) => join(indexFolder(world), "index-v1.sqlite")

export type Indexed = {
  readonly id: string
  /** When the fetch began that made the session complete. */
  readonly fetchedAt: number
}

/** Sessions that are completely indexed, read from the file. */
export async function indexed(world: World): Promise<readonly Indexed[]> {
  const driver = await sqliteDriver()
  const file = indexFile(world)
  if (driver === undefined || !existsSync(file)) return []
  const database = openDatabase(driver, file, { readOnly: true, busyTimeoutMs: 5_000 })
  try {
    const rows = database.prepare("SELECT id, marker_at AS at FROM sessions WHERE marker IS NOT NULL").all()
    return rows.map((row) => ({ id: String(row["id"]), fetchedAt: Number(row["at"]) }))
  } finally {
    database.close()
  }
}
