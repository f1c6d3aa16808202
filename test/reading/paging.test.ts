import assert from "node:assert/strict"
import { describe, test } from "node:test"
import * as fc from "fast-check"
import { readAround, type Reading } from "../../src/reading/around.ts"
import { v1OlderThan } from "../../src/reading/cursor.ts"
import { pageOf, pagePlace } from "../../src/reading/page.ts"
import { windowOf, windowPlace } from "../../src/reading/window.ts"
import type { Message, Role } from "../../src/session/model.ts"
import { memoryHistory } from "../tools/memory-history.ts"
import { memoryHost, message, session, START } from "./memory-reader.ts"

// Every message of the role exactly once, in both directions, whatever the page size, while messages are added
// and the index is missing, behind, or holds what the host has deleted.

type Case = {
  readonly roles: readonly Role[]
  readonly role: Role | undefined
  readonly limit: number
  /** How many messages share a creation time. */
  readonly perTime: number
  readonly index: "none" | "complete" | "behind" | "deleted" | "wrong revert"
  readonly jumps: boolean
  readonly revertAt: number | undefined
  /** Messages added behind each page that is read. */
  readonly added: readonly Role[]
}

const role = fc.constantFrom<Role>("user", "assistant")
const cases: fc.Arbitrary<Case> = fc.record({
  roles: fc.array(role, { maxLength: 60 }),
  role: fc.option(role, { nil: undefined }),
  limit: fc.integer({ min: 1, max: 25 }),
  perTime: fc.integer({ min: 1, max: 4 }),
  index: fc.constantFrom("none", "complete", "behind", "deleted", "wrong revert"),
  jumps: fc.boolean(),
  revertAt: fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined, freq: 3 }),
  added: fc.array(role, { maxLength: 3 }),
})

function made(roles: readonly Role[], perTime: number, from = 0): readonly Message[] {
  return roles.map((role, at) =>
    message(`msg_${String(from + at).padStart(4, "0")}`, {
      role,
      created: START + Math.floor((from + at) / perTime) * 1_000,
    }),
  )
}

async function opened(given: Case) {
  const messages = made(given.roles, given.perTime)
  const revertedFrom =
    given.revertAt === undefined ? undefined : `msg_${String(given.revertAt).padStart(4, "0")}`
  const self = session("ses_1", revertedFrom === undefined ? {} : { revertedFrom })
  const host = memoryHost()
  host.add(self, messages)
  const history = memoryHistory()
  const stored = {
    none: [],
    complete: messages,
    behind: messages.slice(0, Math.floor(messages.length / 2)),
    deleted: messages.flatMap((entry, at) =>
      at % 3 === 1 ? [entry, { ...entry, id: `${entry.id}x` }] : [entry],
    ),
    "wrong revert": messages,
  }[given.index]
  const known = given.index === "wrong revert" ? session("ses_1", { revertedFrom: "msg_0002" }) : self
  await history.applyChanges({
    fetchedAt: 1,
    sessions: [{ session: known, messages: stored, complete: true }],
  })
  if (given.index === "none") history.fail("off")
  const reading: Reading = {
    history,
    reader: host.reader,
    session: self,
    signal: new AbortController().signal,
    ...(given.role === undefined ? {} : { role: given.role }),
    ...(given.jumps ? { olderThan: v1OlderThan } : {}),
  }
  const reverts = messages.findIndex((entry) => revertedFrom !== undefined && entry.id >= revertedFrom)
  const visible = reverts < 0 ? messages : messages.slice(0, reverts)
  const eligible = visible.filter((entry) => given.role === undefined || entry.role === given.role)
  const append = (page: number) => {
    // A host drops the reverted messages with the next prompt: nothing is added behind a revert.
    if (revertedFrom === undefined)
      host.append(...made(given.added, given.perTime, 1_000 + page * given.added.length))
  }
  return { host, reading, append, eligible, messages, reverted: messages.length - visible.length }
}

const bound = 200

describe("pages", () => {
  test("forward: every message once, added ones at the end", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (given) => {
        const { reading, append, eligible, host } = await opened(given)
        const read: string[] = []
        let cursor: string | undefined
        for (let page = 0; page < bound; page++) {
          const request = {
            from: "start" as const,
            direction: "forward" as const,
            limit: given.limit,
            ...(cursor === undefined ? {} : { cursor }),
          }
          const around = await readAround(reading, pagePlace(request))
          assert.ok(around.ok, JSON.stringify(around))
          const got = pageOf(request, around.value)
          assert.ok(got.items.length <= given.limit)
          assert.ok(got.nextCursor === undefined || got.items.length === given.limit)
          assert.equal(got.prevCursor, page === 0 ? undefined : got.items[0]?.id)
          read.push(...got.items.map((item) => item.id))
          cursor = got.nextCursor
          if (cursor === undefined) break
          if (page < 5) append(page)
        }
        const ids = eligible.map((entry) => entry.id)
        const added = host
          .messagesOf("ses_1")
          .filter((entry) => entry.id >= "msg_1000")
          .filter((entry) => given.role === undefined || entry.role === given.role)
          .map((entry) => entry.id)
        assert.deepEqual(read, [...ids, ...added])
      }),
      { numRuns: 150 },
    )
  })

  test("back: every message that was there once, in order", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (given) => {
        const { reading, append, eligible, reverted } = await opened(given)
        const read: string[] = []
        let cursor: string | undefined
        for (let page = 0; page < bound; page++) {
          const request = {
            from: "end" as const,
            direction: "back" as const,
            limit: given.limit,
            ...(cursor === undefined ? {} : { cursor }),
          }
          const around = await readAround(reading, pagePlace(request))
          assert.ok(around.ok, JSON.stringify(around))
          // Where the tail is skipped, they are those the index holds.
          const stale = given.index === "deleted" || given.index === "behind"
          if (!(stale && given.jumps)) assert.equal(around.value.reverted, reverted)
          const got = pageOf(request, around.value)
          assert.ok(got.prevCursor === undefined || got.items.length === given.limit)
          if (page > 0) assert.equal(got.nextCursor, got.items.at(-1)?.id)
          read.unshift(...got.items.map((item) => item.id))
          cursor = got.prevCursor
          if (cursor === undefined) break
          if (page < 5) append(page)
        }
        assert.deepEqual(
          read,
          eligible.map((entry) => entry.id),
        )
      }),
      { numRuns: 150 },
    )
  })

  test("a window holds the nearest of the role on both sides", async () => {
    await fc.assert(
      fc.asyncProperty(cases, fc.nat(80), fc.nat(6), fc.nat(6), async (given, anchorAt, before, after) => {
        const { reading, eligible, messages } = await opened(given)
        const anchor = messages[anchorAt]
        const request = { messageID: anchor?.id ?? "msg_none", before, after }
        const around = await readAround(reading, windowPlace(request))
        if (anchor === undefined) {
          assert.equal(around.ok ? "" : around.fault.reason, "no-message")
          return
        }
        assert.ok(around.ok, JSON.stringify(around))
        const window = windowOf(request, around.value)
        const older = eligible.filter((entry) => entry.id < anchor.id)
        const newer = eligible.filter((entry) => entry.id > anchor.id)
        const included = eligible.includes(anchor)
        const expected = [
          ...older.slice(older.length - Math.min(before, older.length)),
          ...(included ? [anchor] : []),
          ...newer.slice(0, after),
        ]
        assert.deepEqual(
          window.items.map((item) => item.id),
          expected.map((item) => item.id),
        )
        assert.equal(window.anchorIncluded, included)
        assert.equal(window.nextCursor !== undefined, newer.length > after)
        assert.equal(window.prevCursor !== undefined, older.length > before)
      }),
      { numRuns: 200 },
    )
  })
})
