import assert from "node:assert/strict"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, test } from "node:test"
import { fileURLToPath } from "node:url"
import type { History } from "../../src/history/contract.ts"
import { createEngine } from "../../src/history/engine.ts"
import type { HostClient } from "../hosts/client.ts"
import { serve, type Serve } from "../hosts/serve.ts"
import { waitUntil } from "../hosts/wait.ts"
import { makeWorld, type World } from "../hosts/world.ts"
import { inHostDatabase, seedMessage, seedSession } from "./seed.ts"
import { CATCH_UP, STARTS } from "./sync-plugin.ts"

// The sync against the real host: 120 sessions of three projects and a worktree, then what a user does to them.
// The index is read from this process, which shares the file with the host's.

const SESSIONS = 120
const plugin = fileURLToPath(new URL("sync-plugin.ts", import.meta.url))

describe("history sync on OpenCode 1.18", () => {
  let world: World
  let server: Serve
  let host: HostClient
  let index: History
  /** A session that the host made itself, by project name. */
  const models = new Map<string, string>()

  before(async () => {
    world = await makeWorld({ plugins: [] })
    const directories = {
      project: world.project.directory,
      worktree: world.project.worktree("worktree").directory,
      second: world.addProject("second").directory,
      third: world.addProject("third").directory,
      private: world.addProject("private").directory,
    }
    // The server's own folder is no project: nothing may ever start an instance there.
    const elsewhere = join(world.root, "elsewhere")
    mkdirSync(elsewhere)
    server = await serve(world, { directory: elsewhere })
    for (const [name, directory] of Object.entries(directories))
      models.set(name, (await server.in(directory).createSession({ title: `first of ${name}` })).id)
    await server.stop()
    await inHostDatabase(world, (database) => {
      const visible = ["project", "worktree", "second", "third"]
      for (let made = visible.length; made < SESSIONS; made += 1) {
        const name = visible[made % visible.length] ?? ""
        // Thirty sessions share a time, across the border of a page of the listing.
        const updated = 1_700_000_000_000 + (made < 40 ? 0 : made * 1000)
        const texts = Array.from({ length: made === 48 ? 350 : 4 }, (_, at) => `text ${at} of seed${made}x`)
        seedSession(database, { id: `ses_seed${made}`, model: models.get(name) ?? "", updated, texts })
      }
      seedSession(database, {
        id: "ses_private",
        model: models.get("private") ?? "",
        updated: 1_700_000_000_000,
        texts: ["hush"],
      })
    })
    world.usePlugins([plugin])
    await server.restart()
    host = server.in(world.project.directory)
    index = createEngine({ dataDir: world.data, maskSecrets: true, sliceMs: 10, runs: "in-process" })
  })

  after(async () => {
    await index?.close()
    await world?.stop()
  })

  test("every session is stored, once, with all of its messages", async () => {
    await host.get("/session")
    await waitUntil(
      async () => ((await status()).complete >= SESSIONS ? true : undefined),
      () => `not complete; log: ${logged()}`,
    )
    const { sessions, complete, messages } = await status()
    assert.deepEqual([sessions, complete, messages], [SESSIONS, SESSIONS, 115 * 4 + 350])
    assert.deepEqual(await find("seed48x"), ["ses_seed48"])
    assert.deepEqual(
      await ids("ses_seed48"),
      (await host.messages("ses_seed48")).map((one) => one.info.id),
    )
  })

  test("the excluded project is not in it", async () => {
    assert.deepEqual(await find("hush"), [])
    assert.deepEqual(await find("first of private"), [])
  })

  test("no instance was started but the one that was asked for", () => {
    const starts = readFileSync(join(world.data, STARTS), "utf8").trim().split("\n")
    assert.deepEqual([...new Set(starts)], [world.project.directory])
  })

  test("a message sent now is found within two seconds of its event", async () => {
    const session = await host.createSession()
    const events = await host.events()
    const tookMs: number[] = []
    // The best of three: other work on the machine is not the sync's.
    for (const word of ["zirconium", "praseodymium", "ytterbium"]) {
      await host.promptAsync(session.id, `where is the ${word}`)
      await events.waitFor(
        (event) => event.type === "message.part.updated" && JSON.stringify(event.properties).includes(word),
      )
      const told = performance.now()
      await found(word, session.id)
      tookMs.push(Math.round(performance.now() - told))
      await events.waitFor((event) => event.type === "session.idle")
    }
    await events.close()
    assert.ok(Math.min(...tookMs) < 2_000, `${tookMs.join(", ")} ms`)
    await same(session.id)
  })

  test("rename and archive", async () => {
    await host.patch("/session/ses_seed60", { body: { title: "quetzalcoatl plans" } })
    await found("quetzalcoatl", "ses_seed60")
    await host.patch("/session/ses_seed60", { body: { time: { archived: Date.now() } } })
    await waitUntil(
      async () => (await stored("ses_seed60"))?.archived,
      () => "not archived",
    )
    assert.deepEqual(await find("quetzalcoatl"), [])
  })

  test("fork, with copies under new ids", async () => {
    const fork = await host.post("/session/ses_seed64/fork", { body: {} })
    assert.equal(fork.status, 200)
    const id = String(Reflect.get(Object(fork.data), "id"))
    await waitUntil(
      async () => ((await ids(id)).length === 4 ? true : undefined),
      () => "the fork is not there",
    )
    await same(id)
  })

  test("revert hides, unrevert shows, the next prompt removes", async () => {
    const session = await host.createSession()
    await host.prompt(session.id, "first thought")
    await host.prompt(session.id, "abandoned zeppelin")
    await found("zeppelin", session.id)
    const messages = await host.messages(session.id)
    const second = messages[2]?.info.id
    await host.post(`/session/${session.id}/revert`, { body: { messageID: second } })
    await gone("zeppelin")
    await host.post(`/session/${session.id}/unrevert`)
    await found("zeppelin", session.id)
    await host.post(`/session/${session.id}/revert`, { body: { messageID: second } })
    await host.prompt(session.id, "another way")
    await found("another way", session.id)
    await same(session.id)
  })

  test("deleting a part, a message, a session", async () => {
    const [first, second] = await host.messages("ses_seed68")
    await host.del(`/session/ses_seed68/message/${first?.info.id}/part/${first?.parts[0]?.id}`)
    await gone("text 0 of seed68x")
    await host.del(`/session/ses_seed68/message/${second?.info.id}`)
    await gone("text 1 of seed68x")
    await host.del("/session/ses_seed68")
    await waitUntil(
      async () => ((await stored("ses_seed68")) === undefined ? true : undefined),
      () => "still there",
    )
  })

  test("what another process wrote sends no event, and catching up finds it", async () => {
    const at = Date.now()
    await inHostDatabase(world, (database) => {
      seedMessage(database, { sessionID: "ses_seed48", id: "msg_zz_elsewhere", text: "obsidian mirror", at })
      database.prepare("UPDATE session SET time_updated = ? WHERE id = ?").run(at, "ses_seed48")
    })
    assert.deepEqual(await find("obsidian"), [])
    const body = { type: "tui.command.execute", properties: { command: CATCH_UP } }
    assert.equal((await host.post("/tui/publish", { body })).status, 200)
    await found("obsidian", "ses_seed48", 5_000)
    await same("ses_seed48")
  })

  test("killed, changed meanwhile, started again: new, changed and deleted sessions are as the host has them", async () => {
    await server.stop("SIGKILL")
    await inHostDatabase(world, (database) => {
      database.prepare("DELETE FROM session WHERE id = ?").run("ses_seed70")
      database.prepare("UPDATE session SET title = ? WHERE id = ?").run("renamed offline", "ses_seed71")
      seedSession(database, {
        id: "ses_late",
        model: models.get("third") ?? "",
        updated: 1_700_000_000_001,
        texts: ["made offline"],
      })
    })
    await server.restart()
    await host.get("/session")
    await found("made offline", "ses_late")
    await found("renamed offline", "ses_seed71")
    await waitUntil(
      async () => ((await stored("ses_seed70")) === undefined ? true : undefined),
      () => "the deleted session is still there",
    )
  })

  test("the host's log holds no complaint of ours", () => {
    assert.deepEqual(
      world
        .log()
        .split("\n")
        .filter((line) => line.includes("history sync")),
      [],
    )
  })

  async function status() {
    const answer = await index.status()
    if (!answer.ok) throw new Error(answer.fault.message)
    return answer.value
  }

  /** Sessions that hold the text, as a search shows them: not archived, not reverted. */
  async function find(text: string): Promise<readonly string[]> {
    const answer = await index.search({
      words: [text],
      excluded: [],
      scope: { kind: "all" },
      include: [],
      limit: 50,
      sort: "newest",
      hits: false,
    })
    if (!answer.ok) throw new Error(answer.fault.message)
    return answer.value.sessions.map((match) => match.session.id)
  }

  async function stored(id: string) {
    const answer = await index.session(id)
    if (!answer.ok) throw new Error(answer.fault.message)
    return answer.value
  }

  async function ids(sessionID: string): Promise<readonly string[]> {
    const answer = await index.messages({
      sessionID,
      direction: "forward",
      limit: 500,
      maxChars: 0,
      includeReverted: true,
    })
    if (!answer.ok) throw new Error(answer.fault.message)
    return answer.value.found ? answer.value.messages.map((message) => message.id) : []
  }

  async function found(text: string, sessionID: string, timeoutMs?: number): Promise<void> {
    await waitUntil(
      async () => ((await find(text)).includes(sessionID) ? true : undefined),
      () => `"${text}" is not found in ${sessionID}; log: ${logged()}`,
      timeoutMs,
    )
  }

  async function gone(text: string): Promise<void> {
    await waitUntil(
      async () => ((await find(text)).length === 0 ? true : undefined),
      () => `"${text}" is still found`,
    )
  }

  /** The index comes to hold the messages that the host has. */
  async function same(id: string): Promise<void> {
    const want = JSON.stringify((await host.messages(id)).map((one) => one.info.id))
    await waitUntil(
      async () => (JSON.stringify(await ids(id)) === want ? true : undefined),
      () => `${id}: the messages differ from the host's`,
    )
  }

  function logged(): string {
    return existsSync(world.data) ? world.log().slice(-2_000) : ""
  }
})
