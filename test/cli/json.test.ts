import { test } from "node:test"
import assert from "node:assert/strict"
import { sessionJson } from "../../src/cli/view/json.ts"

const session = {
  id: "ses_1",
  title: "t",
  projectID: "p",
  directory: "/d",
  created: 0,
  updated: 0,
  messages: 1,
}

test("a session tells what it came of, null for what it did not", () => {
  const of = (given: object) => {
    const { parentID, handoffFrom, forkedFrom } = sessionJson({ ...session, ...given }, (text) => text)
    return [parentID, handoffFrom, forkedFrom]
  }
  assert.deepEqual(of({}), [null, null, null])
  assert.deepEqual(of({ parentID: "a", handoffFrom: "b", forkedFrom: "c" }), ["a", "b", "c"])
})
