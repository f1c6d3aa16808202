import assert from "node:assert/strict"
import { after, before, describe, test } from "node:test"
import * as z from "zod"
import { textOf, toolParts } from "./client.ts"
import { alive } from "./process-table.ts"
import { broken, call, calls, fail, gate, reasoning, sequence, text, usage } from "./reply.ts"
import { lastUserTexts, toolNames, toolResults } from "./request.ts"
import { run } from "./run.ts"
import { serve, type Serve } from "./serve.ts"
import { terminal } from "./terminal.ts"
import { waitUntil } from "./wait.ts"
import { inWorld, makeWorld, type World } from "./world.ts"

// The harness against the real OpenCode, with a plugin of three lines in place of ours.

/** Two cold starts on a busy machine. */
const TEST_MS = 120_000

/** Offers one tool that says what it was given, by whom, and what options the plugin has. */
const PROBE = `
export default {
  id: "probe",
  server: async (_input, options) => ({
    tool: {
      probe: {
        description: "Says what it was given.",
        args: { word: { type: "string" } },
        execute: async (args, context) => JSON.stringify({ args, session: context.sessionID, options }),
      },
    },
  }),
}
`

/** Says on screen that it runs. */
const TERMINAL_PROBE = `
export default {
  id: "terminal-probe",
  tui: async (api) => api.ui.toast({ message: "TERMINAL PART RUNS", variant: "info", duration: 60000 }),
}
`

const probed = z.object({
  args: z.record(z.string(), z.unknown()),
  session: z.string(),
  options: z.record(z.string(), z.unknown()),
})

function probeOutput(output: string | undefined): z.infer<typeof probed> {
  return probed.parse(JSON.parse(output ?? ""))
}

async function probeWorld(): Promise<World> {
  const world = await makeWorld({ plugins: [] })
  world.usePlugins([[world.write("probe.js", PROBE), { mark: 7 }]], [world.write("part.js", TERMINAL_PROBE)])
  return world
}

describe("serve", { timeout: TEST_MS }, () => {
  let world: World
  let host: Serve

  before(async () => {
    world = await probeWorld()
    host = await serve(world)
  })
  after(() => world.stop())

  test("a prompt reaches the model and its answer comes back", { timeout: TEST_MS }, async () => {
    world.model.add(sequence(reasoning("let me see"), text("hello there")))
    const session = await host.createSession()
    const answer = await host.prompt(session.id, [
      { type: "text", text: "first" },
      { type: "text", text: "second" },
    ])
    assert.equal(textOf(answer), "hello there")
    assert.deepEqual(lastUserTexts(world.model.lastRequest()), ["first", "second"])
    assert.ok(answer.parts.some((part) => part.type === "reasoning" && part.text === "let me see"))
    assert.ok(toolNames(world.model.lastRequest()).includes("probe"))
  })

  test(
    "several tool calls in one turn run, and the model gets every result",
    { timeout: TEST_MS },
    async () => {
      const readme = `${world.project.directory}/README.md`
      world.model.add(
        calls([
          ["probe", { word: "a" }],
          ["read", { filePath: readme }],
          ["probe", { word: null, extra: 1 }],
        ]),
        text("done"),
      )
      const session = await host.createSession()
      assert.equal(textOf(await host.prompt(session.id, "go")), "done")
      const results = toolResults(world.model.lastRequest())
      assert.deepEqual(
        results.map((result) => result.tool),
        ["probe", "read", "probe"],
      )
      const [first, , last] = results.map((result) => result.output)
      assert.deepEqual(probeOutput(first), { args: { word: "a" }, session: session.id, options: { mark: 7 } })
      assert.deepEqual(probeOutput(last).args, { word: null, extra: 1 })
      assert.equal(toolParts(await host.messages(session.id)).length, 3)
    },
  )

  test("the host asks again after a 429 and a 500", { timeout: TEST_MS }, async () => {
    const session = await host.createSession()
    const asked = world.model.requests().length
    world.model.add(fail(429, "slow down"), fail(500, "boom"), text("at last"))
    assert.equal(textOf(await host.prompt(session.id, "try")), "at last")
    assert.equal(world.model.requests().length, asked + 3)
  })

  test("the host asks again after a broken stream, in its own time", { timeout: TEST_MS }, async () => {
    const session = await host.createSession()
    world.model.add(broken("half an"), text("answer"))
    assert.match(textOf(await host.prompt(session.id, "try")), /answer$/)
  })

  test("a 400 ends the turn with an error", { timeout: TEST_MS }, async () => {
    const session = await host.createSession()
    world.model.add(fail(400, "no"))
    const answer = await host.prompt(session.id, "try")
    assert.equal(answer.info.error?.name, "APIError")
  })

  test("a gate holds the answer until the test opens it", { timeout: TEST_MS }, async () => {
    const events = await host.events()
    const door = gate()
    world.model.add(sequence(text("half "), door.before(text("and whole"))))
    const session = await host.createSession()
    await host.promptAsync(session.id, "wait for it")
    await door.reached
    assert.ok(
      !events
        .seen()
        .some((event) => event.type === "session.idle" && event.properties.sessionID === session.id),
    )
    door.open()
    await events.waitFor(
      (event) => event.type === "session.idle" && event.properties.sessionID === session.id,
    )
    await events.close()
    assert.equal(textOf((await host.messages(session.id)).at(-1) ?? assert.fail()), "half and whole")
  })

  test("an aborted turn is seen by the model", { timeout: TEST_MS }, async () => {
    const door = gate()
    world.model.add(door.before(text("never")))
    const session = await host.createSession()
    await host.promptAsync(session.id, "stop me")
    await door.reached
    assert.equal((await host.post(`/session/${session.id}/abort`)).status, 200)
    const request = world.model.lastRequest()
    await waitUntil(
      () => (request.aborted ? true : undefined),
      () => "the host still waits for the model",
    )
  })

  test("titles are asked for apart from the script", { timeout: TEST_MS }, async () => {
    const session = await host.createSession()
    await host.prompt(session.id, "name me")
    await waitUntil(
      async () => ((await host.session(session.id)).title === "A title" ? true : undefined),
      () => "the session has no title",
    )
    assert.ok(world.model.titleRequests().length > 0)
    assert.ok(
      world.model.requests().every((request) => !lastUserTexts(request).join().includes("Generate a title")),
    )
  })

  test("claimed tokens near the limit bring about a compaction", { timeout: TEST_MS }, async () => {
    world.model.add(sequence(text("long"), usage(195_000)), text("SUMMARY"), text("went on"))
    const session = await host.createSession()
    assert.equal(textOf(await host.prompt(session.id, "fill up")), "went on")
    const summaries = (await host.messages(session.id)).filter((message) => message.info.summary === true)
    assert.deepEqual(summaries.map(textOf), ["SUMMARY"])
  })

  test("a restart keeps the port and the sessions", { timeout: TEST_MS }, async () => {
    const session = await host.createSession()
    await host.prompt(session.id, "remember")
    const before = { pid: host.pid, url: host.url }
    await host.restart("SIGKILL")
    assert.equal(host.url, before.url)
    assert.ok(!alive(before.pid))
    assert.equal((await host.messages(session.id)).length, 2)
    assert.match(world.log(), /creating instance/)
  })

  test(
    "another project and a worktree are reached through the same server",
    { timeout: TEST_MS },
    async () => {
      const other = world.addProject("other")
      const tree = world.project.worktree("tree")
      const [here, there, beside] = [
        await host.createSession(),
        await host.in(other.directory).createSession(),
        await host.in(tree.directory).createSession(),
      ]
      assert.equal(there.directory, other.directory)
      assert.notEqual(there.projectID, here.projectID)
      assert.equal(beside.directory, tree.directory)
      assert.equal(beside.projectID, here.projectID)
    },
  )
})

describe("a server with a password", () => {
  test("answers its own client and terminal, and nobody else", { timeout: TEST_MS }, async () => {
    await inWorld({ plugins: [] }, async (world) => {
      const host = await serve(world, { password: "secret" })
      assert.equal((await fetch(new URL("/session", host.url))).status, 401)
      assert.deepEqual(await host.sessions(), [])
      const ui = await terminal(world, { attach: host.url, password: "secret" })
      assert.deepEqual(await ui.client.sessions(), [])
    })
  })
})

describe("run", () => {
  test("prints the answer of one prompt and ends", { timeout: TEST_MS }, async () => {
    await inWorld({ plugins: [], script: [text("printed")] }, async (world) => {
      const result = await run(world, { prompt: 'say "it" $HOME', format: "json" })
      assert.equal(result.code, 0)
      assert.match(result.stdout, /"text":"printed"/)
      assert.deepEqual(lastUserTexts(world.model.lastRequest()), ['say "it" $HOME'])
      assert.ok(!alive(result.pid))
    })
  })
})

describe("terminal", () => {
  test(
    "a typed prompt is answered on screen; a second terminal sees the session",
    { timeout: TEST_MS },
    async () => {
      const world = await probeWorld()
      try {
        world.model.add(call("probe", { word: "seen" }), text("ANSWER ONE"), text("ANSWER TWO"))
        const first = await terminal(world, { http: true })
        await first.waitForScreen("TERMINAL PART RUNS")
        await first.type("hello from the keyboard")
        await first.waitForScreen("hello from the keyboard")
        await first.keys("Enter")
        await first.waitForScreen("ANSWER ONE")

        const sessionID = (await first.client.sessions())[0]?.id ?? assert.fail("no session")
        const second = await terminal(world, { attach: first.client.url, session: sessionID })
        await second.waitForScreen("ANSWER ONE")
        await second.paste("two\nlines")
        await second.waitForScreen(/two\n.*lines/)
        await second.keys("Enter")
        await first.waitForScreen("ANSWER TWO")
        assert.deepEqual(lastUserTexts(world.model.lastRequest()), ["two\nlines"])
        assert.deepEqual(probeOutput(toolResults(world.model.lastRequest())[0]?.output).args, {
          word: "seen",
        })

        await second.keys("C-c")
        await second.waitForEnd()
        await assert.rejects(second.waitForScreen("ANSWER THREE"), /the terminal ended/)
      } finally {
        await world.stop()
      }
    },
  )
})
