import assert from "node:assert/strict"
import { test } from "node:test"
import { readRules } from "../../../src/handoff/read-rules.ts"
import type { V1Client } from "../../../src/hosts/v1/client.ts"
import { rulesOf } from "../../../src/hosts/v1/rules.ts"

// The rules a file of a prompt is read by: what V1 1.18 does with the same agent, session and tools.

const rule = (permission: string, pattern: string, action: string) => ({ permission, pattern, action })
const build = { name: "build", permission: [rule("*", "*", "allow")] }

function clientWith(agents: () => Promise<unknown>): V1Client {
  return { app: { agents } } as unknown as V1Client
}

type Case = [name: string, given: { agent?: string; session?: unknown; tools?: unknown }, verdict: string]

const cases: Case[] = [
  ["an agent that allows", { session: {} }, "allowed"],
  ["a session without rules", { session: { permission: null } }, "allowed"],
  ["a session that denies", { session: { permission: [rule("read", "*", "deny")] } }, "refused"],
  ["a session that denies this file", { session: { permission: [rule("read", "a.ts", "deny")] } }, "refused"],
  ["read switched off", { session: {}, tools: { read: false } }, "refused"],
  ["everything switched off", { session: {}, tools: { "*": false } }, "refused"],
  ["another tool switched off", { session: {}, tools: { bash: false } }, "allowed"],
  [
    "switched tools in place of the session's rules",
    { session: { permission: [rule("read", "*", "deny")] }, tools: { read: true } },
    "allowed",
  ],
  ["no tools switched", { session: { permission: [rule("read", "*", "deny")] }, tools: {} }, "refused"],
  ["a session that could not be read", { session: undefined }, "unknown"],
  ["a session with rules of another form", { session: { permission: "deny" } }, "unknown"],
  ["an agent that is not listed", { agent: "gone", session: {} }, "unknown"],
]
for (const [name, { agent = "build", session, tools }, verdict] of cases)
  test(`${name}: ${verdict}`, async () => {
    const client = clientWith(() => Promise.resolve({ data: [build] }))
    assert.equal(readRules(await rulesOf(client, { agent, session, tools }, 1000))("a.ts"), verdict)
  })

test("agents that fail, are late or of another form: unknown", async () => {
  const answers = [
    () => Promise.reject(new Error("down")),
    () => new Promise(() => {}),
    () => Promise.resolve({ data: {} }),
    () => Promise.resolve({ data: [{ name: "build" }] }),
  ]
  for (const agents of answers) {
    const rules = await rulesOf(clientWith(agents), { agent: "build", session: {} }, 20)
    assert.equal(readRules(rules)("a.ts"), "unknown")
  }
})
