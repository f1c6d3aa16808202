import assert from "node:assert/strict"
import { after, before, describe, test } from "node:test"
import * as z from "zod"
import { call, text } from "../hosts/reply.ts"
import { lastUserTexts } from "../hosts/request.ts"
import { serve, type Serve } from "../hosts/serve.ts"
import { makeWorld, type World } from "../hosts/world.ts"
import { agentOf, type Agent } from "./history-agent.ts"

// What a user does to sessions, seen through the tools on the real host.

let world: World
let host: Serve
let agent: Agent

before(async () => {
  world = await makeWorld()
  host = await serve(world)
  agent = await agentOf(world, host)
  // The project's instance boots with the first prompt; what is measured here comes after.
  await agent.ask(sessions)
})
after(() => world.stop())

const messages = "history-search-messages"
const sessions = "history-search-sessions"

async function sessionOf(title: string, ...prompts: string[]): Promise<string> {
  const session = await host.createSession({ title })
  for (const prompt of prompts) await host.prompt(session.id, prompt)
  return session.id
}

/** The id of the message with this text. */
async function idOf(sessionID: string, wanted: string): Promise<string> {
  const all = await host.messages(sessionID)
  const found = all.find((message) => message.parts.some((part) => part.text === wanted))
  if (found === undefined) throw new Error(`no message ${wanted} in ${sessionID}`)
  return found.info.id
}

const holds = (part: string) => (answer: string) => answer.includes(part)
const finds = (query: string, id: string, include?: readonly string[]) =>
  agent.askUntil([messages, { query, ...(include && { include }) }], holds(id))
const findsNot = (query: string) =>
  agent.askUntil([messages, { query }], (answer) => answer.startsWith("No session holds"))

test("a message sent now is found within two seconds", async () => {
  const session = await host.createSession({ title: "Ideas" })
  const events = await host.events()
  await host.promptAsync(session.id, "where is the flux capacitor")
  await events.waitFor(
    (event) =>
      event.type === "message.part.updated" && JSON.stringify(event.properties).includes("flux capacitor"),
  )
  const told = performance.now()
  await world.model.waitForRequest((request) => lastUserTexts(request).join().includes("flux capacitor"))
  const answer = await finds("flux", session.id)
  const tookMs = performance.now() - told
  await events.waitFor((event) => event.type === "session.idle")
  await events.close()
  assert.match(answer, /^1 session holds flux · this project · newest first\n"Ideas" {2}ses_/)
  assert.match(answer, /\n {2}flux {2}user msg_\w+ {2}where is the flux capacitor\n/)
  // What asking takes is the host's and the machine's, and told by asking once more.
  const asked = performance.now()
  await finds("flux", session.id)
  const askingMs = performance.now() - asked
  assert.ok(tookMs < 2_000 + askingMs, `${Math.round(tookMs)} ms, asking takes ${Math.round(askingMs)} ms`)
})

test("a renamed session is found by its new title, and by its old one no more", async () => {
  const id = await sessionOf("Quetzal plans")
  await agent.askUntil([sessions, { query: "quetzal" }], holds(id))
  await host.patch(`/session/${id}`, { body: { title: "Réglage du cache" } })
  for (const query of ["réglage", "RÉGLAGE"])
    await agent.askUntil([sessions, { query }], holds(`"Réglage du cache"  ${id}`))
  await findsNot("quetzal")
})

test("a deleted session is gone", async () => {
  const id = await sessionOf("Short lived", "a thylacine")
  await finds("thylacine", id)
  await host.del(`/session/${id}`)
  assert.match(await findsNot("thylacine"), /thylacine: in no session/)
  assert.match(await agent.ask("history-read", { sessionID: id }), /neither OpenCode nor the index has it/)
})

test("a revert hides and counts, unrevert brings back, the next prompt drops", async () => {
  const id = await sessionOf("Two ways", "keep the anchor", "abandoned zeppelin")
  await finds("zeppelin", id)
  const messageID = await idOf(id, "abandoned zeppelin")
  const revert = () => host.post(`/session/${id}/revert`, { body: { messageID } })

  await revert()
  assert.match(await findsNot("zeppelin"), /\+1 match only in reverted messages \(include: \["reverted"\]\)/)
  assert.match(await finds("zeppelin", id, ["reverted"]), /only in reverted messages/)
  assert.match(await agent.ask("history-read", { sessionID: id }), /2 reverted messages are left out/)

  await host.post(`/session/${id}/unrevert`)
  await finds("zeppelin", id)

  await revert()
  await host.prompt(id, "another way")
  await finds("another way", id)
  const answer = await findsNot("zeppelin")
  assert.doesNotMatch(answer, /reverted/)
})

test("a fork's copies are one hit", async () => {
  const id = await sessionOf("Original", "the okapi decision")
  await finds("okapi", id)
  const fork = await host.post(`/session/${id}/fork`, { body: {} })
  assert.equal(fork.status, 200)
  const answer = await agent.askUntil([messages, { query: "okapi" }], holds("also in 1 fork"))
  assert.match(answer, /^1 session holds okapi/)
  assert.ok(answer.includes(`"Original"  ${id}`), answer)
})

test("a subagent's session is hidden and counted, its edits are shown", async () => {
  const parent = await host.createSession({ title: "Delegates" })
  const filePath = `${world.project.directory}/src/from-subagent.ts`
  world.model.add(
    call("task", { description: "look around", prompt: "find it", subagent_type: "general" }),
    call("write", { filePath, content: "export const wombat = 1\n" }),
    text("the wombat is there"),
    text("found"),
  )
  await host.prompt(parent.id, "delegate this")
  const query = '"the wombat is there" -"task_result"'
  const hidden = /\+1 match in subagent sessions \(include: \["subagents"\]\)/
  assert.match(await agent.askUntil([messages, { query }], holds("subagent sessions")), hidden)
  assert.match(
    await agent.ask(messages, { query, include: ["subagents"] }),
    new RegExp(`^1 session holds[^]*"look around \\(@general subagent\\)"[^]*\\(subagent of ${parent.id}\\)`),
  )
  const edits = await agent.askUntil(
    ["history-search-edits", { query: "path:src/from-subagent.ts" }],
    holds("done  write"),
  )
  assert.ok(edits.includes(`(subagent of ${parent.id})`), edits)
  assert.match(edits, /prompt msg_\w+ {2}find it\n.*done {2}write {2}src\/from-subagent\.ts/)
})

test("an archived session is hidden and counted", async () => {
  const id = await sessionOf("Old work", "a dodo was here")
  await finds("dodo", id)
  await host.patch(`/session/${id}`, { body: { time: { archived: Date.now() } } })
  assert.match(await findsNot("dodo"), /\+1 match in archived sessions \(include: \["archived"\]\)/)
  assert.match(await finds("dodo", id, ["archived"]), /\(archived\)/)
})

describe("the calling session", () => {
  test("is not searched: the model has it in its context", async () => {
    const id = await sessionOf("Live", "an axolotl in the lakebed")
    const self = await agentOf(world, host, id)
    await finds("lakebed", id)
    const answer = await self.ask(messages, { query: "axolotl" })
    assert.match(answer, /^No session holds axolotl/)
  })

  test("after a compaction what was dropped is found, and read verbatim", async () => {
    const verbatim = "The narwhal rule:\n\n  never retry a POST without a key."
    const id = await sessionOf("Compacted", verbatim)
    world.model.add(text("SUMMARY: a rule about retries"))
    const body = { providerID: "fake", modelID: "scripted" }
    assert.equal((await host.post(`/session/${id}/summarize`, { body })).status, 200)
    await host.prompt(id, "the beluga comes on tuesdays")
    const self = await agentOf(world, host, id)
    await finds("tuesdays", id)

    const [dropped = "", live = "", summary = ""] = await self.askAll([
      [messages, { query: "narwhal" }],
      [messages, { query: "beluga" }],
      [messages, { query: '"a rule about retries"' }],
    ])
    const messageID = await idOf(id, verbatim)
    assert.match(
      dropped,
      new RegExp(`^1 session holds[^]*"Compacted" {2}${id}.*before its last compaction[^]*user ${messageID}`),
    )
    assert.match(live, /^No session holds beluga/)
    assert.match(summary, /^No session holds/, "the summary is in the context too")

    const read = await self.ask("history-read", { messageID, before: 0, after: 0 })
    const page = readAnswer.parse(JSON.parse(read))
    assert.equal(page.sessionID, id)
    assert.deepEqual(
      page.messages.map((message) => message.content),
      [verbatim],
    )
  })

  test("answers of the tools are no hits, in no session", async () => {
    const id = await sessionOf("Source", "the pangolin rolls up")
    await finds('"pangolin rolls up"', id)
    const other = await agentOf(world, host)
    const seen: string[] = []
    for (const one of [other, other, agent])
      seen.push(await one.ask(messages, { query: '"the pangolin rolls up"' }))
    for (const answer of seen)
      assert.equal(
        heads(answer)
          .filter((head) => head !== other.sessionID)
          .join(),
        id,
      )
    const excerpts = [messages, "session_list", "history-read", "session_read"]
    for (const answer of seen)
      for (const name of excerpts) assert.doesNotMatch(answer, new RegExp(`${name}.*rolls up.*msg_`))
  })
})

test("an index of session_list opens that message in session_read", async () => {
  const id = await sessionOf(
    "Long one",
    ...Array.from({ length: 5 }, (_, at) => `prompt ${at}`),
    "the numbat",
  )
  const listed = sessionList.parse(
    JSON.parse(await agent.askUntil(["session_list", { search: "numbat" }], holds(id))),
  )
  const [session] = listed.sessions
  assert.equal(session?.sessionID, id)
  const index = session?.matches?.[0]?.index
  assert.equal(index, 10)
  const read = await agent.ask("session_read", { sessionID: id, offset: index, limit: 1 })
  assert.deepEqual(sessionRead.parse(JSON.parse(read)).messages, [
    { index: 10, role: "user", text: "the numbat" },
  ])
})

/** Session ids of an answer's blocks. */
function heads(answer: string): readonly string[] {
  return [...answer.matchAll(/^"(?:[^"\\]|\\.)*" {2}(ses_\w+)/gm)].map((found) => found[1] ?? "")
}

const readAnswer = z.looseObject({
  sessionID: z.string(),
  messages: z.array(z.looseObject({ messageID: z.string(), content: z.string() })),
})
const sessionList = z.looseObject({
  sessions: z.array(
    z.looseObject({
      sessionID: z.string(),
      matches: z.array(z.looseObject({ index: z.number() })).optional(),
    }),
  ),
})
const sessionRead = z.looseObject({
  messages: z.array(z.object({ index: z.number(), role: z.string(), text: z.string() })),
})
