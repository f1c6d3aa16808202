import assert from "node:assert/strict"
import { after, before, test } from "node:test"
import * as z from "zod"
import { hostConfig } from "../hosts/host-config.ts"
import { startModel, type Model } from "../hosts/model.ts"
import { calls, text } from "../hosts/reply.ts"
import { toolNames } from "../hosts/request.ts"
import { serve, type Serve } from "../hosts/serve.ts"
import { makeWorld, type World } from "../hosts/world.ts"
import { agentOf, type Agent, type Ask } from "./history-agent.ts"

// Edits made by the host's own tools, and the prompts behind them. OpenCode gives apply_patch to models of one
// family in place of write and edit, so the scripted model has two names here.

const PATCHING = "gpt-5-scripted"
const limit = { context: 200_000, output: 8_000 }

const providers = z.object({ fake: z.looseObject({}) })

let model: Model
let world: World
let host: Serve
let agent: Agent
let session: string

before(async () => {
  model = await startModel()
  const { fake } = providers.parse(hostConfig(model.url)["provider"])
  const models = Object.fromEntries(
    ["scripted", PATCHING].map((name) => [name, { name, tool_call: true, limit }]),
  )
  world = await makeWorld({ model, config: { provider: { fake: { ...fake, models } } } })
  host = await serve(world)
  agent = await agentOf(world, host)
  session = (await host.createSession({ title: "Widgets" })).id
  world.project.write("src/old.ts", "old\n")
  world.project.write("src/kept.ts", "one\ntwo\n")
  world.project.write("src/gone.ts", "gone\n")
  world.project.commit()
})
after(async () => {
  await world?.stop()
  await model?.stop()
})

async function work(prompt: string, list: readonly Ask[], modelID = "scripted"): Promise<void> {
  model.add(calls(list), text("Done."))
  await host.prompt(session, prompt, { model: { providerID: "fake", modelID } })
}

const at = (path: string) => `${world.project.directory}/${path}`

/** The lines of edits in an answer, without time and message id. */
function lines(answer: string): readonly string[] {
  return answer
    .split("\n")
    .filter((line) => /^ {2}\d{4}-\d\d-\d\d /.test(line))
    .map((line) => line.split("  ").slice(3).join("  "))
}

/** Asks until the answer has these edits, newest first. */
async function edits(query: string, wanted: readonly string[]): Promise<string> {
  const same = (answer: string) => JSON.stringify(lines(answer)) === JSON.stringify(wanted)
  return agent.askUntil(["history-search-edits", { query }], same, 8_000)
}

test("a file is written, edited and edited again: three rows, the first one marked", async () => {
  await work("make the widget", [["write", { filePath: at("src/widget.ts"), content: "a\n" }]])
  await work("round its corners", [
    ["edit", { filePath: at("src/widget.ts"), oldString: "a", newString: "b" }],
  ])
  await work("now in blue", [["edit", { filePath: at("src/widget.ts"), oldString: "b", newString: "c" }]])
  const answer = await edits("path:src/widget.ts", [
    "done  edit  src/widget.ts",
    "done  edit  src/widget.ts",
    "done  write  src/widget.ts  (first edit of this file)",
  ])
  assert.match(answer, /^3 edits · path src\/widget\.ts · this project · newest first\n"Widgets" {2}ses_/)
  const prompts = [...answer.matchAll(/prompt (msg_\w+) {2}(.*)/g)]
  assert.deepEqual(
    prompts.map((prompt) => prompt[2]),
    ["now in blue", "round its corners", "make the widget"],
  )
  const read = await agent.ask("history-read", {
    sessionID: session,
    messageID: prompts[1]?.[1],
    before: 0,
    after: 0,
  })
  assert.match(read, /"content":"round its corners"/)
})

test("failed edits and edits without a change are marked and not counted", async () => {
  await work("a typo", [["edit", { filePath: at("src/kept.ts"), oldString: "three", newString: "x" }]])
  await work("the same again", [
    ["edit", { filePath: at("src/kept.ts"), oldString: "one", newString: "one" }],
  ])
  await work("now right", [["edit", { filePath: at("src/kept.ts"), oldString: "two", newString: "2" }]])
  const answer = await edits("path:kept.ts", [
    "done  edit  src/kept.ts  (first edit of this file)",
    "failed  edit  src/kept.ts",
    "failed  edit  src/kept.ts",
  ])
  assert.match(answer, /^1 edit \(and 2 failed\)/)
})

test("apply_patch: add, update, delete and move in one call, a row each", async () => {
  const patchText = [
    "*** Begin Patch",
    "*** Add File: src/new.ts",
    "+new",
    "*** Update File: src/kept.ts",
    "@@",
    "-one",
    "+1",
    "*** Delete File: src/gone.ts",
    "*** Update File: src/old.ts",
    "*** Move to: lib/moved.ts",
    "@@",
    "-old",
    "+moved",
    "*** End Patch",
  ].join("\n")
  await work("tidy up", [["apply_patch", { patchText }]], PATCHING)
  assert.equal(world.project.read("lib/moved.ts"), "moved\n")
  const answer = await edits(`"tidy up" path:${world.project.directory}/`, [
    "done  move by apply_patch  src/old.ts -> lib/moved.ts  (first edit of this file)",
    "done  delete by apply_patch  src/gone.ts  (first edit of this file)",
    "done  update by apply_patch  src/kept.ts",
    "done  add by apply_patch  src/new.ts  (first edit of this file)",
    "done  edit  src/kept.ts  (first edit of this file)",
    "failed  edit  src/kept.ts",
    "failed  edit  src/kept.ts",
    "done  edit  src/widget.ts",
    "done  edit  src/widget.ts",
    "done  write  src/widget.ts  (first edit of this file)",
  ])
  assert.match(answer, /prompt msg_\w+ {2}tidy up\n.*move by apply_patch/)
  // The old name of a file leads to its move.
  await edits("path:src/old.ts", [
    "done  move by apply_patch  src/old.ts -> lib/moved.ts  (first edit of this file)",
  ])
})

test("what a shell command changed is known from the host's snapshot", async () => {
  await work("by hand", [["bash", { command: "echo x > made-by-hand.txt", description: "make it" }]])
  await edits("path:made-by-hand.txt", ["done  snapshot  made-by-hand.txt  (first edit of this file)"])
})

test("the two names of the model are offered different tools", () => {
  const offered = (wanted: string) =>
    model
      .requests()
      .filter((request) => request.body.model === wanted)
      .flatMap(toolNames)
  assert.ok(offered("scripted").includes("edit") && !offered("scripted").includes("apply_patch"))
  assert.ok(offered(PATCHING).includes("apply_patch") && !offered(PATCHING).includes("edit"))
})

test("none, words, dates, a folder, reverted prompts", async () => {
  const other = (await host.createSession({ title: "Elsewhere" })).id
  model.add(calls([["write", { filePath: at("docs/other.md"), content: "x\n" }]]), text("Done."))
  await host.prompt(other, "write the docs")
  await edits("path:docs/", ["done  write  docs/other.md  (first edit of this file)"])
  const [recent = "", words = "", none = "", limited = ""] = await agent.askAll([
    ["history-search-edits", {}],
    ["history-search-edits", { query: '"write the docs"' }],
    ["history-search-edits", { date: "before 2020-01-01" }],
    ["history-search-edits", { limit: 2, query: "path:src/" }],
  ])
  assert.equal(lines(recent).length, 12)
  assert.deepEqual(lines(words), ["done  write  docs/other.md  (first edit of this file)"])
  assert.match(none, /^No edit · this project · until 2019-12-31 23:59\nThe index knows edits here since/)
  assert.match(limited, /^2 edits[^]*More edits exist/)
})

test("the edits of a reverted prompt are hidden and counted", async () => {
  const all = await host.messages(session)
  const prompt = all.find((message) => message.parts[0]?.text === "now in blue")
  await host.post(`/session/${session}/revert`, { body: { messageID: prompt?.info.id } })
  const answer = await edits("path:src/widget.ts", [
    "done  edit  src/widget.ts",
    "done  write  src/widget.ts  (first edit of this file)",
  ])
  assert.match(answer, /reverted/)
})
