import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { messageFromV1, messagesFromV1, partFromV1, sessionFromV1 } from "../../src/session/from-v1.ts"

const ids = { id: "prt_1", sessionID: "ses_1", messageID: "msg_1" }
const noTool = { title: "", output: "", error: "", input: {}, metadata: {} }

describe("each kind of part", () => {
  reads(
    { type: "text", text: "hi" },
    { type: "text", text: "hi", synthetic: false, ignored: false, metadata: {} },
  )
  reads(
    { type: "text", text: "hi", synthetic: true, ignored: true, metadata: { a: 1 } },
    { type: "text", text: "hi", synthetic: true, ignored: true, metadata: { a: 1 } },
  )
  reads(
    { type: "text", text: "" },
    { type: "text", text: "", synthetic: false, ignored: false, metadata: {} },
  )
  reads({ type: "reasoning", text: "hm", time: { start: 1 } }, { type: "reasoning", text: "hm" })
  reads(
    { type: "file", mime: "text/plain", filename: "a.ts", url: "file:///a.ts" },
    { type: "file", mime: "text/plain", filename: "a.ts", url: "file:///a.ts" },
  )
  reads(
    { type: "file", mime: "image/png", url: "data:," },
    { type: "file", mime: "image/png", filename: "", url: "data:," },
  )
  reads(
    {
      type: "tool",
      tool: "bash",
      callID: "c",
      state: { status: "pending", input: { command: "ls" }, raw: "{" },
    },
    { ...noTool, type: "tool", tool: "bash", callID: "c", status: "pending", input: { command: "ls" } },
  )
  reads(
    {
      type: "tool",
      tool: "bash",
      callID: "c",
      state: { status: "running", input: {}, title: "soon", time: { start: 1 } },
    },
    { ...noTool, type: "tool", tool: "bash", callID: "c", status: "running" },
  )
  reads(
    {
      type: "tool",
      tool: "bash",
      callID: "c",
      state: {
        status: "completed",
        input: { a: 1 },
        output: "out",
        title: "ls",
        metadata: { exit: 0 },
        time: {},
      },
    },
    {
      type: "tool",
      tool: "bash",
      callID: "c",
      status: "completed",
      input: { a: 1 },
      output: "out",
      title: "ls",
      error: "",
      metadata: { exit: 0 },
    },
  )
  reads(
    {
      type: "tool",
      tool: "bash",
      callID: "c",
      state: { status: "error", input: {}, error: "boom", output: "x" },
    },
    { ...noTool, type: "tool", tool: "bash", callID: "c", status: "error", error: "boom" },
  )
  reads({ type: "patch", hash: "h", files: ["/a", 1, "/b"] }, { type: "patch", files: ["/a", "/b"] })
  reads({ type: "compaction", auto: true }, { type: "compaction", auto: true })
  reads({ type: "compaction" }, { type: "compaction", auto: false })
  for (const kind of [
    "snapshot",
    "subtask",
    "retry",
    "agent",
    "step-start",
    "step-finish",
    "from-the-future",
  ])
    reads({ type: kind, anything: [1] }, { type: "other", kind })

  function reads(raw: object, expected: object): void {
    test(JSON.stringify(raw), () => assert.deepEqual(partFromV1({ ...ids, ...raw }), expected))
  }
})

describe("a part without a usable shape", () => {
  const tool = { type: "tool", tool: "bash", callID: "c", state: { status: "completed" } }
  for (const raw of [
    undefined,
    null,
    7,
    "text",
    [],
    {},
    { type: 7 },
    { type: "" },
    { type: "text" },
    { type: "text", text: null },
    { type: "text", text: { value: "x" } },
    { type: "reasoning", text: [] },
    { type: "file", mime: "text/plain" },
    { type: "patch", files: null },
    { ...tool, tool: null },
    { ...tool, tool: {} },
    { ...tool, tool: 42 },
    { ...tool, tool: "  " },
    { ...tool, state: null },
    { ...tool, state: [] },
    { ...tool, state: { status: "done" } },
  ])
    test(JSON.stringify(raw) ?? "undefined", () => assert.equal(partFromV1(raw), undefined))
})

test("wrong fields inside a usable part become empty", () => {
  const state = { status: "completed", input: "x", output: 7, title: null, metadata: [] }
  assert.deepEqual(partFromV1({ type: "tool", tool: "t", callID: {}, state }), {
    ...noTool,
    type: "tool",
    tool: "t",
    callID: "",
    status: "completed",
  })
})

describe("a message", () => {
  const info = { id: "msg_1", sessionID: "ses_1", role: "assistant", time: { created: 5 } }

  test("keeps its parts in order and counts the broken ones", () => {
    const parts = [{ type: "text", text: "a" }, null, { type: "text", text: 1 }, { type: "step-start" }]
    assert.deepEqual(messageFromV1({ info: { ...info, summary: true }, parts }), {
      id: "msg_1",
      sessionID: "ses_1",
      role: "assistant",
      created: 5,
      summary: true,
      parts: [
        { type: "text", text: "a", synthetic: false, ignored: false, metadata: {} },
        { type: "other", kind: "step-start" },
      ],
      malformed: 2,
    })
  })

  for (const parts of [null, undefined, {}, "x"])
    test(`with parts ${JSON.stringify(parts)} has none and counts one`, () => {
      const message = messageFromV1({ info, parts })
      assert.deepEqual([message?.parts, message?.malformed], [[], 1])
    })

  test("of a user is no summary, whatever its summary of changes says", () => {
    assert.equal(
      messageFromV1({ info: { ...info, role: "user", summary: { diffs: [] } }, parts: [] })?.summary,
      false,
    )
    assert.equal(messageFromV1({ info: { ...info, role: "user", summary: true }, parts: [] })?.summary, false)
  })

  test("without a time is created at 0", () => {
    for (const time of [null, { created: 1e300 }])
      assert.equal(messageFromV1({ info: { ...info, time }, parts: [] })?.created, 0)
  })

  for (const broken of [
    { id: "" },
    { id: 1 },
    { id: "msg_1\n" },
    { id: "msg_\u001B[2J" },
    { sessionID: null },
    { role: "system" },
    { role: undefined },
  ])
    test(`is refused with ${JSON.stringify(broken)}`, () => {
      assert.equal(messageFromV1({ info: { ...info, ...broken }, parts: [] }), undefined)
    })

  for (const value of [undefined, null, 1, [], {}, { info: null }, { info: [] }])
    test(`is refused: ${JSON.stringify(value)}`, () => assert.equal(messageFromV1(value), undefined))
})

describe("a session", () => {
  test("with everything", () => {
    const raw = {
      id: "ses_1",
      title: "T",
      projectID: "p",
      directory: "/d",
      parentID: "ses_0",
      time: { created: 1, updated: 2, archived: 3 },
      revert: { messageID: "msg_9", partID: "prt_1" },
      metadata: { from: "x" },
      version: "1.18.33",
    }
    assert.deepEqual(sessionFromV1(raw), {
      id: "ses_1",
      title: "T",
      projectID: "p",
      directory: "/d",
      parentID: "ses_0",
      created: 1,
      updated: 2,
      archived: 3,
      revertedFrom: "msg_9",
      metadata: { from: "x" },
    })
  })

  test("with an id alone", () => {
    assert.deepEqual(sessionFromV1({ id: "ses_1", title: null, time: "now", revert: {}, parentID: "" }), {
      id: "ses_1",
      title: "",
      projectID: "",
      directory: "",
      created: 0,
      updated: 0,
      metadata: {},
    })
  })

  test("with a time that no calendar has is as one without", () => {
    for (const time of [1e300, -8.64e15 - 1, Infinity, NaN, "1", null]) {
      const read = sessionFromV1({ id: "ses_1", time: { created: time, updated: time, archived: time } })
      assert.deepEqual([read?.created, read?.updated, read?.archived], [0, 0, undefined])
    }
    assert.equal(sessionFromV1({ id: "ses_1", time: { updated: 8.64e15 } })?.updated, 8.64e15)
  })

  for (const value of [undefined, null, "ses_1", [], {}, { id: "" }, { id: 7 }, { id: "ses_1\nses_2" }])
    test(`is refused: ${JSON.stringify(value)}`, () => assert.equal(sessionFromV1(value), undefined))
})

describe("a page of messages", () => {
  const row = (id: unknown, role: string, created?: number) => ({
    info: { id, sessionID: "ses_1", role, ...(created === undefined ? {} : { time: { created } }) },
    parts: [{ type: "text", text: "x" }],
  })
  test("keeps the place of what is no message, counted once", () => {
    const rows = [
      row("msg_1", "user", 5),
      row("msg_2", "oracle", 6),
      row(7, "user"),
      null,
      row("msg_3", "user", 9),
    ]
    assert.deepEqual(
      messagesFromV1(rows, "ses_1").map((message) => [message.id, message.created, message.malformed]),
      [
        ["msg_1", 5, 0],
        ["msg_2", 6, 1],
        ["msg_2~unreadable", 6, 1],
        ["msg_2~unreadable~unreadable", 6, 1],
        ["msg_3", 9, 0],
      ],
    )
    assert.equal(messagesFromV1([null], "ses_1")[0]?.id, "~unreadable")
  })
})
