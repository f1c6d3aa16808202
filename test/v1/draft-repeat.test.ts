import { test } from "node:test"
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { BUILT_TERMINAL_PART } from "../hosts/host-config.ts"
import { call, text } from "../hosts/reply.ts"
import { lastUserTexts, type ModelRequest } from "../hosts/request.ts"
import { terminal, type Terminal } from "../hosts/terminal.ts"
import { makeWorld, type World } from "../hosts/world.ts"
import { lastToolAnswer } from "./scripts.ts"

// A chain of handoffs in one real terminal, each from the session the one before led to. Half of them with a
// 20 KB draft, the last quarter with both cores busy. Every draft arrives whole, once and unsent.

const times = 20
const quiet = 15
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

/** Forty handoffs, of which one takes two seconds here and six on a busy machine. */
const timeout = 480_000

test(
  `${times} drafts of ${times} arrive with the terminal part, and as many without it`,
  { timeout },
  async () => {
    // Side by side: both wait most of the time.
    const worlds = await Promise.all(
      parts.map(async ([name, terminalPlugins]) => ({
        name,
        world: await makeWorld({ script, terminalPlugins }),
      })),
    )
    try {
      const chains = await Promise.all(
        worlds.map(async (one): Promise<Chain> => ({ ...one, ui: await terminal(one.world) })),
      )
      await Promise.all(chains.map((chain) => passAll(chain, 0, quiet)))
      await withBusyCores(() => Promise.all(chains.map((chain) => passAll(chain, quiet, times))))
    } finally {
      await Promise.all(worlds.map(({ world }) => world.stop()))
    }
  },
)

type Chain = { readonly name: string; readonly world: World; readonly ui: Terminal }

async function passAll({ name, world, ui }: Chain, first: number, end: number): Promise<void> {
  for (let round = first; round < end; round++)
    await pass(world, ui, round).catch((cause: unknown) => {
      throw new Error(`round ${round} ${name}: ${String(cause)}`, { cause })
    })
}

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

async function withBusyCores(use: () => Promise<unknown>): Promise<void> {
  const loops = [1, 2].map(() => spawn(process.execPath, ["-e", "for (;;) {}"], { stdio: "ignore" }))
  try {
    await use()
  } finally {
    for (const loop of loops) loop.kill("SIGKILL")
  }
}
