import { after, before, describe, test } from "node:test"
import assert from "node:assert/strict"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { lastUserTexts, toolNames } from "../hosts/request.ts"
import { run } from "../hosts/run.ts"
import { serve, type Serve } from "../hosts/serve.ts"
import { makeWorld, type World } from "../hosts/world.ts"

// `/handoff <goal>` on the real host: the goal is text, whatever is in it.

let world: World
let host: Serve

before(async () => {
  world = await makeWorld()
  host = await serve(world)
})
after(() => world.stop())

const goals = [
  `say "quoted" and 'single'`,
  "keep $HOME and $1 and $ARGUMENTS and $999999999",
  "a `backtick` and ```a fence```",
  "two lines\nand a third\n\n  indented",
  "!`touch x`",
  "  spaces around  ",
  "@README.md stays text",
  "日本語 🚀 \\n \\\\ %s ${x}",
]

describe("the goal reaches the model byte for byte", () => {
  for (const goal of goals)
    test(JSON.stringify(goal), async () => {
      const session = await host.createSession()
      await host.command(session.id, "handoff", goal)
      const texts = lastUserTexts(world.model.lastRequest())
      assert.match(texts[0] ?? "", /^Write a handoff/)
      assert.equal(texts[0]?.split("\n\nGoal:\n").at(-1), goal)
    })
})

test("nothing in a goal runs", () => {
  assert.equal(existsSync(join(world.project.directory, "x")), false)
})

test("an empty goal asks for the natural continuation", async () => {
  const session = await host.createSession()
  await host.command(session.id, "handoff", "")
  assert.match(lastUserTexts(world.model.lastRequest())[0] ?? "", /natural continuation[^]*Goal:\n$/)
})

test("the host lists the command with its description", async () => {
  const answer = await host.get("/command")
  const commands = answer.data as { name: string; description: string }[]
  assert.equal(
    commands.find((command) => command.name === "handoff")?.description,
    "Create a focused handoff prompt for a new session",
  )
})

test("both tools are offered to the model", () => {
  const names = toolNames(world.model.lastRequest())
  assert.ok(names.includes("handoff_session") && names.includes("read_session"), names.join())
})

test("the goal of `opencode run --command` arrives whole too", async () => {
  // On the command line the host itself puts quotes around an argument with spaces; standard input has none.
  const goal = "fix it in $1 `go`"
  await run(world, { prompt: goal, command: "handoff" })
  assert.equal(lastUserTexts(world.model.lastRequest())[0]?.split("\n\nGoal:\n").at(-1)?.trim(), goal)
})
