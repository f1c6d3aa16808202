import { describe, test } from "node:test"
import assert from "node:assert/strict"
import * as fc from "fast-check"
import { messageDocuments } from "../../src/history/documents/documents.ts"
import { editsOf } from "../../src/history/documents/edits.ts"
import { activityFromV2, messageFromV2, sessionFromV2 } from "../../src/session/from-v2.ts"
import type { Message, Part } from "../../src/session/model.ts"

const SESSION = "ses_1"

function message(value: Record<string, unknown>): Message {
  const read = messageFromV2({ id: "msg_1", time: { created: 5 }, ...value }, SESSION)
  assert.ok(read)
  return read
}

function tool(state: Record<string, unknown>, name = "read"): Part | undefined {
  return message({ type: "assistant", content: [{ type: "tool", id: "c1", name, state }] }).parts[0]
}

describe("a session", () => {
  test("of 2.0.16", () => {
    const given = {
      id: SESSION,
      projectID: "p",
      title: "T",
      location: { directory: "/d" },
      parentID: "ses_0",
      time: { created: 1, updated: 2, idle: 9, archived: 3 },
      revert: { messageID: "msg_7" },
      metadata: { a: 1 },
    }
    assert.deepEqual(sessionFromV2(given), {
      id: SESSION,
      title: "T",
      projectID: "p",
      directory: "/d",
      created: 1,
      updated: 2,
      metadata: { a: 1 },
      parentID: "ses_0",
      archived: 3,
      revertedFrom: "msg_7",
    })
    assert.equal(activityFromV2(given), 9)
  })
  test("in the flat form of an event", () => {
    assert.equal(sessionFromV2({ id: SESSION, directory: "/d" })?.directory, "/d")
  })
  test("without a title or times", () => {
    assert.deepEqual([sessionFromV2({ id: SESSION })?.title, activityFromV2({ id: SESSION })], ["", 0])
    assert.equal(activityFromV2({ id: SESSION, time: { updated: 1e300, idle: 5 } }), 5)
  })
  for (const value of [undefined, null, 5, [], {}, { id: "" }, { id: 5 }, { id: "ses_1\nses_2" }])
    test(`none from ${JSON.stringify(value)}`, () => assert.equal(sessionFromV2(value), undefined))
})

describe("each type of message", () => {
  const rows: readonly [string, Record<string, unknown>, Partial<Message>][] = [
    ["user", { text: "hi" }, { role: "user", summary: false }],
    ["assistant", { content: [{ type: "text", text: "yo" }] }, { role: "assistant", summary: false }],
    ["synthetic", { text: "note" }, { role: "user" }],
    ["system", { text: "note" }, { role: "user" }],
    ["skill", { skill: "s", name: "n", text: "note" }, { role: "user" }],
    [
      "compaction",
      { status: "completed", reason: "auto", summary: "all of it" },
      { role: "assistant", summary: true },
    ],
    [
      "compaction",
      { status: "running", reason: "auto", summary: "", recent: "" },
      { role: "assistant", summary: false },
    ],
    ["compaction", { status: "failed", reason: "manual", error: { message: "x" } }, { summary: false }],
    ["agent-switched", { agent: "plan" }, { parts: [{ type: "other", kind: "agent-switched" }] }],
    ["idle", { outcome: "succeeded" }, { parts: [{ type: "other", kind: "idle" }] }],
    ["of-tomorrow", {}, { parts: [{ type: "other", kind: "of-tomorrow" }] }],
  ]
  for (const [type, value, expected] of rows)
    test(`${type} ${JSON.stringify(value)}`, () => {
      const read = message({ type, ...value })
      assert.deepEqual({ ...read, ...expected }, read)
      assert.deepEqual([read.created, read.malformed], [5, 0])
    })

  test("an answer without a list of parts has one broken part", () => {
    for (const content of [null, {}, undefined])
      assert.equal(message({ type: "assistant", content }).malformed, 1)
    assert.equal(message({ type: "assistant", content: [] }).malformed, 0)
  })
  test("host-written text is no one's words", () => {
    for (const type of ["synthetic", "system", "skill"])
      assert.equal(documentText(message({ type, text: "note" })), "")
  })
  test("a command the user ran is a finished call with its output", () => {
    const read = message({
      type: "shell",
      shellID: "sh_1",
      command: "ls",
      status: "exited",
      exit: 2,
      output: { output: "a\nb" },
    })
    assert.match(documentText(read), /ls[^]*a\nb/)
    assert.equal(message({ type: "shell", command: "ls", status: "running" }).parts[0]?.type, "tool")
  })
})

describe("tool states", () => {
  test("streaming: the input is unfinished text", () => {
    const part = tool({ status: "streaming", input: '{"path":"a' })
    assert.deepEqual(part?.type === "tool" && [part.status, part.input], ["pending", {}])
  })
  test("completed, content parts", () => {
    const part = tool({
      status: "completed",
      input: { path: "a" },
      content: [
        { type: "text", text: "x" },
        { type: "file", uri: "data:,", mime: "a/b" },
        { type: "text", text: "y" },
      ],
    })
    assert.equal(part?.type === "tool" && part.output, "x\ny")
  })
  test("completed before GA: structured result", () => {
    const part = tool({ status: "completed", input: {}, structured: { content: "x" } })
    assert.equal(part?.type === "tool" && part.output, '{"content":"x"}')
  })
  for (const error of [{ type: "unknown", message: "no" }, "no"])
    test(`error ${JSON.stringify(error)}`, () => {
      const part = tool({ status: "error", input: {}, error })
      assert.equal(part?.type === "tool" && part.error, "no")
    })
  test("an unknown status is counted and not guessed", () => {
    const read = message({
      type: "assistant",
      content: [{ type: "tool", id: "c", name: "x", state: { status: "paused" } }],
    })
    assert.deepEqual([read.parts.length, read.malformed], [0, 1])
  })
  for (const place of ["metadata", "structured"])
    test(`Code Mode's inner calls are seen (${place})`, () => {
      const calls = [
        { tool: "edit", status: "completed", input: { path: "src/a.ts", oldString: "a", newString: "b" } },
        { tool: "tools.grep", status: "error", input: { pattern: "needle" }, error: "bad" },
      ]
      const state = {
        status: "completed",
        input: { code: "await tools.edit()" },
        content: [{ type: "text", text: "ok" }],
        [place]: { toolCalls: calls },
      }
      const read = message({
        type: "assistant",
        content: [{ type: "tool", id: "c", name: "execute", state }],
      })
      assert.deepEqual(
        read.parts.map((part) => part.type === "tool" && [part.tool, part.status]),
        [
          ["execute", "completed"],
          ["edit", "completed"],
          ["tools.grep", "error"],
        ],
      )
      assert.deepEqual(
        editsOf(read, "/d").map((edit) => edit.path),
        ["/d/src/a.ts"],
      )
      assert.match(documentText(read), /needle/)
    })
  for (const name of ["path", "filePath"])
    test(`an edit's file is in \`${name}\``, () => {
      const state = {
        status: "completed",
        input: { [name]: "a.ts", oldString: "1", newString: "2" },
        content: [{ type: "text", text: "ok" }],
      }
      const read = message({ type: "assistant", content: [{ type: "tool", id: "c", name: "edit", state }] })
      assert.deepEqual(
        editsOf(read, "/d").map((edit) => edit.path),
        ["/d/a.ts"],
      )
    })
})

test("files a turn changed are its patch, relative to the session's directory", () => {
  const read = message({
    type: "assistant",
    content: [],
    snapshot: { start: "x", files: ["src/a.ts", 5, ""] },
  })
  assert.deepEqual(
    editsOf(read, "/d").map((edit) => [edit.path, edit.kind]),
    [["/d/src/a.ts", "snapshot"]],
  )
})

test("an attachment's content is never taken along, its name is", () => {
  const secret = Buffer.from("attached content").toString("base64")
  const files = [
    { data: secret, mime: "text/plain", source: { type: "inline" }, name: "notes.txt" },
    { data: secret, mime: "text/plain", source: { type: "uri", uri: "file:///d/a.ts" } },
    {
      data: secret,
      mime: "image/png",
      source: { type: "uri", uri: `data:image/png;base64,${secret}` },
      name: "shot.png",
    },
  ]
  const read = message({ type: "user", text: "look", files })
  assert.equal(JSON.stringify(read).includes(secret), false)
  assert.match(documentText(read), /^look\nnotes.txt\nfile:\/\/\/d\/a.ts\nshot.png$/)
})

test("whatever is delivered, nothing is thrown and no lone surrogate comes through", () => {
  fc.assert(
    fc.property(
      fc.anything(),
      fc.constantFrom("user", "assistant", "shell", "compaction", "x"),
      (value, type) => {
        const rest: object =
          typeof value === "object" && value !== null
            ? value
            : { content: [value], text: value, files: [value] }
        const read = messageFromV2({ ...rest, id: "msg_1", type }, SESSION)
        assert.ok(read)
        assert.doesNotThrow(() => documentText(read))
        sessionFromV2(value)
        activityFromV2(value)
      },
    ),
    { numRuns: 300 },
  )
  assert.equal(documentText(message({ type: "user", text: "a\ud800b" })), "a\ufffdb")
})

function documentText(read: Message): string {
  return messageDocuments(read, { maskSecrets: false, directory: "/d" }).text
}

test("the files of a tool's result are named, their bytes are left where they are", () => {
  const content = [
    { type: "text", text: "Image read successfully" },
    { type: "file", uri: "data:image/png;base64,AAAA", mime: "image/png", name: "a.png" },
    { type: "file", uri: "file:///tmp/b.pdf" },
  ]
  const files = [
    { filename: "a.png", mime: "image/png" },
    { filename: "b.pdf", mime: "" },
  ]
  const part = tool({ status: "completed", content })
  assert.ok(part?.type === "tool")
  assert.deepEqual([part.output, part.attachments], ["Image read successfully", files])
  const bare = tool({ status: "completed", content: content.slice(1), structured: { data: "AAAA" } })
  assert.ok(bare?.type === "tool")
  assert.deepEqual([bare.output, bare.attachments], ["", files])
})
