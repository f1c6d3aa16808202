import { describe, test } from "node:test"
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { BUILT_TERMINAL_PART } from "../hosts/host-config.ts"
import { call, text } from "../hosts/reply.ts"
import { lastUserTexts, type ModelRequest } from "../hosts/request.ts"
import { terminal, type Terminal } from "../hosts/terminal.ts"
import { inWorld, type World } from "../hosts/world.ts"
import { lastToolAnswer } from "./scripts.ts"

// A chain of handoffs in one real terminal, each from the session the one before led to. Half of them with a
// 20 KB draft, the second half with both cores busy. Every draft arrives whole, once and unsent.

const times = 20
const parts = [
  ["with the terminal part", [BUILT_TERMINAL_PART]],
  ["without the terminal part", []],
] as const

function promptOf(round: number): string {
  const filler = Array.from({ length: round % 2 === 0 ? 0 : 400 }, (_, line) => `${line} `.padEnd(50, "·"))
  return [`Round ${round} begins.`, ...filler, `Round ${round} ends here.`].join("\n")
}

function script(request: ModelRequest) {
  const round = /^pass it on (\d+)$/.exec(lastUserTexts(request).join("\n"))?.[1]
  if (request.body.messages.at(-1)?.role !== "user" || round === undefined) return text("done")
  return call("handoff_session", { prompt: promptOf(Number(round)) })
}

for (const [name, terminalPlugins] of parts)
  describe(name, () => {
    test(`${times} drafts of ${times} arrive`, () =>
      inWorld({ script, terminalPlugins }, async (world) => {
        const ui = await terminal(world)
        for (let round = 0; round < times / 2; round++) await pass(world, ui, round)
        await withBusyCores(async () => {
          for (let round = times / 2; round < times; round++) await pass(world, ui, round)
        })
      }))
  })

async function pass(world: World, ui: Terminal, round: number): Promise<void> {
  await ui.type(`pass it on ${round}`)
  await ui.keys("Enter")
  // Only the end of a long draft is on the screen; the source session, with the question, is not.
  await ui.waitForScreen(
    (screen) => screen.includes(`Round ${round} ends here.`) && !screen.includes("pass it on"),
  )
  const asked = await world.model.waitForRequest((request) => isAnswered(request, round))
  const before = world.model.requests().length
  assert.equal(
    world.model.requests().filter((request) => textOf(request).includes(`Round ${round} `)).length,
    0,
    "not sent",
  )

  await ui.keys("Enter")
  const sent = await world.model.waitForRequest((request, turn) => turn >= before && request !== asked)
  assert.equal(textOf(sent), lastToolAnswer(world.model, "handoff_session")["draft"])
  await ui.waitForScreen("done")
}

/** The request that brings the tool's answer back. */
function isAnswered(request: ModelRequest, round: number): boolean {
  return request.body.messages.at(-1)?.role === "tool" && textOf(request) === `pass it on ${round}`
}

function textOf(request: ModelRequest): string {
  return lastUserTexts(request)[0] ?? ""
}

async function withBusyCores(use: () => Promise<void>): Promise<void> {
  const loops = [1, 2].map(() => spawn(process.execPath, ["-e", "for (;;) {}"], { stdio: "ignore" }))
  try {
    await use()
  } finally {
    for (const loop of loops) loop.kill("SIGKILL")
  }
}
