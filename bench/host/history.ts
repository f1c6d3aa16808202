import type { Corpus, CorpusSession } from "../corpus/corpus.ts"
import type { Message, Part } from "../../src/session/model.ts"
import type { Database, SqlValue } from "../../src/storage/sqlite.ts"
import { serve, type Serve } from "../../test/hosts/serve.ts"
import type { World } from "../../test/hosts/world.ts"
import { inHostDatabase } from "../../test/v1/seed.ts"

// The corpus put into the host's own database, as if it had been worked there: what a first backfill fetches.

/** The host of the world, holding the whole corpus in its own project, without any plugin while it is filled. */
export async function hostWith(world: World, corpus: Corpus, plugin: string): Promise<Serve> {
  world.usePlugins([])
  const host = await serve(world)
  const model = (await host.createSession({ title: "model" })).id
  await host.stop()
  await inHostDatabase(world, (database) => {
    const row = database.prepare("SELECT * FROM session WHERE id = ?").get(model)
    if (row === undefined) throw new Error(`no session ${model} to copy`)
    for (const session of corpus.sessions()) putSession(database, row, session, world.project.directory)
  })
  world.usePlugins([plugin])
  await host.restart()
  return host
}

type Row = Readonly<Record<string, SqlValue>>

function putSession(database: Database, model: Row, { session, messages }: CorpusSession, cwd: string): void {
  const { id, title, created, updated } = session
  insert(database, "session", { ...model, id, slug: id, title, time_created: created, time_updated: updated })
  for (const message of messages) {
    const times = { time_created: message.created, time_updated: message.created }
    const data = JSON.stringify(infoOf(message, cwd))
    insert(database, "message", { id: message.id, session_id: id, ...times, data })
    message.parts.forEach((part, n) => {
      const partID = `${message.id.replace("msg_", "prt_")}${String(n).padStart(3, "0")}`
      const of = { message_id: message.id, session_id: id }
      const stored = JSON.stringify(partOf(part, message.created))
      insert(database, "part", { id: partID, ...of, ...times, data: stored })
    })
  }
}

function infoOf({ role, created }: Message, cwd: string): object {
  if (role === "user")
    return {
      role,
      time: { created },
      agent: "build",
      model: { providerID: "fake", modelID: "scripted" },
    }
  return {
    role,
    time: { created, completed: created + 5_000 },
    parentID: "msg_none",
    modelID: "scripted",
    providerID: "fake",
    mode: "build",
    agent: "build",
    path: { cwd, root: cwd },
    cost: 0,
    tokens: { input: 1_000, output: 500, reasoning: 0, cache: { read: 0, write: 0 } },
  }
}

function partOf(part: Part, at: number): object {
  const time = { start: at, end: at + 1_000 }
  if (part.type === "reasoning") return { ...part, time }
  if (part.type === "text") return { type: "text", text: part.text }
  if (part.type !== "tool") return part
  const { tool, callID, input, output } = part
  const state = { status: "completed", input, output, title: tool, metadata: {}, time }
  return { type: "tool", tool, callID, state }
}

function insert(database: Database, table: string, row: Row): void {
  const names = Object.keys(row)
  const marks = names.map(() => "?").join(", ")
  database.prepare(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${marks})`).run(...Object.values(row))
}
