import assert from "node:assert/strict"
import { describe, test } from "node:test"
import * as fc from "fast-check"
import { BACKOFF_FIRST_MS, BACKOFF_MAX_MS, backoffMs } from "../../../src/history/sync/backoff.ts"
import { eventFilter, noChanges, noteEvent, REMEMBERED_EVENTS } from "../../../src/history/sync/changes.ts"
import { excluder } from "../../../src/history/sync/exclude.ts"
import type { FeedEvent, ListedSession } from "../../../src/history/sync/index.ts"
import {
  decodeMarker,
  difference,
  encodeMarker,
  isOpen,
  markerOf,
  OPEN_MS,
  unreadableIn,
  UNFINISHED_MS,
} from "../../../src/history/sync/marker.ts"
import type { Message, Session } from "../../../src/session/model.ts"
import { textMessage } from "./memory-host.ts"

const session: Session = {
  id: "ses_a",
  title: "a title",
  projectID: "prj",
  directory: "/work",
  created: 1,
  updated: 5_000,
  metadata: {},
}
const listed = (fields: Partial<Session> = {}, activity = 5_000): ListedSession => ({
  session: { ...session, ...fields },
  activity,
})
const settled = { open: false, unreadable: 0, atLeast: false }
const stored = (open = false) => markerOf("v1", listed(), { ...settled, open })

describe("marker", () => {
  const cases: readonly [string, ListedSession, ReturnType<typeof difference>][] = [
    ["the same session needs nothing", listed(), "none"],
    ["later activity needs its messages", listed({}, 5_001), "messages"],
    ["earlier activity (a restored backup) needs its messages", listed({}, 4_999), "messages"],
    ["another title needs its row", listed({ title: "b" }), "row"],
    ["another project needs its row", listed({ projectID: "b" }), "row"],
    ["another directory needs its row", listed({ directory: "/b" }), "row"],
    ["archiving needs its row", listed({ archived: 9 }), "row"],
    ["a revert needs its row", listed({ revertedFrom: "msg_1" }), "row"],
    ["metadata is not stored", listed({ metadata: { a: 1 } }), "none"],
  ]
  for (const [name, row, want] of cases) test(name, () => assert.equal(difference(stored(), row), want))

  test("an open marker needs the messages again", () =>
    assert.equal(difference(stored(true), listed()), "messages"))
  test("no marker needs the messages", () => assert.equal(difference(undefined, listed()), "messages"))
  test("the other host's marker is as good", () =>
    assert.equal(difference(markerOf("v2", listed(), settled), listed()), "none"))

  test("survives encoding", () =>
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.nat(),
        fc.nat(),
        fc.string(),
        fc.boolean(),
        (open, activity, unreadable, title, more) => {
          const marker = markerOf("v2", listed({ title }, activity), {
            open,
            unreadable,
            atLeast: more && unreadable > 0,
          })
          assert.deepEqual(decodeMarker(encodeMarker(marker)), marker)
        },
      ),
    ))
  test("what could not be read is added up over the stored sessions", () => {
    const rows = [encodeMarker({ ...stored(), unreadable: 3 }), encodeMarker(stored()), undefined, "nonsense"]
    const markers = [...rows, encodeMarker({ ...stored(true), unreadable: 4, atLeast: true })].map(
      (marker) => ({
        sessionID: "ses_a",
        projectID: "prj",
        directory: "/work",
        fetchedAt: 1,
        ...(marker === undefined ? {} : { marker }),
      }),
    )
    assert.deepEqual(unreadableIn(markers), { unreadable: 7, atLeast: true })
  })
  test("holds no text of the title", () => {
    const marker = encodeMarker(markerOf("v1", listed({ title: "sk-secret-0123456789" }), settled))
    assert.ok(!marker.includes("secret"))
  })
  for (const text of [
    undefined,
    "",
    "v1",
    "v1.2:5:0123456789abcdef",
    "v1.1:x:0123456789abcdef",
    "v3.1:5:0123456789abcdef",
  ])
    test(`${text} is no marker`, () => assert.equal(decodeMarker(text), undefined))
})

describe("open sessions", () => {
  const answer = textMessage("ses_a", "msg_1", "done", 4_000)
  const prompt: Message = { ...answer, role: "user" }
  const running: Message = {
    ...answer,
    parts: [
      {
        type: "tool",
        tool: "bash",
        callID: "c",
        status: "running",
        input: {},
        title: "",
        output: "",
        error: "",
        metadata: {},
      },
    ],
  }
  const cases: readonly [string, Message | undefined, number, boolean][] = [
    ["just touched", answer, 5_000 + OPEN_MS - 1, true],
    ["long answered", answer, 5_000 + OPEN_MS, false],
    ["a prompt without an answer", prompt, 5_000 + OPEN_MS, true],
    ["a running tool", running, 5_000 + OPEN_MS, true],
    ["a crash an hour ago", running, 5_000 + UNFINISHED_MS, false],
    ["no message at all", undefined, 5_000 + OPEN_MS, false],
    ["a message newer than the session's time", { ...answer, created: 9_000 }, 9_000 + OPEN_MS - 1, true],
  ]
  for (const [name, newest, now, want] of cases)
    test(`${name}: ${want ? "open" : "settled"}`, () => assert.equal(isOpen(listed(), newest, now), want))
})

describe("backoff", () => {
  for (const [failures, want] of [
    [1, BACKOFF_FIRST_MS],
    [2, 2 * BACKOFF_FIRST_MS],
    [4, 8 * BACKOFF_FIRST_MS],
    [10, 512_000],
    [11, BACKOFF_MAX_MS],
    [100_000, BACKOFF_MAX_MS],
    [0, BACKOFF_FIRST_MS],
  ] as const)
    test(`${failures} failures wait ${want} ms`, () => assert.equal(backoffMs(failures), want))
})

describe("exclude", () => {
  const cases: readonly [string, string, string, boolean][] = [
    ["prj_x", "prj_x", "/any", true],
    ["prj_x", "prj_xy", "/any", false],
    ["/home/me/private", "p", "/home/me/private", true],
    ["/home/me/private", "p", "/home/me/private/deep/er", true],
    ["/home/me/private", "p", "/home/me/private2", false],
    ["/home/me/private/**", "p", "/home/me/private", true],
    ["/home/me/private/", "p", "/home/me/private", true],
    ["/home/*/private", "p", "/home/you/private/x", true],
    ["/home/*/private", "p", "/home/you/my/private", false],
    ["**/secret", "p", "/a/b/secret", true],
    ["~/private", "p", "/home/me/private/x", true],
    ["~", "p", "/home/me", true],
    ["private", "p", "/home/me/private", false],
    ["C:\\work\\x", "p", "c:/work/x/y", true],
  ]
  for (const [entry, projectID, directory, want] of cases)
    test(`${entry} ${want ? "means" : "does not mean"} ${projectID} in ${directory}`, () =>
      assert.equal(excluder([entry], "/home/me")({ projectID, directory }), want))
  test("nothing is excluded by default", () =>
    assert.equal(excluder([], "/home/me")({ projectID: "p", directory: "/" }), false))
})

describe("changes", () => {
  const message = (kind: "message" | "message-removed", messageID: string): FeedEvent => ({
    sessionID: "ses_a",
    kind,
    messageID,
  })

  test("a message that changed and went is only gone", () => {
    const changes = noChanges()
    noteEvent(changes, message("message", "m"))
    noteEvent(changes, message("message-removed", "m"))
    assert.deepEqual([[...changes.messages], [...changes.removed]], [[], ["m"]])
  })
  test("a message that went and is told of again is looked at", () => {
    const changes = noChanges()
    noteEvent(changes, message("message-removed", "m"))
    noteEvent(changes, message("message", "m"))
    assert.deepEqual([[...changes.messages], [...changes.removed]], [["m"], []])
  })
  test("an event counts once, without an id always", () => {
    const isNew = eventFilter()
    const event = { ...message("message", "m"), eventID: "e1" }
    assert.deepEqual(
      [isNew(event), isNew(event), isNew(message("message", "m")), isNew(message("message", "m"))],
      [true, false, true, true],
    )
  })
  test("the memory of events is bounded", () => {
    const isNew = eventFilter()
    for (let index = 0; index <= REMEMBERED_EVENTS; index += 1)
      isNew({ ...message("message", "m"), eventID: `e${index}` })
    assert.equal(isNew({ ...message("message", "m"), eventID: "e0" }), true)
    assert.equal(isNew({ ...message("message", "m"), eventID: `e${REMEMBERED_EVENTS}` }), false)
  })
})
