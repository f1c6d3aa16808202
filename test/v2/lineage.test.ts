import { describe, test } from "node:test"
import assert from "node:assert/strict"
import * as z from "zod"
import { ask, inLoadedHost, SLOW } from "../hosts/v2/asking.ts"
import { baton } from "../hosts/v2/baton.ts"
import type { ContractHost } from "../hosts/v2/host.ts"
import type { HostSetup } from "../hosts/v2/release.ts"

// Where a session came from, as V2 tells it: seen by the searches and by the command, which reads the index alone.

/** Releases, and one that takes a session's metadata and keeps none of it. */
const HOSTS: readonly (readonly [string, HostSetup])[] = [
  ["2.0.16", { release: "2.0.16" }],
  ["2.1.0", { release: "2.1.0" }],
  ["2.1.0 without metadata", { release: "2.1.0", without: ["metadata"] }],
]

const find = (host: ContractHost, caller: string, query: string, wanted: RegExp) =>
  ask(host, caller, "history-search-sessions", { query, include: ["subagents"] }, wanted)

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
      inLoadedHost(setup, async (host, caller) => {
        const source = host.store.put({ title: "Long work" }).id
        const { content } = await host.tool(source, "handoff_session", { prompt: "go on" })
        const made = z.looseObject({ sessionId: z.string(), draft: z.string() }).parse(JSON.parse(content))
        const from = new RegExp(`${made.sessionId}[^\\n]*handed off from ${source}`)
        await find(host, caller, '"Handoff from Long work"', from)
        await host.prompt(made.sessionId, { text: made.draft })
        host.store.write(made.sessionId, { type: "assistant", content: [{ type: "text", text: "an okapi" }] })
        host.store.emit("session.execution.succeeded", { sessionID: made.sessionId })
        await find(host, caller, "okapi", from)
        assert.deepEqual(await lineage(host, made.sessionId), [`${source} handoff ${made.sessionId}`])
      }),
    )

    test("a draft that was sent in a session of the user's own is linked too", SLOW, () =>
      inLoadedHost(setup, async (host, caller) => {
        const [source, own] = [host.store.put({ title: "Source" }).id, host.store.put({ title: "Own" }).id]
        const { content } = await host.tool(source, "handoff_session", { prompt: "a quagga" })
        const { draft } = z.looseObject({ draft: z.string() }).parse(JSON.parse(content))
        await host.prompt(own, { text: draft })
        await find(host, caller, "quagga Own", new RegExp(`${own}[^\\n]*handed off from ${source}`))
      }),
    )

    test("subagents by their parent, forks as the host tells them", SLOW, () =>
      inLoadedHost(setup, async (host, caller) => {
        const root = host.store.put({ title: "Root" }).id
        host.store.write(root, { type: "user", text: "a tapir" })
        const child = host.store.put({ title: "Child", parentID: root }).id
        const fork = host.store.put({ title: "Fork", fork: { sessionID: root } }).id
        // The release may date the copies anew: then nothing but its own word tells that they are copies.
        host.store.write(fork, { type: "user", text: "a tapir" })
        host.store.write(fork, { type: "user", text: "another way" }, "session.input.promoted")
        host.store.write(child, { type: "user", text: "look" }, "session.input.promoted")
        await find(host, caller, '"another way"', new RegExp(fork))
        await find(host, caller, "look", new RegExp(`${child}[^\\n]*subagent of ${root}`))
        const links = [`${root} subagent ${child}`, `${root} fork ${fork}`]
        assert.deepEqual(await lineage(host, fork), links)
      }),
    )
  })
