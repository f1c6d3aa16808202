import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { messageContent, MAX_TOOL_NAME_UNITS, type MessageContent } from "../../src/reading/content.ts"
import type { Message, Part } from "../../src/session/model.ts"
import { message, textPart, toolPart } from "./memory-reader.ts"

const plain = { maxChars: 2_000, includeToolResults: false, maskSecrets: true }
const withResults = { ...plain, includeToolResults: true }

function of(parts: readonly Part[], options = plain, more: Partial<Message> = {}): MessageContent {
  return messageContent(message("msg_1", { parts, ...more }), options)
}

const done = toolPart("bash", { input: { command: "ls" }, output: "a.ts\nb.ts" })
const shot = toolPart("shot", {
  output: "taken",
  attachments: [
    { filename: "a.png", mime: "image/png" },
    { filename: "b.pdf", mime: "application/pdf" },
    { filename: "", mime: "image/gif" },
    { filename: "", mime: "" },
  ],
})
const failed = toolPart("edit", { status: "error", input: { filePath: "a" }, error: "not found" })
const other = (kind: string): Part => ({ type: "other", kind })

type Row = readonly [name: string, given: MessageContent, content: string, flags: string]

/** Flags: t = truncated, r = tool results omitted, o = other content omitted. */
const ROWS: readonly Row[] = [
  ["text alone", of([textPart("hello")]), "hello", ""],
  ["texts in order", of([textPart("one"), textPart("two")]), "one\ntwo", ""],
  ["nothing", of([]), "", ""],
  ["empty text", of([textPart("")]), "", ""],
  ["a finished tool", of([done]), "[tool: bash]\n[tool results omitted]", "ro"],
  ["a finished tool with its result", of([done], withResults), "[tool: bash]\na.ts\nb.ts", "o"],
  ["a failed tool", of([failed]), "[tool: edit]\n[tool results omitted]", "ro"],
  ["a failed tool with its error", of([failed], withResults), "[tool: edit]\n[error] not found", "o"],
  ["a result's image", of([shot]), "[tool: shot]\n[tool results omitted]", "ro"],
  [
    "a result's image, asked for",
    of([shot], withResults),
    "[tool: shot]\n[image: a.png, image/png]\n[file: b.pdf, application/pdf]\n[image: image/gif]\n[file]\ntaken",
    "o",
  ],
  ["a tool without input or result", of([toolPart("list")]), "[tool: list]", ""],
  ["a running tool", of([toolPart("bash", { status: "running" })]), "[tool: bash]\n[running]", ""],
  ["a tool's metadata", of([toolPart("list", { metadata: { count: 3 } })]), "[tool: list]", "o"],
  ["reasoning", of([{ type: "reasoning", text: "hm" }, textPart("so")]), "so", "o"],
  [
    "an attachment",
    of([textPart("see"), { type: "file", mime: "image/png", filename: "a.png", url: "data:" }]),
    "see",
    "o",
  ],
  ["host-written text", of([textPart("file contents", { synthetic: true }), textPart("hi")]), "hi", "o"],
  ["text kept from the model", of([textPart("note", { ignored: true })]), "", "o"],
  ["malformed parts", of([textPart("hi")], plain, { malformed: 2 }), "hi", "o"],
  [
    "a compaction",
    of([{ type: "compaction", auto: true }]),
    "[compaction: what is above was summarised]",
    "",
  ],
  ["step marks hold nothing", of([other("step-start"), textPart("x"), other("step-finish")]), "x", ""],
  ["an unknown kind", of([other("hologram")]), "", "o"],
  ["a name that forges lines", of([toolPart("a\n[tool: b]")]), "[tool: a\\n[tool: b]]", ""],
  ["escape codes", of([textPart("\u001B[31mred\u001B[0m")]), "red", ""],
  ["a cut", of([textPart("x".repeat(101))], { ...plain, maxChars: 100 }), "x".repeat(100), "t"],
  ["just fitting", of([textPart("x".repeat(100))], { ...plain, maxChars: 100 }), "x".repeat(100), ""],
  [
    "no cut inside a character",
    of([textPart(`${"x".repeat(99)}🚀`)], { ...plain, maxChars: 100 }),
    "x".repeat(99),
    "t",
  ],
]

describe("content", () => {
  for (const [name, given, content, flags] of ROWS)
    test(name, () => {
      const got = [
        given.truncated ? "t" : "",
        given.toolResultsOmitted ? "r" : "",
        given.otherContentOmitted ? "o" : "",
      ].join("")
      assert.deepEqual([given.content, got], [content, flags])
    })

  test("a tool's name is one short line", () => {
    const { content } = of([toolPart("n".repeat(3_000))])
    assert.equal(content, `[tool: ${"n".repeat(MAX_TOOL_NAME_UNITS)}]`)
  })

  test("a result of five megabytes costs its cap", () => {
    const huge = toolPart("bash", { output: "line of output\n".repeat(350_000) })
    assert.equal(of([huge]).content, "[tool: bash]\n[tool results omitted]")
    const shown = of([huge, textPart("after")], withResults)
    assert.equal(shown.content.length, 2_000)
    assert.equal(shown.truncated, true)
  })

  test("a secret across the cut is masked, and masks in the content are counted", () => {
    const token = `ghp_${"a1B2".repeat(9)}`
    const cut = of([textPart(`${"x".repeat(90)} ${token} ${token}`)], { ...plain, maxChars: 100 })
    assert.equal(cut.content, `${"x".repeat(90)} [secret: `)
    const whole = of([textPart(`${token} and ${token}`)])
    assert.equal(whole.masked, 2)
    assert.doesNotMatch(whole.content, /ghp_/)
    assert.match(of([textPart(token)], { ...plain, maskSecrets: false }).content, /^ghp_/)
  })
})
