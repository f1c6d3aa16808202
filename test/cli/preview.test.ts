import { after, test } from "node:test"
import assert from "node:assert/strict"
import { passageOf } from "../../src/cli/interactive/preview.ts"
import { aMessage, anIndex, aSession, removeFolders, store } from "../history/make.ts"

after(removeFolders)

test("a copied passage may be pasted into a terminal: its lines stay, control characters do not", async () => {
  const history = anIndex()
  const text = "one\r\n\ttwo \u0003\u0007 \u001B[31mred\u001B[0m \u202E end"
  await store(history, [[aSession("ses_a"), [aMessage("msg_a", text)]]])
  const found = await history.session("ses_a")
  assert.ok(found.ok && found.value !== undefined)
  const passage = await passageOf(
    history,
    { session: found.value },
    "msg_a",
    true,
    new AbortController().signal,
  )
  assert.equal(passage, "one\n\ttwo \\u0003\\u0007 red \\u202e end")
  await history.close()
})
