import { after, before, describe, test } from "node:test"
import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { BUILT_TERMINAL_PART } from "../hosts/host-config.ts"
import { call, type Gate, gate, sequence, text } from "../hosts/reply.ts"
import { lastUserTexts } from "../hosts/request.ts"
import { serve, type Serve } from "../hosts/serve.ts"
import { terminal, type Terminal } from "../hosts/terminal.ts"
import { waitUntil } from "../hosts/wait.ts"
import { withRecord } from "../../src/handoff/record.ts"
import { makeWorld, type World } from "../hosts/world.ts"
import { callsWhenAsked, lastToolAnswer } from "./scripts.ts"

// The draft in the real terminal UI: in a new session's prompt, whole, once, unsent.

const terminalPart = BUILT_TERMINAL_PART
const prompt = "Goal: the FIRST line.\n\nThe LAST word."
const handoff = callsWhenAsked("hand over", "handoff_session", { prompt, files: ["README.md"] })

const permittedPrompt = "The PERMITTED words."

async function openStash(ui: Terminal): Promise<void> {
  await ui.keys("C-p")
  await ui.waitForScreen("Commands")
  await ui.type("stash list")
  await ui.waitForScreen("Stash list")
  await ui.keys("Enter")
}

async function handOver(world: World, ui: Terminal): Promise<string> {
  await ui.type("hand over")
  await ui.keys("Enter")
  return ui.waitForScreen((screen) => screen.includes("The LAST word.") && !screen.includes("hand over"))
}

/** Asks for a handoff and types something while the model works, which goes on when the gate opens. */
async function handOverTyping(ui: Terminal, typed: Gate, thought: string): Promise<void> {
  await ui.type("hand over")
  await ui.keys("Enter")
  await typed.reached
  await ui.type(thought)
  await ui.waitForScreen(thought)
  typed.open()
}

/** Sends what is in the prompt and returns the text the model got. */
async function send(world: World, ui: Terminal): Promise<string> {
  const before = world.model.requests().length
  await ui.keys("Enter")
  const request = await world.model.waitForRequest((_request, turn) => turn >= before)
  return lastUserTexts(request)[0] ?? ""
}

for (const [name, parts] of [
  ["with the terminal part", [terminalPart]],
  ["without the terminal part", []],
] as const)
  // One terminal for all, as a user has it: each handoff is made in the session that the one before led to.
  describe(name, () => {
    let world: World
    let ui: Terminal

    before(async () => {
      const config = { permission: { bash: "ask" } }
      world = await makeWorld({ script: handoff, terminalPlugins: parts, config })
      ui = await terminal(world, { http: true })
    })
    after(() => world.stop())

    test("the draft is shown whole and unsent, and Enter sends it as it is in a new session", async () => {
      const screen = await handOver(world, ui)
      assert.equal(screen.match(/Continuing work from session/g)?.length, 1, screen)
      await ui.waitForScreen("Handoff")
      const answer = await waitUntil(
        () =>
          world.model.requests().length >= 2 ? lastToolAnswer(world.model, "handoff_session") : undefined,
        () => "the tool did not answer",
      )
      assert.match(String(answer["message"]), /not sent/)
      assert.equal(answer["sessionId"], undefined, "nothing is stored beside it")
      const sessions = (await ui.client.get("/session")).data as { id: string }[]
      assert.equal(sessions.length, 1, "the new session is made by Enter")

      assert.equal(await send(world, ui), answer["draft"])
      const after = (await ui.client.get("/session")).data as { id: string }[]
      assert.equal(after.length, 2)
      await ui.waitForScreen("done")
    })

    test("what was typed before a permission question is in the stash, not in the draft and not lost", async () => {
      const [typed, asked] = [gate(), gate()]
      world.model.script([
        sequence(
          typed.before(call("bash", { command: "true", description: "asks" })),
          asked.before(call("handoff_session", { prompt: permittedPrompt })),
        ),
      ])
      await handOverTyping(ui, typed, "half a thought")
      await ui.waitForScreen("Permission required")
      asked.open()
      await ui.waitForScreen(
        (screen) => screen.includes(permittedPrompt) && screen.includes("ctrl+p commands"),
      )
      world.model.script([text("done")])
      assert.match(await send(world, ui), /^Continuing work from session/)
      await ui.waitForScreen("done")
      await openStash(ui)
      await ui.waitForScreen("half a thought")
      await ui.keys("Escape")
      await ui.waitForScreen((screen) => !screen.includes("half a thought"))
    })

    test("what the user was typing while the model worked is in the stash too", async () => {
      const typed = gate()
      world.model.script([typed.before(call("handoff_session", { prompt: "The HURRIED words." }))])
      await handOverTyping(ui, typed, "a thought of its own")
      const screen = await ui.waitForScreen(
        (screen) => screen.includes("The HURRIED words.") && !screen.includes("hand over"),
      )
      assert.equal(screen.includes("a thought of its own"), false, screen)
      await openStash(ui)
      await ui.waitForScreen("a thought of its own")
    })
  })

describe("terminals on one server", () => {
  let world: World
  let host: Serve

  before(async () => {
    world = await makeWorld({ script: handoff, terminalPlugins: [terminalPart] })
    host = await serve(world)
  })
  after(() => world.stop())

  test("only the terminal that asked moves; another one keeps its session and its text", async () => {
    const other = await host.createSession({ title: "Other work" })
    await host.prompt(other.id, "the other conversation")
    const watching = await terminal(world, { attach: host.url, session: other.id })
    const asking = await terminal(world, { attach: host.url })
    try {
      await watching.waitForScreen("the other conversation")
      await watching.type("twelve chars")
      await handOver(world, asking)
      const screen = await watching.screen()
      assert.ok(screen.includes("twelve chars") && screen.includes("the other conversation"), screen)
      assert.equal(screen.includes("Continuing work"), false, screen)
    } finally {
      for (const ui of [asking, watching]) await ui.stop()
    }
  })

  test("the command in the answer opens the stored draft, from any folder", async () => {
    const spaced = world.addProject("it's a project")
    const source = await host.in(spaced.directory).createSession()
    await host.in(spaced.directory).prompt(source.id, "hand over")
    const open = String(lastToolAnswer(world.model, "handoff_session")["open"])
    const [program, ...args] = execFileSync("sh", ["-c", `printf '%s\\n' ${open}`], { encoding: "utf8" })
      .trim()
      .split("\n")
    assert.equal(program, "opencode")
    const ui = await terminal(world, { directory: world.home, args })
    try {
      await ui.waitForScreen("The LAST word.")
    } finally {
      await ui.stop()
    }
  })

  test("a stored draft is put into the prompt by the first terminal that opens its session, once", async () => {
    const source = await host.createSession()
    await host.prompt(source.id, "hand over")
    const answer = lastToolAnswer(world.model, "handoff_session")
    const session = String(answer["sessionId"])

    const first = await terminal(world, { attach: host.url, session })
    await first.waitForScreen("The LAST word.")
    assert.equal(await send(world, first), answer["draft"])
    await first.waitForScreen("done")
    assert.equal((await host.messages(session)).filter((message) => message.info.role === "user").length, 1)

    const record = (await host.session(session)).metadata?.["opencode-baton"] as Record<string, unknown>
    assert.equal(record["draft"], undefined)
    assert.equal(record["source"], source.id)
    const second = await terminal(world, { attach: host.url, session })
    const screen = await second.waitForScreen("done")
    assert.equal(screen.match(/Continuing work/g)?.length, 1, screen)
    for (const ui of [second, first]) await ui.stop()
  })

  test("who leaves before a stored draft is shown is not brought back, and the draft waits", async () => {
    const other = await host.createSession({ title: "Other work" })
    await host.prompt(other.id, "the other conversation")
    const metadata = withRecord({}, { source: other.id, at: 1, draft: "The WAITING draft.\n" })
    const stored = await host.createSession({ metadata })
    const ui = await terminal(world, { attach: host.url, session: other.id })
    await ui.waitForScreen("the other conversation")
    const select = (sessionID: string) =>
      host.post("/tui/publish", { body: { type: "tui.session.select", properties: { sessionID } } })
    await select(stored.id)
    await select(other.id)
    await ui.waitForScreen("could not be shown")
    assert.match(await ui.screen(), /the other conversation/)
    await select(stored.id)
    await ui.waitForScreen("The WAITING draft.")
  })
})
