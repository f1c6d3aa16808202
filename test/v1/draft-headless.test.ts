import { after, before, test } from "node:test"
import assert from "node:assert/strict"
import { run } from "../hosts/run.ts"
import { serve, type Serve } from "../hosts/serve.ts"
import { makeWorld, type World } from "../hosts/world.ts"
import { callsWhenAsked, draftText, lastToolAnswer } from "./scripts.ts"

// Without a terminal the draft is stored, and everything needed to go on is in the answer.

const prompt = "Goal: finish.\n\nNext: step two, `as planned`."
const handoff = callsWhenAsked("hand over", "handoff_session", {
  prompt,
  files: ["@README.md", " src/a b.ts ", "", "README.md"],
})

let world: World
let host: Serve

before(async () => {
  world = await makeWorld({ script: handoff })
  host = await serve(world)
})
after(() => world.stop())

test("a server without a terminal stores the draft, within 5 s", async () => {
  const session = await host.createSession({ title: "Old work" })
  // The host's own first turn takes seconds; the tool is measured behind it, besides what two plain turns take.
  await host.prompt(session.id, "hello")
  const turnMs = await promptMs(session.id, "hello again")
  const tookMs = await promptMs(session.id, "hand over")
  assert.ok(tookMs < 5000 + 2 * turnMs, `took ${tookMs} ms, a plain turn ${turnMs} ms`)

  const answer = lastToolAnswer(world.model, "handoff_session")
  assert.equal(answer["ok"], true)
  assert.equal(answer["sourceSessionId"], session.id)
  assert.deepEqual(answer["files"], ["README.md", "src/a b.ts"])
  assert.match(String(answer["message"]), /stored, not sent/)
  assert.equal(answer["draft"], draftText(session.id, `@README.md @"src/a b.ts"`, prompt))

  const stored = await host.session(String(answer["sessionId"]))
  const open = `opencode ${world.project.directory} --session ${stored.id}`
  assert.equal(answer["open"], open)
  assert.ok(String(answer["message"]).includes(`\`${open}\``), String(answer["message"]))
  assert.equal(stored.title, "Handoff from Old work")
  assert.equal(stored.projectID, session.projectID)
  assert.deepEqual(await host.messages(stored.id), [], "nothing is sent")
  const record = stored.metadata?.["opencode-baton"] as { source: string; draft: string }
  assert.equal(record.source, session.id)
  assert.equal(record.draft, answer["draft"])
})

async function promptMs(sessionID: string, prompt: string): Promise<number> {
  const started = performance.now()
  await host.prompt(sessionID, prompt)
  return performance.now() - started
}

test("an identical call within a minute makes no second draft", async () => {
  const session = await host.createSession({ title: "Twice" })
  await host.prompt(session.id, "hand over")
  const first = lastToolAnswer(world.model, "handoff_session")
  await host.prompt(session.id, "hand over once more")
  const second = lastToolAnswer(world.model, "handoff_session")
  assert.equal(second["sessionId"], first["sessionId"])
  assert.match(String(second["message"]), /within a minute/)
  const list = (await host.get("/session")).data as { title: string }[]
  assert.equal(list.filter((one) => one.title === "Handoff from Twice").length, 1)
})

test("from a subagent it is made from the root session, and says so", async () => {
  const root = await host.createSession({ title: "Root" })
  const child = await host.createSession({ parentID: root.id, title: "Child (@general subagent)" })
  await host.prompt(child.id, "hand over")
  const answer = lastToolAnswer(world.model, "handoff_session")
  assert.equal(answer["sourceSessionId"], root.id)
  assert.match(String(answer["message"]), new RegExp(`${root.id}.*${child.id} is a subagent`))
})

test("`opencode run` stores the draft", async () => {
  const started = performance.now()
  const result = await run(world, { prompt: "hand over in a run" })
  assert.equal(result.code, 0, result.stderr)
  assert.ok(performance.now() - started < 30_000)
  const answer = lastToolAnswer(world.model, "handoff_session")
  assert.match(String(answer["message"]), /stored, not sent: OpenCode runs without a terminal/)
  assert.deepEqual(await host.messages(String(answer["sessionId"])), [])
})

const badInputs: [name: string, input: Record<string, unknown>, error: RegExp][] = [
  ["a blank prompt", { prompt: " \n\t" }, /`prompt` is blank/],
  ["no prompt", {}, /`prompt` is required/],
  ["a null prompt", { prompt: null }, /`prompt` is required/],
  ["a number for files", { prompt: "x", files: 3 }, /`files` is 3; write a list/],
  ["an unknown key", { prompt: "x", file: ["a"] }, /unknown argument `file`, did you mean `files`/],
]
for (const [name, input, error] of badInputs)
  test(`${name} is one clear line`, async () => {
    world.model.script(callsWhenAsked("go", "handoff_session", input))
    const session = await host.createSession()
    await host.prompt(session.id, "go")
    const answer = lastToolAnswer(world.model, "handoff_session")
    assert.equal(answer["ok"], false)
    assert.match(String(answer["error"]), error)
    assert.equal(String(answer["error"]).includes("\n"), false)
  })

test("null for the optional files is as good as none", async () => {
  world.model.script(callsWhenAsked("go", "handoff_session", { prompt: "x", files: null }))
  const session = await host.createSession()
  await host.prompt(session.id, "go")
  const answer = lastToolAnswer(world.model, "handoff_session")
  assert.deepEqual(answer["files"], [])
  assert.equal(answer["draft"], draftText(session.id, "", "x"))
})
