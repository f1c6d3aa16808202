import { test } from "node:test"
import assert from "node:assert/strict"
import { tmpdir } from "node:os"
import type { Calls } from "../../src/hosts/v2/calls.ts"
import { draftMaker } from "../../src/hosts/v2/draft.ts"
import { bounded, type Http } from "../../src/hosts/v2/http.ts"
import { askOtherProject, createReplies } from "../../src/hosts/v2/permission.ts"

// A call that was not answered in time may still have been carried out: what changes something is not made again.

function never() {
  return bounded("call", () => new Promise(() => undefined), 1)
}

test("a draft is not put into a second session", async () => {
  let created = 0
  const calls: Calls = {
    session: never,
    sessions: never,
    messages: never,
    message: never,
    updateSession: never,
    async createSession() {
      created++
      return never()
    },
  }
  const drafts = draftMaker({
    calls,
    directory: "/work",
    dataDir: tmpdir(),
    hostDir: tmpdir(),
    injects: true,
  })
  const made = await drafts.make({ text: "go on\n", sourceSessionIDs: ["ses_1"], title: "Handoff" })
  assert.ok(!made.ok && made.fault.reason === "failed" && /no answer/.test(made.fault.message))
  assert.equal(created, 1)
})

test("the user is not asked a second time", async () => {
  let asked = 0
  const http: Http = async (_what, request) => {
    if (request.method === "POST") asked++
    return never()
  }
  const answer = await askOtherProject(
    { http, replies: createReplies(), choice: "ask", always: new Set() },
    questionFor("/other"),
  )
  assert.ok(!answer.granted && /no answer/.test(answer.message))
  assert.equal(asked, 1)
})

test("a folder's name cannot break the question or the answer", async () => {
  const bodies: string[] = []
  const http: Http = async (_what, request) => {
    bodies.push(JSON.stringify(request.body))
    return { ok: true, value: { effect: "deny" } }
  }
  const asking = { http, replies: createReplies(), always: new Set<string>() }
  for (const choice of ["ask", "deny"] as const) {
    const answer = await askOtherProject({ ...asking, choice }, questionFor("/a\nb"))
    assert.ok(!answer.granted && answer.message.includes("/a\\nb") && !answer.message.includes("\n"))
  }
  assert.match(
    bodies.join(""),
    /"reason":"opencode-baton: read sessions of \/a\\\\nb","title":"two\\\\nlines"/,
  )
})

function questionFor(directory: string) {
  const target = {
    id: "ses_2",
    title: "two\nlines",
    projectID: "p2",
    directory,
    created: 1,
    updated: 1,
    metadata: {},
  }
  const call = { sessionID: "ses_1", messageID: "msg_1", callID: "call_1" }
  return { target, ...call, signal: new AbortController().signal }
}
