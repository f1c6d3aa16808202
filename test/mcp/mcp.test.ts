import { after, before, describe, test } from "node:test"
import assert from "node:assert/strict"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js"
import { CHARACTERS_A_TOKEN } from "../../bench/checks.ts"
import { aPlace, aStockedPlace, type Place } from "../cli/run.ts"

// `baton mcp` as a client meets it: the SDK's own client starts the command and speaks to it.

type Called = { readonly text: string; readonly isError: boolean }

type Started = {
  readonly client: Client
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<Called>
}

async function start(place: Place, env: Readonly<Record<string, string>> = {}): Promise<Started> {
  const [command = "", ...args] = place.command(["mcp"])
  const client = new Client({ name: "test", version: "1" })
  await client.connect(
    new StdioClientTransport({
      command,
      args,
      cwd: place.here,
      env: { ...place.env, ...env },
      stderr: "ignore",
    }),
  )
  return {
    client,
    async call(name, given) {
      const answer = CallToolResultSchema.parse(await client.callTool({ name, arguments: given }))
      const [first] = answer.content
      return { text: first?.type === "text" ? first.text : "", isError: answer.isError === true }
    },
  }
}

/** The option as a user's config holds it. */
function allowOthers(place: Place): void {
  mkdirSync(place.config, { recursive: true })
  const plugin = [["opencode-baton", { otherProjects: "allow" }]]
  writeFileSync(join(place.config, "opencode.json"), JSON.stringify({ plugin }))
}

describe("baton mcp in one project", () => {
  let place: Place
  let started: Started
  before(async () => {
    place = await aStockedPlace()
    started = await start(place)
  })
  after(async () => {
    await started.client.close()
    place.remove()
  })

  test("lists the read-only tools, each with the project of the call, in at most 1,400 tokens", async () => {
    const { tools } = await started.client.listTools()
    assert.deepEqual(
      tools.map((tool) => tool.name),
      [
        "history-search-messages",
        "history-search-sessions",
        "history-search-edits",
        "history-read",
        "session_list",
        "session_read",
      ],
    )
    for (const tool of tools) assert.ok(tool.inputSchema.required?.includes("project"), tool.name)
    const shown = tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      inputSchema: tool.inputSchema,
    }))
    assert.ok(JSON.stringify(shown).length / CHARACTERS_A_TOKEN <= 1_400)
  })

  test("finds a message and reads around it", async () => {
    const found = await started.call("history-search-messages", { project: place.here, query: "token early" })
    assert.equal(found.isError, false)
    assert.match(found.text, /ses_login/)
    const read = await started.call("history-read", {
      project: place.here,
      sessionID: "ses_login",
      messageID: "msg_l1",
    })
    assert.match(read.text, /the token expires too early/)
  })

  test("a folder inside the project is the project", async () => {
    const found = await started.call("history-search-sessions", { project: join(place.here, "src") })
    assert.match(found.text, /ses_login/)
  })

  for (const [name, args] of [
    ["history-search-messages", { query: "login" }],
    ["history-read", { sessionID: "ses_login" }],
    ["session_list", {}],
  ] as const)
    test(`${name} without a project is refused with what to write`, async () => {
      const answer = await started.call(name, args)
      assert.ok(answer.isError)
      assert.match(answer.text, /`project` is required; write the folder you work in/)
    })

  test("another project is refused, and the option that decides is named", async () => {
    for (const project of [place.other, "all"]) {
      const answer = await started.call("history-search-messages", { project, query: "login" })
      assert.ok(answer.isError)
      assert.match(answer.text, /"otherProjects": "allow"/)
    }
  })

  test("a query, a session or a list that leaves the call's project is refused or left out", async () => {
    const asked = await started.call("history-search-messages", {
      project: place.here,
      query: "project:all login",
    })
    assert.match(asked.text, /outside of this call's `project`/)
    const list = await started.call("session_list", { project: place.here })
    assert.match(list.text, /ses_login/)
    assert.doesNotMatch(list.text, /ses_other/)
  })

  for (const [title, name, args, expected] of [
    ["an unknown argument", "session_list", { serch: "x" }, /did you mean `search`/],
    ["a project that is no folder", "session_list", { project: "/nowhere/at/all" }, /which is no folder/],
    ["a missing session id", "history-read", {}, /`sessionID` is required/],
    ["an unknown tool", "history-serch-edits", {}, /did you mean history-search-edits/],
  ] as const)
    test(`${title} is one clear line`, async () => {
      const answer = await started.call(name, { project: place.here, ...args })
      assert.match(answer.text, expected)
      assert.equal(answer.text.split("\n").length, 1)
    })
})

test("with the option another project and all projects are answered", async () => {
  const place = await aStockedPlace()
  allowOthers(place)
  const started = await start(place)
  try {
    const all = await started.call("session_list", { project: "all" })
    const other = await started.call("history-search-sessions", { project: place.other })
    assert.match(all.text, /ses_login/)
    assert.match(all.text, /ses_other/)
    assert.match(other.text, /ses_other/)
    assert.doesNotMatch(other.text, /ses_login/)
    // A word that only looks like a qualifier names no project.
    const phrase = await started.call("history-search-sessions", {
      project: "all",
      query: '-"a project:x b"',
    })
    assert.match(phrase.text, /ses_other/)
  } finally {
    await started.client.close()
    place.remove()
  }
})

test("without an index the client is told how to make one, and the server lives on", async () => {
  const place = aPlace()
  const started = await start(place)
  try {
    const answer = await started.call("session_list", { project: place.here })
    assert.ok(answer.isError)
    assert.match(answer.text, /there is no index at .*run `baton index`/)
    assert.equal((await started.client.listTools()).tools.length, 6)
  } finally {
    await started.client.close()
    place.remove()
  }
})
