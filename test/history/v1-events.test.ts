import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { feedEvent } from "../../src/hosts/v1/events.ts"

const info = { id: "ses_a", projectID: "p", directory: "/w", title: "t", time: { created: 1, updated: 2 } }

describe("V1 events", () => {
  const cases: readonly [string, string, unknown, unknown][] = [
    [
      "a part that changed names its message",
      "message.part.updated",
      { sessionID: "ses_a", part: { messageID: "msg_1" } },
      "message ses_a msg_1",
    ],
    [
      "an older host puts the session only into the part",
      "message.part.updated",
      { part: { sessionID: "ses_a", messageID: "msg_1" } },
      "message ses_a msg_1",
    ],
    [
      "a message that changed",
      "message.updated",
      { sessionID: "ses_a", info: { id: "msg_1" } },
      "message ses_a msg_1",
    ],
    [
      "an older host puts the session only into the message",
      "message.updated",
      { info: { id: "msg_1", sessionID: "ses_a" } },
      "message ses_a msg_1",
    ],
    [
      "a removed part changes its message",
      "message.part.removed",
      { sessionID: "ses_a", messageID: "msg_1", partID: "p" },
      "message ses_a msg_1",
    ],
    [
      "a removed message",
      "message.removed",
      { sessionID: "ses_a", messageID: "msg_1" },
      "message-removed ses_a msg_1",
    ],
    ["a new session", "session.created", { sessionID: "ses_a", info }, "session ses_a t"],
    ["a changed session", "session.updated", { info }, "session ses_a t"],
    [
      "a changed session without a usable shape",
      "session.updated",
      { sessionID: "ses_a" },
      "session ses_a -",
    ],
    ["a deleted session", "session.deleted", { sessionID: "ses_a", info }, "session-removed ses_a"],
    [
      "token deltas are ignored",
      "message.part.delta",
      { sessionID: "ses_a", messageID: "msg_1", delta: "x" },
      undefined,
    ],
    ["status is ignored", "session.status", { sessionID: "ses_a", status: { type: "busy" } }, undefined],
    ["a message without an id", "message.updated", { sessionID: "ses_a", info: {} }, undefined],
    ["a message without a session", "message.removed", { messageID: "msg_1" }, undefined],
    ["ids of another type", "message.removed", { sessionID: 5, messageID: {} }, undefined],
    ["properties null", "session.updated", null, undefined],
    ["info null", "session.updated", { info: null }, undefined],
    ["part null", "message.part.updated", { part: null }, undefined],
  ]
  for (const [name, type, properties, want] of cases)
    test(name, () => {
      const event = feedEvent({ id: "evt_1", type, properties })
      assert.equal(event && words(event), want)
      if (event !== undefined) assert.equal(event.eventID, "evt_1")
    })

  for (const value of [
    undefined,
    null,
    5,
    "x",
    [],
    {},
    { type: 5, properties: {} },
    { type: "session.updated" },
  ])
    test(`${JSON.stringify(value)} is no event`, () => assert.equal(feedEvent(value), undefined))

  test("an event without an id is one all the same", () => {
    const event = feedEvent({ type: "message.removed", properties: { sessionID: "s", messageID: "m" } })
    assert.deepEqual(event, { sessionID: "s", kind: "message-removed", messageID: "m" })
  })
})

function words(event: NonNullable<ReturnType<typeof feedEvent>>): string {
  if (event.kind === "session") return `session ${event.sessionID} ${event.session?.title ?? "-"}`
  if (event.kind === "session-removed") return `session-removed ${event.sessionID}`
  return `${event.kind} ${event.sessionID} ${event.messageID}`
}
