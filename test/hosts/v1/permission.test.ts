import { test } from "node:test"
import assert from "node:assert/strict"
import { addRule, askOtherProject, permissionRule } from "../../../src/hosts/v1/permission.ts"
import type { Session } from "../../../src/session/model.ts"

const rules: [name: string, permission: unknown, after: unknown][] = [
  ["none", undefined, { [permissionRule]: "ask" }],
  ["others", { bash: "ask" }, { bash: "ask", [permissionRule]: "ask" }],
  ["the user's own", { [permissionRule]: "deny" }, { [permissionRule]: "deny" }],
  ["one for everything", { "*": "allow" }, { "*": "allow", [permissionRule]: "ask" }],
  [
    "some for single projects",
    { "read sessions of /a": "deny", "*": "allow", "read sessions of /b*": "allow" },
    { "*": "allow", [permissionRule]: "ask", "read sessions of /a": "deny", "read sessions of /b*": "allow" },
  ],
  [
    "the user's own, by directory",
    { [permissionRule]: { "/a": "allow" } },
    { [permissionRule]: { "*": "ask", "/a": "allow" } },
  ],
  [
    "the user's own, for all directories",
    { [permissionRule]: { "*": "deny", "/a": "allow" } },
    { [permissionRule]: { "*": "deny", "/a": "allow" } },
  ],
]
for (const [name, permission, after] of rules)
  test(`the ask rule is added to rules: ${name}`, () => {
    const config: Record<string, unknown> = permission === undefined ? {} : { permission }
    addRule(config)
    // As text, because the order of the rules decides.
    assert.equal(JSON.stringify(config["permission"]), JSON.stringify(after))
  })

const target: Session = {
  id: "ses_1",
  title: "t",
  projectID: "p",
  directory: "/other",
  created: 0,
  updated: 0,
  metadata: {},
}

test("the question is the project's directory", async () => {
  const asked: unknown[] = []
  const ask = async (input: { permission: string; patterns: string[]; always: string[] }) =>
    void asked.push(input)
  assert.deepEqual(await askOtherProject({ ask, target, choice: "ask", mode: "terminal" }), { granted: true })
  const [question] = asked as { permission: string; patterns: string[]; always: string[] }[]
  assert.equal(question?.permission, "read sessions of /other")
  assert.deepEqual([question?.patterns, question?.always], [["/other"], ["/other"]])
})

test("a directory's name is one line of the question", async () => {
  let permission = ""
  const ask = async (input: { permission: string }) => void (permission = input.permission)
  await askOtherProject({ ask, target: { ...target, directory: "/a\nb" }, choice: "ask", mode: "terminal" })
  assert.equal(permission, "read sessions of /a\\nb")
})

test("nobody is asked when the option decides", async () => {
  const ask = () => Promise.reject(new Error("asked"))
  assert.deepEqual(await askOtherProject({ ask, target, choice: "allow", mode: "terminal" }), {
    granted: true,
  })
  const denied = await askOtherProject({ ask, target, choice: "deny", mode: "terminal" })
  assert.match(denied.granted ? "" : denied.message, /\/other.*otherProjects is "deny"/)
})

test("a refusal, and a host that cannot ask, are one line each", async () => {
  const ask = () => Promise.reject(new Error("The user rejected it.\nreally"))
  for (const [mode, expected] of [
    ["terminal", /refused \(The user rejected it\.\)$/],
    ["command", /cannot ask.*otherProjects/],
  ] as const) {
    const answer = await askOtherProject({ ask, target, choice: "ask", mode })
    assert.match(answer.granted ? "" : answer.message, expected)
  }
})
