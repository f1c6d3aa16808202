import { describe, test } from "node:test"
import assert from "node:assert/strict"
import { addRule, askOtherProject, permissionRule } from "../../../src/hosts/v1/permission.ts"
import { matchesPattern } from "../../../src/handoff/read-rules.ts"
import type { Asked } from "../../../src/hosts/host.ts"
import { keyName } from "../../../src/hosts/v1/key-name.ts"
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

const unasked = () => Promise.resolve(undefined)

test("the question is the project's directory", async () => {
  const asked: unknown[] = []
  const ask = async (input: { permission: string; patterns: string[]; always: string[] }) =>
    void asked.push(input)
  assert.deepEqual(await askOtherProject({ ask, target, choice: "ask", mode: "terminal", rules: unasked }), {
    granted: true,
  })
  const [question] = asked as { permission: string; patterns: string[]; always: string[] }[]
  assert.equal(question?.permission, "read sessions of /other")
  assert.deepEqual([question?.patterns, question?.always], [["/other"], ["/other"]])
})

test("a directory's name is one line of the question", async () => {
  let permission = ""
  const ask = async (input: { permission: string }) => void (permission = input.permission)
  await askOtherProject({
    ask,
    target: { ...target, directory: "/a\nb" },
    choice: "ask",
    mode: "terminal",
    rules: unasked,
  })
  assert.equal(permission, "read sessions of /a%0Ab")
})

test("nobody is asked when the option decides", async () => {
  const ask = () => Promise.reject(new Error("asked"))
  assert.deepEqual(
    await askOtherProject({ ask, target, choice: "allow", mode: "terminal", rules: unasked }),
    {
      granted: true,
    },
  )
  const denied = await askOtherProject({ ask, target, choice: "deny", mode: "terminal", rules: unasked })
  assert.match(denied.granted ? "" : denied.message, /\/other.*otherProjects is "deny"/)
})

test("a refusal, and a host that cannot ask, are one line each", async () => {
  const ask = () => Promise.reject(new Error("The user rejected it.\nreally"))
  for (const [mode, expected] of [
    ["terminal", /refused \(The user rejected it\.\)$/],
    ["command", /cannot ask.*otherProjects/],
  ] as const) {
    const answer = await askOtherProject({ ask, target, choice: "ask", mode, rules: unasked })
    assert.match(answer.granted ? "" : answer.message, expected)
  }
})

test("names of folders are different keys, without V1's pattern characters", () => {
  const names = [
    "/a*",
    "/a?",
    "/a%2A",
    "/a\\b",
    "/a/b",
    "/a\nb",
    "/a\\nb",
    "/a, /b",
    "/a,/b",
    "/a\u202eb",
    "/a ",
  ]
  const keys = names.map((name) => keyName(name, "linux"))
  assert.equal(new Set(keys).size, names.length)
  for (const [at, key] of keys.entries()) {
    assert.doesNotMatch(key, /[*?\\\n\u202e]|, /)
    // As a rule of the host, which an "always" becomes, a key covers no other folder.
    for (const [other, text] of keys.entries())
      assert.equal(matchesPattern(text, key, "linux"), at === other, `${text} by ${key}`)
  }
  assert.equal(keyName("/work/100% done/[a]", "linux"), "/work/100% done/[a]")
  assert.equal(keyName("C:\\work", "win32"), "C:\\work")
})

describe("a question about several folders", () => {
  const several: Asked = { ...target, directory: "/a", folders: ["/a", "/b*"] }
  const rule = (permission: string, pattern: string, action: string) => ({ permission, pattern, action })
  const base = [rule("*", "*", "allow"), rule(permissionRule, "*", "ask")]
  const b = "read sessions of /b%2A"

  const cases: [
    name: string,
    rules: readonly unknown[] | undefined,
    asked: readonly string[],
    granted: boolean,
  ][] = [
    ["names each", base, ["read sessions of /a, /b%2A"], true],
    ["is not put when a rule denies one", [...base, rule(b, "*", "deny")], [], false],
    ["is not put when a pattern denies one", [...base, rule(permissionRule, "/b*", "deny")], [], false],
    ["is not put when rules allow each", [...base, rule(permissionRule, "*", "allow")], [], true],
    [
      "is about one where the rules allow the others",
      [...base, rule(permissionRule, "*", "allow"), rule(b, "*", "ask")],
      [b, "read sessions of /a, /b%2A"],
      true,
    ],
    ["is not put when the rules are not known", undefined, [], false],
  ]
  for (const [name, rules, expected, granted] of cases)
    test(name, async () => {
      const asked: string[] = []
      const ask = async (input: { permission: string }) => void asked.push(input.permission)
      const answer = await askOtherProject({
        ask,
        target: several,
        choice: "ask",
        mode: "terminal",
        rules: () => Promise.resolve(rules),
      })
      assert.deepEqual([asked, answer.granted], [expected, granted])
    })

  test("all projects are asked for as such, and no longer when a rule denies one of them", async () => {
    const questions: { permission: string; always: string[] }[] = []
    const ask = async (input: { permission: string; always: string[] }) => void questions.push(input)
    const all: Asked = { ...several, directory: "all projects", all: true }
    const question = { ask, target: all, choice: "ask", mode: "terminal" } as const
    await askOtherProject({ ...question, rules: () => Promise.resolve(base) })
    assert.deepEqual(
      [questions[0]?.permission, questions[0]?.always],
      ["read sessions of all projects", ["*"]],
    )
    const denied = [...base, rule(permissionRule, "*", "allow"), rule(b, "*", "deny")]
    const answer = await askOtherProject({ ...question, rules: () => Promise.resolve(denied) })
    assert.match(answer.granted ? "" : answer.message, /a rule denies \/b\*/)
    assert.equal(questions.length, 1)
  })

  test("more folders than anybody reads are not asked for", async () => {
    const folders = Array.from({ length: 51 }, (_, at) => `/f${at}`)
    const answer = await askOtherProject({
      ask: () => Promise.reject(new Error("asked")),
      target: { ...several, folders },
      choice: "ask",
      mode: "terminal",
      rules: () => Promise.resolve(base),
    })
    assert.match(answer.granted ? "" : answer.message, /in 51 folders, .* 50 at most/)
  })
})
