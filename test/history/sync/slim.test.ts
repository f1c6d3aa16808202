import assert from "node:assert/strict"
import { test } from "node:test"
import { messageDocuments } from "../../../src/history/documents/documents.ts"
import { slimMessage } from "../../../src/history/sync/slim.ts"
import { aMessage, aText, aTool } from "../make.ts"

const options = { maskSecrets: true, directory: "/repo" }
const image = {
  type: "file",
  mime: "image/png",
  filename: "a.png",
  url: "data:image/png;base64,AAAA",
} as const
const edit = { filePath: "a.ts", oldString: "one", newString: "two" }
const notes = {
  diff: "Index: a.ts\n",
  filediff: { before: "one", after: "two" },
  output: "as long as the text",
}

const messages = [
  aMessage("m1", [aText("look", { synthetic: true }), aText("here"), image]),
  aMessage("m2", [aTool("bash", { command: "ls" }, { output: "a.ts", metadata: notes })], {
    role: "assistant",
  }),
  aMessage("m3", [aTool("edit", edit, { metadata: notes })], { role: "assistant" }),
  aMessage("m4", [aTool("edit", edit, { metadata: { ...notes, diff: "@@ -1 +1 @@" } })], {
    role: "assistant",
  }),
]

test("the index stores the same of a message without what it does not read", () => {
  for (const message of messages)
    assert.deepEqual(messageDocuments(slimMessage(message), options), messageDocuments(message, options))
})

test("attachments and notes are left out, a diff stays", () => {
  const parts = messages.flatMap((message) => slimMessage(message).parts)
  assert.ok(!JSON.stringify(parts).includes("base64"))
  const kept = parts.map((part) => ("metadata" in part ? Object.keys(part.metadata) : []))
  assert.deepEqual(kept, [[], [], [], ["diff"], ["diff"], ["diff"]])
})

test("a message with nothing to leave out is the message itself", () => {
  const message = aMessage("m", [aText("hello"), aTool("bash", { command: "ls" })])
  assert.equal(slimMessage(message), message)
})
