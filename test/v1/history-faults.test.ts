import assert from "node:assert/strict"
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { after, before, describe, test } from "node:test"
import { BUILT_PLUGIN } from "../hosts/host-config.ts"
import type { Serve } from "../hosts/serve.ts"
import { waitUntil } from "../hosts/wait.ts"
import { makeWorld, type World } from "../hosts/world.ts"
import { healthTimes, p99 } from "./health.ts"
import { agentOf } from "./history-agent.ts"
import { indexed, indexFile, indexFolder, longHistory } from "./long-history.ts"
import { inHostDatabase } from "./seed.ts"

// A long history on the real host: filling the index beside it, starting again, and an index that cannot be used.

const SESSIONS = 100
const MESSAGES = 100

/** What a busy host's answer may take longer than an idle one's. */
const STALL_MS = 50

/** How long the idle host is asked for comparison. */
const IDLE_MS = 1_500

/** The backfill takes some 10 s here on two idle cores, and gives way to whatever else runs. */
const BACKFILL_MS = 110_000

/** An ended instance closes its index in a tenth of a second, on a busy machine in some. */
const CLOSE_MS = 5_000

let world: World
let host: Serve
let folder: string

before(async () => {
  world = await makeWorld({ plugins: [] })
  folder = indexFolder(world)
  host = await longHistory(world, { sessions: SESSIONS, messages: MESSAGES }, BUILT_PLUGIN)
})
after(() => world?.stop())

test("the host answers as if idle while 10,000 messages are indexed", async () => {
  await host.sessions()
  let over = false
  const during = healthTimes(host, () => over)
  await waitUntil(
    async () => ((await indexed(world)).length >= SESSIONS ? true : undefined),
    () => `not complete: ${world.log().slice(-2_000)}`,
    BACKFILL_MS,
  ).finally(() => {
    over = true
  })
  const busy = await during
  const end = performance.now() + IDLE_MS
  const idle = await healthTimes(host, () => performance.now() > end)
  assert.ok(busy.length > 50, `only ${busy.length} answers during the backfill`)
  // Where other programs take the cores, both are slow: the idle figure counts twice.
  assert.ok(
    p99(busy) < 2 * p99(idle) + STALL_MS,
    `p99 ${p99(busy).toFixed(1)} ms during the backfill, ${p99(idle).toFixed(1)} ms idle`,
  )
})

describe("started again", () => {
  test("nothing is fetched again but what changed, and what was deleted is gone", async () => {
    await host.stop()
    await inHostDatabase(world, (database) => {
      database.prepare("DELETE FROM session WHERE id = ?").run("ses_seed7")
      database.prepare("UPDATE session SET time_updated = ? WHERE id = ?").run(Date.now(), "ses_seed8")
    })
    const before = new Map((await indexed(world)).map((one) => [one.id, one.fetchedAt]))
    await host.restart()
    await host.sessions()
    const after = await waitUntil(
      async () => {
        const all = await indexed(world)
        const changed = all.find((one) => one.id === "ses_seed8")?.fetchedAt !== before.get("ses_seed8")
        return changed && !all.some((one) => one.id === "ses_seed7") ? all : undefined
      },
      () => "the change and the deletion are not noticed",
    )
    // The session made a moment ago may still go on: it is looked at again.
    const settled = after.filter((one) => one.id.startsWith("ses_seed"))
    const again = settled.filter((one) => before.get(one.id) !== one.fetchedAt)
    assert.deepEqual(
      again.map((one) => one.id),
      ["ses_seed8"],
    )
    const agent = await agentOf(world, host)
    const [gone = "", kept = ""] = await agent.askAll([
      ["history-search-messages", { query: "seed7x" }],
      ["history-search-messages", { query: "seed8x" }],
    ])
    assert.match(gone, /^No session holds seed7x/)
    assert.match(kept, /^1 session holds seed8x/)
  })
})

describe("the plugin loaded and unloaded", () => {
  test("50 times: no worker, file or handle is left", async () => {
    const counts: { readonly threads: number; readonly handles: number }[] = []
    for (let cycle = 0; cycle < 50; cycle += 1) {
      await load()
      await unload()
      const handles = files().filter((name) => !ownedByRuntime(name)).length
      counts.push({ threads: readdirSync(`/proc/${host.pid}/task`).length, handles })
    }
    const [early, late] = [counts.slice(0, 10), counts.slice(-10)]
    for (const what of ["threads", "handles"] as const) {
      const most = Math.max(...early.map((count) => count[what]))
      const last = Math.min(...late.map((count) => count[what]))
      // A leak of one a cycle would be forty.
      assert.ok(last < most + 10, `${what}: ${most} at first, ${last} in the end`)
    }
  })
})

describe("an index that cannot be used: the host works, the tools say so", () => {
  test("a newer layout is left alone", async () => {
    await unload()
    const file = indexFile(world)
    const header = openSync(file, "r+")
    writeSync(header, Uint8Array.of(0, 0, 0, 99), 0, 4, 60)
    closeSync(header)
    const bytes = readFileSync(file)
    const answers = await askAll()
    for (const answer of answers) assert.match(answer, /newer/)
    await unload()
    assert.ok(readFileSync(file).equals(bytes), "the file is as it was")
  })

  test("a damaged file is moved aside and rebuilt", async () => {
    await unload()
    const file = indexFile(world)
    rmSync(`${file}-wal`, { force: true })
    writeFileSync(file, "this is not SQLite ".repeat(1000))
    await load()
    const agent = await agentOf(world, host)
    const answer = await agent.askUntil(["history-search-messages", { query: "seed99x" }], (one) =>
      one.startsWith("1 session"),
    )
    assert.match(answer, /ses_seed99/)
    assert.ok(readdirSync(folder).includes("index-v1.sqlite.damaged"))
  })

  test("no folder can be made", async () => {
    await unload()
    rmSync(folder, { recursive: true })
    writeFileSync(folder, "in the way")
    for (const answer of await askAll()) {
      assert.match(answer, /the history index cannot answer: [^\n]*cannot be opened[^\n]*dataDir/)
    }
    const agent = await agentOf(world, host)
    const read = await agent.ask("history-read", { sessionID: "ses_seed9", limit: 1 })
    assert.match(read, /0 of seed9x/, "the host's own sessions are read without the index")
  })
})

async function askAll(): Promise<readonly string[]> {
  const agent = await agentOf(world, host)
  return agent.askAll([
    ["history-search-messages", { query: "seed42x" }],
    ["history-search-sessions", {}],
    ["history-search-edits", {}],
    ["session_list", {}],
  ])
}

/** Files, sockets and pipes of the host. */
function files(): readonly string[] {
  const all = readdirSync(`/proc/${host.pid}/fd`)
  return all.flatMap((name) => {
    try {
      return [readlinkSync(`/proc/${host.pid}/fd/${name}`)]
    } catch (error) {
      // Closed between the listing and the look.
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return []
      throw error
    }
  })
}

/**
 * What Bun 1.3.14, which OpenCode 1.18 is built with, keeps of every ended worker thread: three handles of its
 * event loop, also of a worker that does nothing. Bun 1.4 keeps none.
 */
function ownedByRuntime(name: string): boolean {
  return /^anon_inode:\[(eventpoll|eventfd|timerfd)\]$/.test(name)
}

const isOpen = () => files().some((name) => name.startsWith(folder))

/** The instance with the plugin, as far as an open index. */
async function load(): Promise<void> {
  await waitUntil(
    async () => {
      // A request that meets the end of the last instance starts no new one.
      await host.patch("/session/ses_seed1", { body: { title: "wake" } })
      return isOpen() ? true : undefined
    },
    () => "the index is not opened",
  )
}

/** Ends the instance, and the one that a turn which still went on may have started behind it. */
async function unload(): Promise<void> {
  let askedAt = Number.NEGATIVE_INFINITY
  await waitUntil(
    async () => {
      if (performance.now() - askedAt > CLOSE_MS) {
        assert.equal((await host.post("/instance/dispose")).status, 200)
        askedAt = performance.now()
      }
      return isOpen() ? undefined : true
    },
    () => `the index stays open: ${files().join(", ")}`,
  )
}
