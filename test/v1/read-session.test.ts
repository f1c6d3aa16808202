import { after, before, describe, test } from "node:test"
import assert from "node:assert/strict"
import { dirname } from "node:path"
import { BUILT_PLUGIN } from "../hosts/host-config.ts"
import { call, text, type Reply } from "../hosts/reply.ts"
import { lastUserTexts, type ModelRequest } from "../hosts/request.ts"
import { run } from "../hosts/run.ts"
import { serve, type Serve } from "../hosts/serve.ts"
import { makeWorld, type World } from "../hosts/world.ts"
import { lastToolAnswer } from "./scripts.ts"

// read_session on the real host. The user's text is the tool call: `tool {json}`.

function script(request: ModelRequest): Reply {
  const asked = /^(\w+) (\{.*\})$/s.exec(lastUserTexts(request)[0] ?? "")
  if (request.body.messages.at(-1)?.role === "user" && asked?.[1] !== undefined)
    return call(asked[1], asked[2] ?? "{}")
  return text("An answer.")
}

let world: World
let host: Serve

/** A project's own config, with the plugin: so one host serves projects with different options. */
function withPlugin(options: object, more: object = {}): string {
  return JSON.stringify({ plugin: [[BUILT_PLUGIN, options]], ...more })
}

before(async () => {
  world = await makeWorld({ script, plugins: [] })
  world.project.write("opencode.json", withPlugin({}))
  host = await serve(world)
})
after(() => world.stop())

async function read(input: Record<string, unknown>): Promise<Record<string, unknown>> {
  const caller = await host.createSession()
  await host.prompt(caller.id, `read_session ${JSON.stringify(input)}`)
  return lastToolAnswer(world.model, "read_session")
}

async function sessionOf(...prompts: string[]): Promise<string> {
  const session = await host.createSession()
  for (const prompt of prompts) await host.prompt(session.id, prompt)
  return session.id
}

test("text, attachments and tools, completed and failed", async () => {
  const session = await host.createSession()
  const note = world.project.write("note.txt", "the note\n")
  await host.prompt(session.id, [
    { type: "text", text: "Look at this." },
    { type: "file", mime: "text/plain", filename: "note.txt", url: `file://${note}` },
    { type: "text", text: "never shown", synthetic: true },
  ])
  await host.prompt(session.id, `read {"filePath":${JSON.stringify(note)}}`)
  await host.prompt(session.id, `read {"filePath":${JSON.stringify(`${note}.gone`)}}`)
  const answer = await read({ sessionId: session.id })
  assert.equal(answer["ok"], true)
  assert.equal(answer["sessionId"], session.id)
  const transcript = String(answer["transcript"])
  assert.match(transcript, /^## User\nLook at this\.\n\[Attached: note\.txt\]\n\n## Assistant\nAn answer\./)
  assert.match(transcript, /\[Tool: read\] \S+/)
  assert.match(transcript, /\[Tool: read\] failed: File not found: \S+note\.txt\.gone/)
  assert.equal(transcript.includes("never shown"), false)
  assert.equal(transcript.includes("the note\n1:"), false)
  assert.match(transcript, new RegExp(`\\(End of session — ${String(answer["count"])} messages\\)$`))
})

test("a compaction is shown as a summary, what came before it in full", async () => {
  const session = await sessionOf("The decision is blue.")
  world.model.script((request) =>
    request.body.tools === undefined ? text("SUMMARY of it") : script(request),
  )
  await host.post(`/session/${session}/summarize`, { body: { providerID: "fake", modelID: "scripted" } })
  world.model.script(script)
  const transcript = String((await read({ sessionId: session }))["transcript"])
  assert.match(transcript, /The decision is blue\.[^]*## Summary \(compaction\)\nSUMMARY of it/)
})

test("reverted messages are left out and counted", async () => {
  const session = await sessionOf("kept prompt", "dropped prompt")
  const dropped = (await host.messages(session)).find(
    (message) => message.parts[0]?.text === "dropped prompt",
  )
  await host.post(`/session/${session}/revert`, { body: { messageID: dropped?.info.id } })
  const answer = await read({ sessionId: session })
  assert.equal(answer["count"], 2)
  assert.equal(String(answer["transcript"]).includes("dropped prompt"), false)
  assert.match(String(answer["transcript"]), /2 reverted/)
})

describe("limit", () => {
  const shown: [limit: unknown, count: number][] = [
    [0, 1],
    [1, 1],
    [2, 2],
    ["2", 2],
    [500, 6],
    [501, 6],
    [null, 6],
    [undefined, 6],
  ]
  let session = ""
  before(async () => {
    session = await sessionOf("one", "two", "three")
  })
  for (const [limit, count] of shown)
    test(`${JSON.stringify(limit) ?? "none"} shows ${count}`, async () => {
      const answer = await read({ sessionId: session, limit })
      assert.equal(answer["count"], count)
      const ending =
        count < 6
          ? `(Showing ${count} most recent messages. Use a higher 'limit' to see more.)`
          : "(End of session — 6 messages)"
      assert.ok(String(answer["transcript"]).endsWith(ending), String(answer["transcript"]))
    })
  test("a word is an error with the value", async () => {
    assert.match(String((await read({ sessionId: session, limit: "many" }))["error"]), /`limit` is "many"/)
  })
})

describe("which session", () => {
  test("a link around the id", async () => {
    const session = await sessionOf("linked")
    const answer = await read({ sessionId: `see https://opencode.ai/s/${session}?x=1.` })
    assert.equal(answer["sessionId"], session)
  })
  const bad: [input: Record<string, unknown>, error: RegExp][] = [
    [{ sessionId: "ses_00000000000000000000000000" }, /ses_00000000000000000000000000/],
    [{ sessionId: "no id in here" }, /no id in here/],
    [{}, /`sessionId` is required/],
    [{ sessionID: "ses_1" }, /unknown argument `sessionID`, did you mean `sessionId`/],
  ]
  for (const [input, error] of bad)
    test(JSON.stringify(input), async () => {
      const answer = await read(input)
      assert.equal(answer["ok"], false)
      assert.match(String(answer["error"]), error)
    })
  test("an empty session is another error than an unknown one", async () => {
    const empty = await host.createSession()
    const answer = await read({ sessionId: empty.id })
    assert.equal(answer["ok"], false)
    assert.match(String(answer["error"]), /no messages/)
  })
})

test("a long session stays under what the host passes on, and says what was dropped", async () => {
  const session = await host.createSession()
  for (let index = 0; index < 12; index++)
    await host.prompt(session.id, `${index} ${"long text ".repeat(800)}`)
  const answer = await read({ sessionId: session.id, limit: 500 })
  assert.equal(answer["ok"], true, "the host did not cut it")
  assert.ok(Buffer.byteLength(JSON.stringify(answer)) <= 48 * 1024)
  assert.match(String(answer["transcript"]), /11 long text/)
  assert.ok(Number(answer["count"]) < 24)
})

describe("a session of another project", () => {
  const askKey = "read sessions of "

  async function readOther(
    reply: "once" | "always" | "reject" | undefined,
  ): Promise<Record<string, unknown>> {
    const other = world.addProject(`other-${String(reply)}`)
    const elsewhere = await host.in(other.directory).createSession()
    await host.in(other.directory).prompt(elsewhere.id, "the secret plan")
    const events = await host.events()
    const caller = await host.createSession()
    const turn = host.prompt(caller.id, `read_session {"sessionId":"${elsewhere.id}"}`)
    const asked = await events.waitFor((event) => event.type === "permission.asked")
    const request = asked.properties as { id: string; permission: string }
    assert.equal(request.permission, askKey + other.directory)
    await host.post(`/permission/${request.id}/reply`, { body: { reply } })
    await turn
    const first = lastToolAnswer(world.model, "read_session")
    if (reply !== "always") return first
    const again = await host.createSession()
    await host.prompt(again.id, `read_session {"sessionId":"${elsewhere.id}"}`)
    assert.equal(events.seen().filter((event) => event.type === "permission.asked").length, 1, "asked once")
    return lastToolAnswer(world.model, "read_session")
  }

  test("is read when the user allows it", async () => {
    assert.match(String((await readOther("once"))["transcript"]), /the secret plan/)
  })
  test("is not asked for again after always", async () => {
    assert.match(String((await readOther("always"))["transcript"]), /the secret plan/)
  })
  test("is not read when the user refuses", async () => {
    const answer = await readOther("reject")
    assert.equal(answer["ok"], false)
    assert.match(String(answer["error"]), /refused/)
    assert.equal(JSON.stringify(answer).includes("secret plan"), false)
  })
  test("`opencode run` cannot ask: it refuses and names the option", async () => {
    const other = world.addProject("other-run")
    const elsewhere = await host.in(other.directory).createSession()
    await host.in(other.directory).prompt(elsewhere.id, "the secret plan")
    await run(world, { prompt: `read_session {"sessionId":"${elsewhere.id}"}` })
    const answer = lastToolAnswer(world.model, "read_session")
    assert.equal(answer["ok"], false)
    assert.match(String(answer["error"]), /otherProjects/)
  })
  for (const [choice, readable] of [
    ["allow", true],
    ["deny", false],
  ] as const)
    test(`otherProjects: "${choice}" asks nobody`, async () => {
      const [home, other] = [world.addProject(`home-${choice}`), world.addProject(`other-${choice}`)]
      home.write("opencode.json", withPlugin({ otherProjects: choice }))
      const elsewhere = await host.in(other.directory).createSession()
      await host.in(other.directory).prompt(elsewhere.id, "the open plan")
      const caller = await host.in(home.directory).createSession()
      await host.in(home.directory).prompt(caller.id, `read_session {"sessionId":"${elsewhere.id}"}`)
      const answer = lastToolAnswer(world.model, "read_session")
      assert.equal(answer["ok"], readable)
      assert.match(JSON.stringify(answer), readable ? /the open plan/ : /otherProjects is \\"deny\\"/)
    })

  test("the user's rule for one project decides, and the others are still asked for", async () => {
    const [home, denied, allowed, asked] = ["ruled", "denied", "allowed", "asked"].map((name) =>
      world.addProject(name),
    )
    assert.ok(home && denied && allowed && asked)
    const permission = {
      [`${askKey}${denied.directory}`]: "deny",
      [`${askKey}${allowed.directory}`]: "allow",
    }
    home.write("opencode.json", withPlugin({}, { permission }))
    const server = host.in(home.directory)
    const events = await server.events()
    const readFrom = async (directory: string) => {
      const elsewhere = await host.in(directory).createSession()
      await host.in(directory).prompt(elsewhere.id, "the plan")
      const caller = await server.createSession()
      const turn = server.prompt(caller.id, `read_session {"sessionId":"${elsewhere.id}"}`)
      if (directory === asked.directory) {
        const question = await events.waitFor((event) => event.type === "permission.asked")
        await server.post(`/permission/${String(question.properties["id"])}/reply`, {
          body: { reply: "once" },
        })
      }
      await turn
      return lastToolAnswer(world.model, "read_session")["ok"]
    }
    assert.equal(await readFrom(denied.directory), false)
    assert.equal(await readFrom(allowed.directory), true)
    assert.equal(events.seen().filter((event) => event.type === "permission.asked").length, 0)
    assert.equal(await readFrom(asked.directory), true)
    await events.close()
  })

  test("of another folder without a repository counts as one; an excluded folder's does not exist", async () => {
    world.write("plain/opencode.json", withPlugin({ otherProjects: "deny", exclude: ["**/secret"] }))
    const folder = (name: string) => host.in(dirname(world.write(`plain/${name}/x.txt`, "")))
    const made: Record<string, string> = {}
    for (const name of ["here", "here/below", "elsewhere", "secret"]) {
      const session = await folder(name).createSession()
      await folder(name).prompt(session.id, `the plan of ${name}`)
      assert.equal(session.projectID, "global")
      made[name] = session.id
    }
    const answers: string[] = []
    for (const target of Object.values(made)) {
      const caller = await folder("here").createSession()
      await folder("here").prompt(caller.id, `read_session {"sessionId":"${target}"}`)
      answers.push(JSON.stringify(lastToolAnswer(world.model, "read_session")))
    }
    assert.match(answers[0] ?? "", /the plan of here/)
    assert.match(answers[1] ?? "", /the plan of here\/below/)
    assert.match(answers[2] ?? "", /otherProjects is \\"deny\\"/)
    assert.match(answers[3] ?? "", /does not exist/)
  })
})
