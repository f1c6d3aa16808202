import { describe, test } from "node:test"
import assert from "node:assert/strict"
import * as fc from "fast-check"
import { readEvent } from "../../src/hosts/v2/events.ts"

const S = { sessionID: "ses_1" }
const M = { ...S, assistantMessageID: "msg_1" }

/** What an event is taken for: kind, tail, removed. */
function taken(type: string, data: unknown): string {
  const read = readEvent({ id: "evt_1", type, created: 1, data })
  if (read.kind === "ignored") return "ignored"
  assert.equal(read.event.eventID, "evt_1")
  return [read.event.kind, read.tail ? "tail" : "", read.removed ? "removed" : ""].filter(Boolean).join(" ")
}

describe("what an event says", () => {
  const rows: readonly [string, unknown, string][] = [
    ["session.created", { info: { id: "ses_1" } }, "session"],
    ["session.deleted", S, "session-removed"],
    ["session.renamed", { ...S, title: "x" }, "session"],
    ["session.updated-by-tomorrow", S, "session"],
    ["session.text.ended", M, "message"],
    ["session.text.delta", M, "ignored"],
    ["session.reasoning.started", M, "message"],
    ["session.tool.success", M, "message"],
    ["session.tool.progress", M, "ignored"],
    ["session.tool.input.delta", M, "ignored"],
    ["session.tool.input.ended", M, "ignored"],
    ["session.usage.updated", S, "ignored"],
    ["session.step.ended", M, "message"],
    ["session.input.promoted", { ...S, inputID: "msg_2" }, "session tail"],
    ["session.execution.succeeded", S, "session tail"],
    ["session.execution.failed", S, "session tail"],
    ["session.execution.started", S, "session"],
    ["session.synthetic", S, "session tail"],
    ["session.shell.ended", S, "session tail"],
    ["session.compaction.ended", S, "session tail"],
    ["session.compaction.delta", S, "ignored"],
    ["session.revert.staged", S, "session"],
    ["session.revert.committed", { ...S, to: "msg_1" }, "session removed"],
    ["session.text.ended", {}, "ignored"],
    ["permission.asked", S, "ignored"],
    ["server.connected", {}, "ignored"],
    ["message.updated", M, "ignored"],
  ]
  for (const [type, data, expected] of rows)
    test(`${type} ${JSON.stringify(data)}: ${expected}`, () => assert.equal(taken(type, data), expected))
})

test("whatever comes, nothing is thrown", () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      readEvent(value)
      readEvent({ type: "session.x", data: value })
    }),
  )
})
