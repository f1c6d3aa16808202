import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { editsOf, MAX_EDITS_PER_MESSAGE } from "../../../src/history/documents/edits.ts"
import type { Part } from "../../../src/session/model.ts"
import { aMessage, aTool } from "../make.ts"

const patch = `*** Begin Patch
*** Add File: new.ts
+export {}
*** Update File: src/a.ts
@@
-old
+new
*** Update File: src/from.ts
*** Move to: src/to.ts
@@
-x
+y
*** Update File: same.ts
@@
 context
*** Delete File: gone.ts
*** End Patch`

describe("edits of a message", () => {
  edits("a write", [aTool("write", { filePath: "/repo/a.ts", content: "x" })], ["write done /repo/a.ts"])
  edits(
    "a relative path",
    [aTool("edit", { filePath: "src/a.ts", oldString: "a", newString: "b" })],
    ["edit done /repo/src/a.ts"],
  )
  edits(
    "a failed edit",
    [aTool("edit", { filePath: "a.ts" }, { status: "error", error: "no match" })],
    ["edit failed /repo/a.ts"],
  )
  edits(
    "an edit to the same text",
    [aTool("edit", { filePath: "a.ts", oldString: "a", newString: "a" })],
    ["edit unchanged /repo/a.ts"],
  )
  edits(
    "an edit with an empty diff",
    [aTool("edit", { filePath: "a.ts" }, { metadata: { diff: "--- a\n+++ b\n" } })],
    ["edit unchanged /repo/a.ts"],
  )
  edits(
    "an edit with a diff",
    [aTool("edit", { filePath: "a.ts" }, { metadata: { diff: "@@ -1 +1 @@\n-a\n+b" } })],
    ["edit done /repo/a.ts"],
  )
  edits("a running write", [aTool("write", { filePath: "a.ts" }, { status: "running" })], [])
  edits(
    "a multi-edit",
    [aTool("multiedit", { filePath: "a.ts", edits: [{ oldString: "a", newString: "b" }] })],
    ["edit done /repo/a.ts"],
  )
  edits(
    "an empty multi-edit",
    [aTool("multiedit", { filePath: "a.ts", edits: [{ oldString: "a", newString: "a" }] })],
    ["edit unchanged /repo/a.ts"],
  )
  edits(
    "a patch: one row a file",
    [aTool("apply_patch", { patchText: patch })],
    [
      "add done /repo/new.ts",
      "update done /repo/src/a.ts",
      "move done /repo/src/to.ts from /repo/src/from.ts",
      "update unchanged /repo/same.ts",
      "delete done /repo/gone.ts",
    ],
  )
  edits(
    "a failed patch",
    [aTool("apply_patch", { patchText: "*** Add File: a\n+x" }, { status: "error" })],
    ["add failed /repo/a"],
  )
  edits(
    "the host's record",
    [{ type: "patch", files: ["/repo/a.ts", "C:\\x\\b.ts"] }],
    ["snapshot done /repo/a.ts", "snapshot done C:/x/b.ts"],
  )
  edits(
    "a call and its record are one edit",
    [aTool("edit", { filePath: "/repo/a.ts" }), { type: "patch", files: ["/repo/a.ts", "/repo/b.ts"] }],
    ["edit done /repo/a.ts", "snapshot done /repo/b.ts"],
  )
  edits(
    "the host's record of both ends of a move",
    [
      aTool("apply_patch", { patchText: "*** Update File: a\n*** Move to: b\n-x\n+y" }),
      { type: "patch", files: ["/repo/a", "/repo/b"] },
    ],
    ["move done /repo/b from /repo/a"],
  )
  edits(
    "a failed try before the one that worked",
    [aTool("edit", { filePath: "a.ts" }, { status: "error" }), aTool("edit", { filePath: "a.ts" })],
    ["edit done /repo/a.ts"],
  )
  edits(
    "Windows spellings of one file",
    [aTool("write", { filePath: "C:\\R\\a.ts" }), aTool("edit", { filePath: "c:/r/A.ts" })],
    ["write done C:/R/a.ts"],
  )
  edits("other tools", [aTool("read", { filePath: "a.ts" }), aTool("bash", { command: "rm a.ts" })], [])
  edits(
    "input of the wrong shape",
    [
      aTool("write", { filePath: 42 }),
      aTool("edit", {}),
      aTool("apply_patch", { patchText: null }),
      aTool("multiedit", { filePath: "a", edits: "x" }),
    ],
    ["edit done /repo/a"],
  )

  function edits(name: string, parts: readonly Part[], expected: readonly string[]): void {
    test(name, () => {
      const found = editsOf(aMessage("m", parts, { role: "assistant" }), "/repo")
      const shown = found.map(
        (edit) =>
          `${edit.kind} ${edit.status} ${edit.path}${edit.movedFrom ? ` from ${edit.movedFrom}` : ""}`,
      )
      assert.deepEqual(shown, expected)
    })
  }
})

test("a checkout of a tree is not a list of edits", () => {
  const files = Array.from({ length: MAX_EDITS_PER_MESSAGE + 10 }, (_, at) => `/repo/${at}`)
  assert.equal(editsOf(aMessage("m", [{ type: "patch", files }]), "/repo").length, MAX_EDITS_PER_MESSAGE)
})
