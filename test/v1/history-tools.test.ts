import assert from "node:assert/strict"
import { after, before, test } from "node:test"
import * as z from "zod"
import { v1OlderThan } from "../../src/reading/cursor.ts"
import { call, text, type Reply } from "../hosts/reply.ts"
import { lastUserTexts, toolResults, type ModelRequest } from "../hosts/request.ts"
import { serve, type Serve } from "../hosts/serve.ts"
import { makeWorld, type World } from "../hosts/world.ts"

// The history tools on the real host. The user's text is the tool call: `tool {json}`.

function script(request: ModelRequest): Reply {
  const asked = /^([\w-]+) (\{.*\})$/s.exec(lastUserTexts(request)[0] ?? "")
  if (request.body.messages.at(-1)?.role === "user" && asked?.[1] !== undefined)
    return call(asked[1], asked[2] ?? "{}")
  return text("An answer.")
}

let world: World
let host: Serve
let session: string
let ids: readonly string[]

before(async () => {
  world = await makeWorld({ script })
  host = await serve(world)
  session = (await host.createSession({ title: "The lighthouse" })).id
  for (const prompt of [
    "the first prompt",
    "paint the lighthouse red",
    "the third prompt",
    "the last prompt",
  ])
    await host.prompt(session, prompt)
  ids = (await host.messages(session)).map((message) => message.info.id)
})
after(() => world.stop())

async function ask(tool: string, input: Record<string, unknown>): Promise<string> {
  const caller = await host.createSession()
  await host.prompt(caller.id, `${tool} ${JSON.stringify(input)}`)
  const results = world.model.requests().flatMap((request) => toolResults(request))
  const output = results.findLast((result) => result.tool === tool)?.output
  assert.ok(output !== undefined, `the model never got an answer of ${tool}`)
  return output
}

test("a page starts where our own cursor says, which is the host's cursor byte for byte", async () => {
  const rows = z.array(
    z.object({ info: z.object({ id: z.string(), time: z.object({ created: z.number() }) }) }),
  )
  const newest = await host.get(`/session/${session}/message`, { query: { limit: 3 } })
  const first = rows.parse(newest.data)[0]?.info
  assert.ok(first)
  const cursor = v1OlderThan({ id: first.id, created: first.time.created })
  assert.equal(cursor, newest.headers.get("x-next-cursor"))
  const older = await host.get(`/session/${session}/message`, { query: { limit: 2, before: cursor } })
  assert.deepEqual(
    rows.parse(older.data).map((row) => row.info.id),
    ids.slice(-5, -3),
  )
})

test("a word is found, and the hit is read with its neighbours", async () => {
  const found = await ask("history-search-messages", { query: "lighthouse red" })
  assert.match(
    found,
    /^1 session holds lighthouse, red · this project · newest first\n"The lighthouse" {2}ses_/,
  )
  const messageID = /user (msg_\w+) {2}paint the lighthouse red/.exec(found)?.[1]
  assert.equal(messageID, ids[2])
  const read = z
    .object({
      anchorIncluded: z.boolean(),
      messages: z.array(z.object({ messageID: z.string(), content: z.string() })),
    })
    .parse(JSON.parse(await ask("history-read", { sessionID: session, messageID, before: 1, after: 2 })))
  assert.equal(read.anchorIncluded, true)
  assert.deepEqual(
    read.messages.map((message) => message.messageID),
    ids.slice(1, 5),
  )
  assert.equal(read.messages[1]?.content, "paint the lighthouse red")
})

test("the searches do not find the calls that ask, nor their answers", async () => {
  await ask("history-search-messages", { query: "zanzibar" })
  assert.match(await ask("history-search-messages", { query: "no-session zanzibar" }), /^No session/)
})

test("session_list names an index that session_read takes", async () => {
  const listed = z
    .object({
      sessions: z.array(
        z.object({
          sessionID: z.string(),
          messages: z.number(),
          matches: z.array(z.object({ index: z.number() })).optional(),
        }),
      ),
    })
    .parse(JSON.parse(await ask("session_list", { search: "lighthouse red" })))
  const row = listed.sessions.find((entry) => entry.sessionID === session)
  assert.deepEqual(row?.matches, [{ index: 2 }])
  assert.equal(row.messages, 8)
  const page = await ask("session_read", { sessionID: session, offset: 2, limit: 1 })
  assert.match(page, /^\{"total":8,.*\n\{"index":2,"role":"user","text":"paint the lighthouse red"\}\n\]\}$/s)
})

test("edits are told with the prompt behind them", async () => {
  const file = `${world.project.directory}/made.txt`
  const editor = await host.createSession({ title: "An edit" })
  await host.prompt(editor.id, `write ${JSON.stringify({ filePath: file, content: "made" })}`)
  const found = await ask("history-search-edits", { query: "path:made.txt" })
  assert.match(found, /"An edit" {2}ses_\w+/)
  assert.match(found, /prompt msg_\w+ {2}write \{/)
  assert.match(found, /done {2}write {2}made\.txt {2}\(first edit of this file\)/)
})

test("sessions and projects are listed", async () => {
  // The prompts that ask for it hold the word as well.
  assert.match(
    await ask("history-search-sessions", { query: "lighthouse" }),
    /^\d+ sessions? · lighthouse · this project · newest first\n[^]*^"The lighthouse" {2}ses_\w+ {2}\d{4}-/m,
  )
  assert.match(await ask("history-search-sessions", { show: "projects" }), /^1 project · this project/)
})

test("raw arguments are explained in one line", async () => {
  assert.equal(
    await ask("history-search-messages", { query: "x", limit: 0 }),
    "history-search-messages: `limit` is 0; write a whole number from 1 on",
  )
})
