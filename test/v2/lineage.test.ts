import { describe, test } from "node:test"
import assert from "node:assert/strict"
import * as z from "zod"
import { baton } from "../hosts/v2/baton.ts"
import { contractHost, type ContractHost } from "../hosts/v2/host.ts"
import type { HostSetup } from "../hosts/v2/release.ts"

// Where a session came from, as V2 tells it: seen by the searches and by the command, which reads the index alone.

/** Far above what a test takes; both cores may be busy with others. */
const SLOW = { timeout: 60_000 }

/** Releases, and one that takes a session's metadata and keeps none of it. */
const HOSTS: readonly (readonly [string, HostSetup])[] = [
  ["2.0.16", { release: "2.0.16" }],
  ["2.1.0", { release: "2.1.0" }],
  ["2.1.0 without metadata", { release: "2.1.0", without: ["metadata"] }],
]

async function inHost(setup: HostSetup, run: (host: ContractHost, caller: string) => Promise<void>) {
  const host = await contractHost(setup)
  try {
    await host.load()
    await run(host, host.store.put({ title: "Caller" }).id)
    assert.deepEqual(host.violations, [])
  } finally {
    await host.stop()
  }
}

async function ask(host: ContractHost, caller: string, query: string, wanted: RegExp): Promise<string> {
  for (const end = Date.now() + 20_000; ;) {
    const input = { query, include: ["subagents"] }
    const { content } = await host.tool(caller, "history-search-sessions", input)
    if (wanted.test(content)) return content
    if (Date.now() > end) assert.fail(`${query} never matched ${wanted}; its last answer was\n${content}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** `baton lineage <session> --json` in the project. */
async function lineage(host: ContractHost, sessionID: string): Promise<readonly string[]> {
  const ran = await baton(host, ["lineage", sessionID, "--json"])
  assert.equal(ran.code, 0, ran.stderr)
  return lineageJson
    .parse(JSON.parse(ran.stdout))
    .chains.flatMap((chain) => chain.links.map((link) => `${link.from} ${link.kind} ${link.to}`))
}

const lineageJson = z.looseObject({
  chains: z.array(
    z.looseObject({ links: z.array(z.looseObject({ kind: z.string(), from: z.string(), to: z.string() })) }),
  ),
})

for (const [name, setup] of HOSTS)
  describe(`lineage on ${name}`, () => {
    test("a handoff links the new session to its source, before and after the draft is sent", SLOW, () =>
      inHost(setup, async (host, caller) => {
        const source = host.store.put({ title: "Long work" }).id
        const { content } = await host.tool(source, "handoff_session", { prompt: "go on" })
        const made = z.looseObject({ sessionId: z.string(), draft: z.string() }).parse(JSON.parse(content))
        const from = new RegExp(`${made.sessionId}[^\\n]*handed off from ${source}`)
        await ask(host, caller, '"Handoff from Long work"', from)
        await host.prompt(made.sessionId, { text: made.draft })
        host.store.write(made.sessionId, { type: "assistant", content: [{ type: "text", text: "an okapi" }] })
        host.store.emit("session.execution.succeeded", { sessionID: made.sessionId })
        await ask(host, caller, "okapi", from)
        assert.deepEqual(await lineage(host, made.sessionId), [`${source} handoff ${made.sessionId}`])
      }),
    )

    test("a draft that was sent in a session of the user's own is linked too", SLOW, () =>
      inHost(setup, async (host, caller) => {
        const [source, own] = [host.store.put({ title: "Source" }).id, host.store.put({ title: "Own" }).id]
        const { content } = await host.tool(source, "handoff_session", { prompt: "a quagga" })
        const { draft } = z.looseObject({ draft: z.string() }).parse(JSON.parse(content))
        await host.prompt(own, { text: draft })
        await ask(host, caller, "quagga Own", new RegExp(`${own}[^\\n]*handed off from ${source}`))
      }),
    )

    test("subagents by their parent, forks as the host tells them", SLOW, () =>
      inHost(setup, async (host, caller) => {
        const root = host.store.put({ title: "Root" }).id
        host.store.write(root, { type: "user", text: "a tapir" })
        const child = host.store.put({ title: "Child", parentID: root }).id
        const fork = host.store.put({ title: "Fork", fork: { sessionID: root } }).id
        // The release may date the copies anew: then nothing but its own word tells that they are copies.
        host.store.write(fork, { type: "user", text: "a tapir" })
        host.store.write(fork, { type: "user", text: "another way" }, "session.input.promoted")
        host.store.write(child, { type: "user", text: "look" }, "session.input.promoted")
        await ask(host, caller, '"another way"', new RegExp(fork))
        await ask(host, caller, "look", new RegExp(`${child}[^\\n]*subagent of ${root}`))
        const links = [`${root} subagent ${child}`, `${root} fork ${fork}`]
        assert.deepEqual(await lineage(host, fork), links)
      }),
    )
  })
