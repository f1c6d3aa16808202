import assert from "node:assert/strict"
import { test } from "node:test"
import * as fc from "fast-check"
import { messageFromV1, sessionFromV1 } from "../../src/session/from-v1.ts"
import { costRatio } from "../growth.ts"

const info = { id: "msg_1", sessionID: "ses_1", role: "user" }

test("lone surrogates and NUL are replaced in every text, also inside tool input", () => {
  const bad = "a\ud800b\0c"
  const good = "a\uFFFDb\uFFFDc"
  const state = {
    status: "completed",
    input: { [bad]: [bad, { deep: bad }] },
    output: bad,
    title: bad,
    metadata: { bad },
  }
  const message = messageFromV1({
    info,
    parts: [
      { type: "text", text: bad, metadata: { bad } },
      { type: "reasoning", text: bad },
      { type: "file", mime: bad, filename: bad, url: bad },
      { type: "tool", tool: bad, callID: bad, state },
      { type: "patch", files: [bad] },
      { type: bad },
    ],
  })
  assert.equal(message?.malformed, 0)
  assert.doesNotMatch(JSON.stringify(message), /\\ud800|\\u0000/)
  assert.ok(JSON.stringify(message).includes(JSON.stringify({ [good]: [good, { deep: good }] })))
  assert.equal(sessionFromV1({ id: "ses_1", title: bad })?.title, good)
})

test("input that needs no repair is not copied", () => {
  const input = { list: [1, "a", { b: null }] }
  const message = messageFromV1({
    info,
    parts: [{ type: "tool", tool: "t", state: { status: "pending", input } }],
  })
  const part = message?.parts[0]
  assert.ok(part?.type === "tool" && part.input === input)
})

test("a key named __proto__ stays a key", () => {
  const input: unknown = JSON.parse('{"__proto__": {"polluted": "a\\u0000"}}')
  const message = messageFromV1({
    info,
    parts: [{ type: "tool", tool: "t", state: { status: "pending", input } }],
  })
  const part = message?.parts[0]
  assert.ok(part?.type === "tool")
  assert.deepEqual(Object.keys(part.input), ["__proto__"])
  assert.equal(Reflect.get(part.input, "polluted"), undefined)
})

test("input nested 5,000 deep neither throws nor is lost", () => {
  let input: unknown = "leaf"
  for (let depth = 0; depth < 5_000; depth++) input = { input }
  const message = messageFromV1({
    info,
    parts: [{ type: "tool", tool: "t", state: { status: "pending", input } }],
  })
  assert.deepEqual([message?.parts.length, message?.malformed], [1, 0])
})

test("any JSON gives a message whose parts add up, or nothing", () => {
  const kind = fc.constantFrom("text", "tool", "file", "patch", "reasoning", "compaction", "step-start")
  const part = fc.oneof(
    fc.jsonValue(),
    fc.record({ type: kind, text: fc.jsonValue(), tool: fc.jsonValue(), state: fc.jsonValue() }),
  )
  fc.assert(
    fc.property(fc.jsonValue(), fc.array(part), (value, parts) => {
      messageFromV1(value)
      sessionFromV1(value)
      const message = messageFromV1({ info, parts })
      assert.equal((message?.parts.length ?? 0) + (message?.malformed ?? 0), parts.length)
    }),
  )
})

test("100,000 messages take a part of what parsing their JSON costs", async () => {
  const state = {
    status: "completed",
    input: { filePath: "/a/b.ts", content: "x".repeat(400) },
    output: "y".repeat(400),
  }
  const parts = [
    { type: "step-start" },
    { type: "text", text: "word ".repeat(100) },
    { type: "tool", tool: "write", callID: "c", state },
  ]
  const json = JSON.stringify({ info, parts })
  const often = (work: () => unknown) => () => {
    for (let count = 0; count < 100_000; count++) work()
  }
  const ratio = await costRatio(
    often(() => JSON.parse(json)),
    often(() => messageFromV1({ info, parts })),
    1,
  )
  assert.ok(ratio <= 1, `${ratio.toFixed(2)} times what parsing their JSON costs`)
})
