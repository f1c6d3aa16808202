import { test } from "node:test"
import assert from "node:assert/strict"
import { sessionMarks } from "../../src/tools/search/session-line.ts"

test("a session that work was handed off to names where it came from", () => {
  const session = { id: "b", title: "", projectID: "p", directory: "/", created: 0, updated: 0, messages: 0 }
  const match = { alsoInForks: 0, reverted: false }
  assert.equal(sessionMarks(session, match), "")
  assert.equal(sessionMarks({ ...session, handoffFrom: "ses_a" }, match), "  (handed off from ses_a)")
})
