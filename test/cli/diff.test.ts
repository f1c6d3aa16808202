import { describe, test } from "node:test"
import assert from "node:assert/strict"
import { pathFor } from "../../src/cli/commands/edits.ts"
import { diffOf } from "../../src/cli/diff.ts"
import { toolInputText } from "../../src/history/documents/tool-input.ts"
import type { EditKind, FileEdit } from "../../src/history/contract.ts"

// A diff out of what the index keeps of a tool call: right, or none.

function edit(tool: string, kind: EditKind, path = "/r/a.ts", movedFrom?: string): FileEdit {
  const session = {
    id: "ses_1",
    title: "",
    projectID: "p",
    directory: "/r",
    created: 0,
    updated: 0,
    messages: 1,
  }
  return {
    session,
    messageID: "msg_1",
    at: 0,
    path,
    ...(movedFrom === undefined ? {} : { movedFrom }),
    kind,
    status: "done",
    tool,
    first: false,
    reverted: false,
    alsoInForks: 0,
  }
}

type Row = {
  readonly name: string
  readonly tool: string
  readonly kind: EditKind
  readonly input: Readonly<Record<string, unknown>>
  readonly diff: string | undefined
  readonly movedFrom?: string
}

const context = "a\nb\nc\nd\ne"
const patch = (body: string) => ({ patchText: `*** Begin Patch\n${body}\n*** End Patch` })

const ROWS: readonly Row[] = [
  {
    name: "an edit",
    tool: "edit",
    kind: "edit",
    input: { filePath: "/r/a.ts", oldString: "x", newString: "y\nz" },
    diff: "-x\n+y\n+z",
  },
  {
    name: "whole lines end with a line break and not with an empty line",
    tool: "edit",
    kind: "edit",
    input: { filePath: "/r/a.ts", oldString: "x\n", newString: "y\nz\n" },
    diff: "-x\n+y\n+z",
  },
  {
    name: "a line that is taken out",
    tool: "edit",
    kind: "edit",
    input: { filePath: "/r/a.ts", oldString: "x\n", newString: "" },
    diff: "-x",
  },
  {
    name: "text put in where there was none",
    tool: "edit",
    kind: "edit",
    input: { filePath: "/r/a.ts", oldString: "", newString: "x\n" },
    diff: "+x",
  },
  {
    name: "a written file that ends with a line break",
    tool: "write",
    kind: "write",
    input: { filePath: "/r/a.ts", content: "x\n\ny\n" },
    diff: "+x\n+\n+y",
  },
  {
    name: "shared lines are context, three at most",
    tool: "edit",
    kind: "edit",
    input: {
      filePath: "a.ts",
      oldString: `${context}\nold\n${context}`,
      newString: `${context}\nnew\n${context}`,
      replaceAll: true,
    },
    diff: " c\n d\n e\n-old\n+new\n a\n b\n c",
  },
  {
    name: "a write",
    tool: "write",
    kind: "write",
    input: { filePath: "/r/a.ts", content: "one\ntwo" },
    diff: "+one\n+two",
  },
  {
    name: "a write with its path last",
    tool: "write",
    kind: "write",
    input: { content: "one", filePath: "/r/a.ts" },
    diff: "+one",
  },
  {
    name: "several edits of one call",
    tool: "multiedit",
    kind: "edit",
    input: {
      filePath: "/r/a.ts",
      edits: [
        { oldString: "1", newString: "2" },
        { oldString: "3", newString: "4", replaceAll: true },
      ],
    },
    diff: "-1\n+2\n-3\n+4",
  },
  {
    name: "a patch: this file's part alone, the move's old name too",
    tool: "apply_patch",
    kind: "move",
    input: patch(
      "*** Update File: b.ts\n@@\n-no\n*** Update File: old.ts\n*** Move to: a.ts\n@@\n ctx\n-1\n+2\n@@\n-3",
    ),
    movedFrom: "/r/old.ts",
    diff: " ctx\n-1\n+2\n …\n-3",
  },
  {
    name: "another file's call",
    tool: "edit",
    kind: "edit",
    input: { filePath: "/r/b.ts", oldString: "x", newString: "y" },
    diff: undefined,
  },
  {
    name: "a text with a line like a field",
    tool: "edit",
    kind: "edit",
    input: { filePath: "/r/a.ts", oldString: "x", newString: "k:\npath: /etc" },
    diff: undefined,
  },
  {
    name: "a text with a whole pair of fields",
    tool: "edit",
    kind: "edit",
    input: { filePath: "/r/a.ts", oldString: "x", newString: "y\noldString: 1\nnewString: 2" },
    diff: undefined,
  },
  {
    name: "a written file with a line like its path",
    tool: "write",
    kind: "write",
    input: { filePath: "/r/a.ts", content: "x\nfilePath: y" },
    diff: undefined,
  },
  { name: "a tool of another kind", tool: "edit", kind: "edit", input: { command: "sed" }, diff: undefined },
  { name: "nothing", tool: "edit", kind: "edit", input: {}, diff: undefined },
]

describe("diff of an edit", () => {
  for (const { name, tool, kind, input, diff, movedFrom } of ROWS)
    test(name, () => {
      const texts = ["read\nfilePath: /r/a.ts", `${tool}\n${toolInputText(input).text}`, "ok"]
      const found = diffOf(edit(tool, kind, "/r/a.ts", movedFrom), texts)
      assert.equal(found?.map((line) => line.kind + line.text).join("\n"), diff)
    })
})

describe("the path that is meant", () => {
  const rows: readonly (readonly [string, string, string | undefined, string])[] = [
    ["src/a.ts", "/r", "/r", "src/a.ts"],
    ["a.ts", "/r/src", "/r", "src/a.ts"],
    ["../b.ts", "/r/src", "/r", "b.ts"],
    ["./src/", "/r", "/r", "src/"],
    ["/r/src/a.ts", "/elsewhere", "/r", "src/a.ts"],
    ["/other/a.ts", "/r", "/r", "/other/a.ts"],
    [".", "/r", "/r", "/r"],
    ["a.ts", "/x", undefined, "a.ts"],
    ["./a.ts", "/x", undefined, "/x/a.ts"],
  ]
  for (const [path, directory, root, meant] of rows)
    test(`${path} in ${directory}`, () => assert.equal(pathFor(path, directory, root), meant))
})
