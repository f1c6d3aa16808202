import { after, before, describe, test } from "node:test"
import assert from "node:assert/strict"
import { join } from "node:path"
import { createEngine } from "../../src/history/engine.ts"
import { metadataKey } from "../../src/handoff/record.ts"
import { ENTRY, runBaton, type Ran } from "../cli/run.ts"
import { text } from "../hosts/reply.ts"
import { serve, type Serve } from "../hosts/serve.ts"
import { LOOK_EVERY_MS, openTmux } from "../hosts/tmux.ts"
import { WAIT_MS, waitUntil } from "../hosts/wait.ts"
import { makeWorld, type World } from "../hosts/world.ts"
import { inHostDatabase, seedSession } from "./seed.ts"

// `baton index` on the real host: over a server that it starts itself and one that runs already, stopped in the
// middle and gone on with.

let world: World
let first = ""
const SEEDED = 120

before(
  async () => {
    world = await makeWorld({ plugins: [], script: [text("the answer is quartz")] })
    const host = await serve(world)
    const session = await host.createSession()
    first = session.id
    await host.prompt(session.id, "which mineral is it")
    const made = await host.createSession()
    await host.patch(`/session/${made.id}`, {
      body: { metadata: { [metadataKey]: { source: first, at: 1 } } },
    })
    await host.stop()
    await inHostDatabase(world, (database) => {
      for (let at = 0; at < SEEDED; at++)
        seedSession(database, {
          id: `ses_seed${String(at).padStart(4, "0")}`,
          model: first,
          updated: Date.UTC(2026, 0, 1) + at * 60_000,
          texts: [`question ${at} feldspar`, `answer ${at}`],
        })
    })
  },
  { timeout: 120_000 },
)
after(() => world.stop())

function baton(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  return runBaton(args, {
    cwd: world.project.directory,
    env: { ...world.env, BATON_OPENCODE: world.opencode, PWD: world.project.directory, ...env },
  })
}

async function stored(dataDir = world.data) {
  const history = createEngine({ dataDir, maskSecrets: true, sliceMs: 10, runs: "in-process" })
  const status = await history.status()
  await history.close()
  assert.ok(status.ok)
  return status.value
}

const timeout = { timeout: 120_000 }

describe("baton index", () => {
  test("starts OpenCode, indexes everything, ends it; then a search finds it", timeout, async () => {
    const ran = await baton(["index"])
    assert.equal(ran.code, 0, ran.stderr)
    assert.match(ran.stdout, /^The index is up to date: 122 sessions, \d+ messages \(\d+ new\)\.$/m)
    assert.equal(ran.stderr, "")
    assert.deepEqual(world.processes(), [])
    const found = await baton(["search", "quartz"])
    assert.equal(found.code, 0, found.stderr)
    assert.ok(found.stdout.includes(first))
    const all = await baton(["search", "feldspar", "--limit", "200", "--json"])
    assert.equal(all.stdout.match(/"sessionID":"ses_seed\d+","title"/g)?.length, SEEDED)
  })

  test("the handoff that the plugin noted is in the lineage", timeout, async () => {
    const ran = await baton(["lineage", first])
    assert.equal(ran.code, 0, ran.stderr)
    assert.match(ran.stdout, /└─ handoff: /)
  })

  test(
    "a second run fetches nothing and says so; --rebuild fetches all of it, forgotten sessions stay out",
    timeout,
    async () => {
      const again = await baton(["index"])
      assert.equal(again.code, 0, again.stderr)
      assert.doesNotMatch(again.stdout, /new/)
      const gone = await baton(["forget", "ses_seed0007", "--yes"])
      assert.equal(gone.code, 0, gone.stderr)
      const rebuilt = await baton(["index", "--rebuild"])
      assert.equal(rebuilt.code, 0, rebuilt.stderr)
      assert.match(rebuilt.stdout, /121 sessions/)
      assert.equal((await baton(["read", "ses_seed0007"])).code, 1)
    },
  )

  test(
    "Ctrl-C in a terminal: the bar goes, the server ends, the rest comes with the next run",
    timeout,
    async () => {
      const dataDir = join(world.root, "second")
      const pane = await openTmux({
        command: [process.execPath, ENTRY, "--data-dir", dataDir, "index"],
        cwd: world.project.directory,
        env: {
          ...world.env,
          BATON_OPENCODE: world.opencode,
          TERM: "xterm-256color",
          TMUX_TMPDIR: world.root,
        },
        columns: 60,
        rows: 10,
      })
      const releases = [pane.pid, pane.serverPid].map((pgid) => world.adopt(pgid))
      let screen = ""
      const look = async (sight: RegExp) => {
        screen = await pane.tmux(["capture-pane", "-p"])
        return sight.test(screen) ? true : undefined
      }
      await waitUntil(
        () => look(/\d+\/122 sessions/),
        () => `no progress bar:\n${screen}`,
      )
      await pane.tmux(["send-keys", "C-c"])
      await waitUntil(
        async () => ((await pane.look()).ended ? true : undefined),
        () => `it goes on:\n${screen}`,
        WAIT_MS,
        LOOK_EVERY_MS,
      )
      // tmux's own line about the end scrolls a small screen.
      screen = await pane.tmux(["capture-pane", "-p", "-S", "-"])
      assert.match(screen, /Stopped; what is stored stays|The index is up to date/)
      assert.doesNotMatch(screen, /█/)
      await pane.stop()
      for (const release of releases) release()
      assert.deepEqual(world.processes(), [])
      const before = await stored(dataDir)
      const ran = await baton(["--data-dir", dataDir, "index"])
      assert.equal(ran.code, 0, ran.stderr)
      assert.ok(before.complete <= 122)
      assert.equal((await stored(dataDir)).complete, 122)
    },
  )

  test("a running server with a password; without it the line says what is missing", timeout, async () => {
    const host: Serve = await serve(world, { password: "open sesame" })
    const dataDir = join(world.root, "third")
    const refused = await baton(["--data-dir", dataDir, "index", "--url", host.url])
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, /^baton: .* asks for a password; write --password.*\n$/)
    const ran = await baton(["--data-dir", dataDir, "index", "--url", host.url], {
      OPENCODE_SERVER_PASSWORD: "open sesame",
    })
    assert.equal(ran.code, 0, ran.stderr)
    assert.equal((await stored(dataDir)).complete, 122)
    await host.stop()
  })

  test("no host: one line with a remedy", timeout, async () => {
    const missing = await baton(["index", "--opencode", "/nowhere/opencode"])
    assert.deepEqual([missing.code, missing.stdout], [2, ""])
    assert.match(missing.stderr, /^baton: \/nowhere\/opencode is not installed.*--url.*\n$/)
    const silent = await baton(["index", "--url", "http://127.0.0.1:9"])
    assert.equal(silent.code, 2)
    assert.match(silent.stderr, /^baton: http:\/\/127\.0\.0\.1:9 does not answer .*\n$/)
  })
})
