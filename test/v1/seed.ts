import { join } from "node:path"
import { openDatabase, sqliteDriver, type Database, type SqlValue } from "../../src/storage/sqlite.ts"
import type { World } from "../hosts/world.ts"

// Fills the host's database directly: hundreds of sessions in a second. Only tests do this; the rows are those
// the host makes, copied from a session that it made itself.

/** Runs `use` with the host's database. */
export async function inHostDatabase<Value>(
  world: World,
  use: (database: Database) => Value,
): Promise<Value> {
  const driver = await sqliteDriver()
  if (driver === undefined) throw new Error("this runtime has no SQLite")
  const database = openDatabase(driver, join(world.data, "opencode.db"), { busyTimeoutMs: 10_000 })
  try {
    return database.transaction("immediate", () => use(database))
  } finally {
    database.close()
  }
}

/** Adds a session like `model` with a message for each text, one a second up to `updated`. */
export function seedSession(
  database: Database,
  seed: {
    readonly id: string
    readonly model: string
    readonly updated: number
    readonly texts: readonly string[]
  },
): void {
  const model = database.prepare("SELECT * FROM session WHERE id = ?").get(seed.model)
  if (model === undefined) throw new Error(`no session ${seed.model} to copy`)
  const created = seed.updated - seed.texts.length * 1000
  insert(database, "session", {
    ...model,
    id: seed.id,
    slug: seed.id,
    title: `title of ${seed.id}`,
    time_created: created,
    time_updated: seed.updated,
  })
  seed.texts.forEach((text, index) => {
    const at = created + index * 1000
    seedMessage(database, {
      sessionID: seed.id,
      id: `msg_${seed.id}_${String(index).padStart(4, "0")}`,
      text,
      at,
    })
  })
}

export function seedMessage(
  database: Database,
  seed: { readonly sessionID: string; readonly id: string; readonly text: string; readonly at: number },
): void {
  const model = { providerID: "fake", modelID: "scripted" }
  const times = { time_created: seed.at, time_updated: seed.at }
  const info = { role: "user", time: { created: seed.at }, agent: "build", model }
  insert(database, "message", {
    id: seed.id,
    session_id: seed.sessionID,
    ...times,
    data: JSON.stringify(info),
  })
  insert(database, "part", {
    id: seed.id.replace("msg_", "prt_"),
    message_id: seed.id,
    session_id: seed.sessionID,
    ...times,
    data: JSON.stringify({ type: "text", text: seed.text }),
  })
}

function insert(database: Database, table: string, row: Readonly<Record<string, SqlValue>>): void {
  const names = Object.keys(row)
  const marks = names.map(() => "?").join(", ")
  database.prepare(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${marks})`).run(...Object.values(row))
}
