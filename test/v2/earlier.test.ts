import { test } from "node:test"
import assert from "node:assert/strict"
import * as z from "zod"
import { SLOW, until } from "../hosts/v2/asking.ts"
import { contractHost } from "../hosts/v2/host.ts"
import { contractTerminal } from "../hosts/v2/terminal.ts"

// The names and shapes of the releases before: tool calls and their states, replies to questions, a template in the
// place of the command.

const answerSchema = z.looseObject({ sessionId: z.string(), draft: z.string() })

test("drafts, questions, searches and transcripts work over the earlier shapes", SLOW, async () => {
  const host = await contractHost({ shapes: "earlier", command: "update" })
  let terminal: Awaited<ReturnType<typeof contractTerminal>> | undefined
  try {
    await host.load()
    const source = host.store.put({ title: "Source" }).id
    terminal = await contractTerminal(host)
    terminal.open(source)
    await until("the source is on screen", () => terminal?.screen() === source)

    const made = await host.tool(source, "handoff_session", { prompt: "an early eland" })
    const answer = answerSchema.parse(JSON.parse(made.content))
    await until("the draft is shown", () => terminal?.promptText() === answer.draft)

    const elsewhere = host.store.put({ projectID: "prj_other", location: { directory: "/elsewhere" } }).id
    host.store.write(elsewhere, { type: "user", text: "far fossa" })
    const other = await host.tool(source, "read_session", { sessionId: elsewhere })
    assert.match(other.content, /far fossa/)
    assert.equal(host.questions.length, 1)

    const caller = host.store.put({ title: "Caller" }).id
    const transcript = await host.tool(caller, "read_session", { sessionId: source })
    assert.match(transcript.content, /\[Tool: handoff_session\]/)
    await until("it is found", async () => {
      const { content } = await host.tool(caller, "history-search-messages", { query: "eland" })
      return content.includes(source) || content.includes(answer.sessionId)
    })
    const listed = await host.tool(caller, "session_list", {})
    assert.match(JSON.stringify(listed.output), new RegExp(source))

    await host.command(caller, "handoff", "a goal !`touch x`")
    assert.deepEqual(host.executed, [])
    assert.match(host.requests.at(-1) ?? "", /^Write a handoff/)
    assert.deepEqual([...host.violations, ...terminal.violations], [])
  } finally {
    terminal?.close()
    await host.stop()
  }
})
