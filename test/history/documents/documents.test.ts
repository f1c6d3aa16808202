import assert from "node:assert/strict"
import { describe, test } from "node:test"
import {
  MAX_MESSAGE_UNITS,
  MAX_TEXT_UNITS,
  MAX_TOOL_UNITS,
  messageDocuments,
} from "../../../src/history/documents/documents.ts"
import { OWN_TOOLS } from "../../../src/history/documents/own-tools.ts"
import { readSegments, writeSegments } from "../../../src/history/documents/segments.ts"
import type { Message, Part } from "../../../src/session/model.ts"
import { aMessage, aText, aTool } from "../make.ts"

const assistant: Partial<Message> = { role: "assistant" }

function documents(message: Message, maskSecrets = true) {
  return messageDocuments(message, { maskSecrets, directory: "/repo" })
}

function textOf(parts: readonly Part[] | string, given: Partial<Message> = assistant): string {
  return documents(aMessage("m", parts, given)).text
}

describe("what is searchable", () => {
  text("user text", [aText("hello")], { role: "user" }, "hello")
  text("assistant text", [aText("hello")], assistant, "hello")
  text("reasoning", [{ type: "reasoning", text: "because" }], assistant, "because")
  text("parts in their order, a line each", [aText("one"), aText("two")], assistant, "one\ntwo")
  text(
    "a tool's name, input and output",
    [aTool("bash", { command: "npm test", timeout: 5 }, { output: "ok" })],
    assistant,
    "bash\ncommand: npm test\ntimeout: 5\nok",
  )
  text(
    "a result's files by name",
    [aTool("shot", {}, { output: "ok", attachments: [{ filename: "a.png", mime: "image/png" }] })],
    assistant,
    "shot\n[image: a.png, image/png]\nok",
  )
  text(
    "code as it was typed",
    [aTool("write", { content: 'const q = "zed"\n\tx\\y' })],
    assistant,
    'write\ncontent: const q = "zed"\n\tx\\y',
  )
  text(
    "nested input",
    [aTool("multiedit", { edits: [{ oldString: "a", newString: "b" }] })],
    assistant,
    "multiedit\nedits.0.oldString: a\nedits.0.newString: b",
  )
  text(
    "the error of a failed call",
    [aTool("bash", {}, { status: "error", error: "ENOENT: no such file" })],
    assistant,
    "bash\nENOENT: no such file",
  )
  text("files of a patch", [{ type: "patch", files: ["/repo/a.ts"] }], assistant, "/repo/a.ts")
  text(
    "colour codes are taken out",
    [aTool("bash", {}, { output: "\u001b[31merror\u001b[0m: x" })],
    assistant,
    "bash\nerror: x",
  )
  text(
    "colour codes in what a user pasted and an agent typed",
    [aText("\u001b[31merror\u001b[0m: x"), aTool("bash", { command: "echo '\u001b[32mok'" })],
    assistant,
    "error: x\nbash\ncommand: echo 'ok'",
  )
  text("NUL and lone surrogates become U+FFFD", [aText("abc\0def\ud800")], assistant, "abc\uFFFDdef\uFFFD")

  function text(name: string, parts: readonly Part[], given: Partial<Message>, expected: string): void {
    test(name, () => assert.equal(textOf(parts, given), expected))
  }
})

describe("what is left out", () => {
  leftOut("synthetic text", [aText("Called the Read tool", { synthetic: true })])
  leftOut("ignored text", [aText("note", { ignored: true })])
  leftOut("attachments' contents", [
    { type: "file", mime: "text/plain", filename: "a", url: "data:text/plain;base64,QUJD" },
  ])
  leftOut("compaction marks", [{ type: "compaction", auto: true }])
  leftOut("unknown parts", [{ type: "other", kind: "step-start" }])

  function leftOut(name: string, parts: readonly Part[]): void {
    test(name, () => assert.equal(textOf(parts), ""))
  }

  test("reminders of the host, in outputs and in user text", () => {
    const reminder = "\n\n<system-reminder>\nInstructions from: /repo/AGENTS.md\n</system-reminder>"
    assert.equal(textOf([aText(`hello${reminder}`)], { role: "user" }), "hello")
    assert.equal(textOf([aTool("read", {}, { output: `1: x${reminder}` })]), "read\n1: x")
  })

  for (const name of OWN_TOOLS)
    test(`the output of ${name}, also behind a namespace, and what it was asked`, () => {
      const input = name === "handoff_session" ? "\nprompt: flux" : ""
      for (const tool of [name, `opencode_${name}`, `opencode.${name}`, name.replaceAll("-", "_")])
        assert.equal(textOf([aTool(tool, { prompt: "flux" }, { output: "flux capacitor" })]), tool + input)
    })

  test("their output inside Code Mode's execute", () => {
    const own = aTool(
      "execute",
      { code: 'await tools.session_list({ search: "flux" })' },
      { output: "secret answer" },
    )
    const other = aTool("execute", { code: "await tools.fetch()" }, { output: "an answer" })
    assert.ok(!textOf([own]).includes("secret answer"))
    assert.ok(textOf([other]).includes("an answer"))
  })

  for (const name of [
    "my_session_lister",
    "srv_history-read",
    "srv.session_list",
    "my-execute",
    "baton_read_session",
  ])
    test(`but not the output of ${name}, which only sounds alike`, () => {
      const code = "tools.session_list()"
      assert.ok(textOf([aTool(name, { code }, { output: "kept" })]).includes("kept"))
    })

  inCodeMode("await tools.session_list({})", true)
  inCodeMode('await tools["session_list"]({})', true)
  inCodeMode("tools.opencode.session_read({})", true)
  inCodeMode('tools?.opencode?.["history-read"]({})', true)
  inCodeMode("const { session_list } = tools; await session_list({})", true)
  inCodeMode("const { opencode } = tools; await opencode.session_list({})", true)
  inCodeMode("tools.srv.session_list({})", false)
  inCodeMode('tools.srv["history-read"]({})', false)
  inCodeMode("tools.srv_session_list({})", false)
  inCodeMode('tools.fetch({ query: "session_list" })', false)

  function inCodeMode(code: string, own: boolean): void {
    test(`${code}: ${own ? "ours" : "another's"}`, () =>
      assert.equal(textOf([aTool("execute", { code }, { output: "kept" })]).includes("kept"), !own))
  }
})

test("a compaction summary is labelled", () => {
  const { segments } = documents(aMessage("m", "what we did", { role: "assistant", summary: true }))
  assert.deepEqual(segments, [{ kind: "summary", start: 0, end: 11 }])
})

test("the name of a user's attachment is found, its contents are not", () => {
  const file: Part = {
    type: "file",
    mime: "image/png",
    filename: "shot.png",
    url: "data:image/png;base64,QUJD",
  }
  assert.equal(textOf([file], { role: "user" }), "shot.png")
})

describe("caps", () => {
  test("a tool output is cut in the middle and the cut is counted", () => {
    const output = `${"a".repeat(MAX_TOOL_UNITS)}middle${"b".repeat(MAX_TOOL_UNITS)}the end`
    const { text, lost } = documents(aMessage("m", [aTool("bash", {}, { output })], assistant))
    assert.ok(text.endsWith("the end") && text.startsWith("bash\naaa"))
    assert.ok(text.length <= MAX_TOOL_UNITS + 5)
    assert.ok(Math.abs(output.length - (text.length - 5) - lost) <= 1)
  })

  test("a megabyte of user text stays whole", () => {
    const { text, lost } = documents(aMessage("m", "x".repeat(MAX_TEXT_UNITS)))
    assert.deepEqual([text.length, lost], [MAX_TEXT_UNITS, 0])
  })

  test("a message of 20 MB is cut to the cap of a message", () => {
    const parts = Array.from({ length: 20 }, () => aText("y".repeat(1_000_000)))
    const { text, lost } = documents(aMessage("m", parts))
    assert.ok(text.length <= MAX_MESSAGE_UNITS)
    assert.ok(text.length + lost >= 19_999_000)
  })

  test("a secret at the cut leaves no half behind", () => {
    const token = `ghp_${"a1B2".repeat(9)}`
    for (const shift of [4, 20, 39]) {
      const output = `${"z ".repeat((MAX_TOOL_UNITS * 3) / 8 - shift)}${token} ${"w ".repeat(MAX_TOOL_UNITS)}`
      const { text } = documents(aMessage("m", [aTool("bash", {}, { output })], assistant))
      assert.ok(!text.includes(token.slice(0, 12)))
    }
  })
})

test("a secret behind a colour code is masked in every kind of text", () => {
  const coloured = `\u001b[32mghp_${"a1B2".repeat(9)}\u001b[0m`
  const tool = aTool("bash", { command: coloured }, { output: coloured })
  const parts: Part[] = [aText(coloured), { type: "reasoning", text: coloured }, tool]
  for (const role of ["user", "assistant"] as const) {
    const { text } = documents(aMessage("m", parts, { role }))
    assert.equal(text.match(/\[secret: github token\]/g)?.length, 4)
    assert.doesNotMatch(text, /ghp_/)
  }
})

test("secrets in the path of an edit are masked too", () => {
  const token = `ghp_${"a1B2".repeat(9)}`
  const patchText = `*** Update File: ${token}/old.ts\n*** Move to: ${token}/new.ts\n@@\n-a\n+b`
  const message = aMessage("m", [aTool("apply_patch", { patchText })], assistant)
  const paths = documents(message).edits.map(({ path, movedFrom }) => [path, movedFrom])
  const folder = "/repo/[secret: github token]"
  assert.deepEqual(paths, [[`${folder}/new.ts`, `${folder}/old.ts`]])
  assert.equal(documents(message, false).edits[0]?.path, `/repo/${token}/new.ts`)
})

test("secrets are masked when the option is on, kept when it is off", () => {
  const message = aMessage("m", `token ghp_${"a1B2".repeat(9)} here`)
  assert.match(documents(message, true).text, /^token \[secret: [^\]]+\] here$/)
  assert.equal(documents(message, false).text, `token ghp_${"a1B2".repeat(9)} here`)
})

describe("the print of a message", () => {
  const print = (message: Message) => Buffer.from(documents(message).print).toString("hex")

  test("orders by time, whatever a host says is the time", () => {
    const at = (created: number) => print(aMessage("m", "text", { created })).slice(0, 12)
    const times = [-5, 0.5, 1, 255, 256, 1_700_000_000_000, 2 ** 48, Number.MAX_SAFE_INTEGER]
    assert.deepEqual(times.map(at).toSorted(), times.map(at))
  })
  const base = aMessage("m1", "hello")

  test("is the same for a copy under another id, in another session", () => {
    assert.equal(print(base), print({ ...base, id: "m2", sessionID: "fork" }))
  })
  for (const [name, other] of [
    ["text", aMessage("m1", "hello!")],
    ["role", aMessage("m1", "hello", assistant)],
    ["time", aMessage("m1", "hello", { created: 2 })],
    ["kind", aMessage("m1", [{ type: "reasoning", text: "hello" }])],
    ["edit", aMessage("m1", [aText("hello"), aTool("edit", { filePath: "a" })])],
  ] as const)
    test(`differs with the ${name}`, () => assert.notEqual(print(base), print(other)))
})

test("segments survive their column", () => {
  const { segments } = documents(
    aMessage("m", [aText("one"), aTool("bash", { a: 1 }, { output: "x" })], assistant),
  )
  assert.deepEqual(readSegments(writeSegments(segments)), segments)
  assert.deepEqual(readSegments(writeSegments([])), [])
})
