import assert from "node:assert/strict"
import { describe, test } from "node:test"
import * as z from "zod"
import { historyRead } from "../../src/tools/history-read.ts"
import { message, session, START, textPart, toolPart } from "../reading/memory-reader.ts"
import { bench, overBoth, type Bench } from "./services.ts"

const answer = z.strictObject({
  sessionID: z.string(),
  title: z.string(),
  anchorIncluded: z.boolean().optional(),
  nextCursor: z.string().nullable(),
  prevCursor: z.string().nullable(),
  dates: z.string().optional(),
  source: z.literal("index").optional(),
  notes: z.array(z.string()).optional(),
  messages: z.array(
    z.strictObject({
      messageID: z.string(),
      role: z.enum(["user", "assistant"]),
      content: z.string(),
      truncated: z.boolean(),
      toolResultsOmitted: z.boolean(),
      otherContentOmitted: z.boolean(),
    }),
  ),
})
const refusal = z.strictObject({ error: z.string() })

async function read(made: Bench, input: unknown) {
  return answer.parse(JSON.parse(await made.run(historyRead(made.services), input)))
}

async function refused(made: Bench, input: unknown): Promise<string> {
  return refusal.parse(JSON.parse(await made.run(historyRead(made.services), input))).error
}

const ids = (got: z.infer<typeof answer>) => got.messages.map((entry) => entry.messageID.slice(4)).join(" ")

async function storeTen(made: Bench, more: Parameters<typeof session>[1] = {}): Promise<void> {
  const messages = Array.from({ length: 10 }, (_, at) =>
    message(`msg_${at}`, { role: at % 2 === 0 ? "user" : "assistant", created: START + at * 60_000 }),
  )
  await made.store(session("ses_1", more), messages)
}

describe("history-read", () => {
  test("pages forward and back, from either end", async () => {
    await overBoth(async (made) => {
      await storeTen(made)
      const first = await read(made, { sessionID: "ses_1", limit: 4 })
      assert.deepEqual([ids(first), first.nextCursor, first.prevCursor], ["0 1 2 3", "msg_3", null])
      assert.equal(first.dates, "2026-11-30 14:00 to 2026-11-30 14:03 UTC")
      const second = await read(made, { sessionID: "ses_1", limit: 4, cursor: "msg_3" })
      assert.deepEqual([ids(second), second.nextCursor, second.prevCursor], ["4 5 6 7", "msg_7", "msg_4"])
      const third = await read(made, { sessionID: "ses_1", limit: 4, cursor: "msg_7" })
      assert.deepEqual([ids(third), third.nextCursor, third.prevCursor], ["8 9", null, "msg_8"])
      const back = await read(made, { sessionID: "ses_1", limit: 4, cursor: "msg_8", direction: "back" })
      assert.deepEqual([ids(back), back.nextCursor, back.prevCursor], ["4 5 6 7", "msg_7", "msg_4"])
      const end = await read(made, { sessionID: "ses_1", limit: 4, from: "end" })
      assert.deepEqual([ids(end), end.nextCursor, end.prevCursor], ["6 7 8 9", null, "msg_6"])
    })
  })

  test("a role is filtered before pages are filled and neighbours counted", async () => {
    await overBoth(async (made) => {
      await storeTen(made)
      const page = await read(made, { sessionID: "ses_1", limit: 3, role: "user" })
      assert.deepEqual([ids(page), page.nextCursor], ["0 2 4", "msg_4"])
      const window = await read(made, {
        sessionID: "ses_1",
        messageID: "msg_5",
        before: 2,
        after: 1,
        role: "user",
      })
      assert.deepEqual([ids(window), window.anchorIncluded], ["2 4 6", false])
      const continued = await read(made, { sessionID: "ses_1", role: "user", cursor: window.nextCursor })
      assert.equal(ids(continued), "8")
    })
  })

  test("a window has five messages on each side unless told otherwise, and can be empty", async () => {
    await overBoth(async (made) => {
      await storeTen(made)
      const usual = await read(made, { sessionID: "ses_1", messageID: "msg_6" })
      assert.deepEqual([ids(usual), usual.anchorIncluded], ["1 2 3 4 5 6 7 8 9", true])
      assert.deepEqual([usual.nextCursor, usual.prevCursor], [null, "msg_1"])
      const empty = await read(made, {
        sessionID: "ses_1",
        messageID: "msg_5",
        before: 0,
        after: 0,
        role: "user",
      })
      assert.deepEqual([ids(empty), empty.nextCursor, empty.prevCursor], ["", "msg_5", "msg_5"])
    })
  })

  test("what does not exist is an error, never another page", async () => {
    await overBoth(async (made) => {
      await storeTen(made)
      assert.match(await refused(made, { sessionID: "ses_9" }), /no session "ses_9"/)
      assert.match(
        await refused(made, { sessionID: "ses_1", messageID: "msg_x" }),
        /session ses_1 has no message "msg_x"/,
      )
      assert.match(
        await refused(made, { sessionID: "ses_1", cursor: "msg_x" }),
        /session ses_1 has no message "msg_x"/,
      )
      made.host.removeMessage("ses_1", "msg_4")
      assert.match(await refused(made, { sessionID: "ses_1", cursor: "msg_4" }), /has no message "msg_4"/)
    })
  })

  test("reverted messages are left out and counted", async () => {
    await overBoth(async (made) => {
      await storeTen(made, { revertedFrom: "msg_7" })
      for (const input of [{ from: "end" }, {}, { messageID: "msg_5" }, { messageID: "msg_8" }]) {
        const got = await read(made, { sessionID: "ses_1", limit: undefined, ...input })
        assert.doesNotMatch(ids(got), /[789]/)
        assert.deepEqual(got.notes, ["3 reverted messages are left out; unrevert in OpenCode to read them"])
      }
    })
  })

  test("a session that only the index holds is read from there, and marked", async () => {
    await overBoth(async (made) => {
      await storeTen(made, { revertedFrom: "msg_9" })
      made.host.removeSession("ses_1")
      const page = await read(made, { sessionID: "ses_1", limit: 4, cursor: "msg_3" })
      assert.deepEqual([ids(page), page.nextCursor, page.prevCursor], ["4 5 6 7", "msg_7", "msg_4"])
      assert.equal(page.source, "index")
      assert.equal(page.messages[0]?.content, "text of msg_4")
      assert.match(
        page.notes?.join() ?? "",
        /1 reverted message is left out.*OpenCode does not have this session any more/,
      )
      const back = await read(made, {
        sessionID: "ses_1",
        limit: 3,
        cursor: "msg_3",
        direction: "back",
        role: "user",
      })
      assert.deepEqual([ids(back), back.nextCursor, back.prevCursor], ["0 2", "msg_2", null])
      const window = await read(made, { sessionID: "ses_1", messageID: "msg_1", before: 1, after: 1 })
      assert.deepEqual([ids(window), window.anchorIncluded, window.nextCursor], ["0 1 2", true, "msg_2"])
      const end = await read(made, { sessionID: "ses_1", from: "end", limit: 2 })
      assert.deepEqual([ids(end), end.nextCursor, end.prevCursor], ["7 8", null, "msg_7"])
      assert.match(await refused(made, { sessionID: "ses_1", cursor: "msg_x" }), /has no message "msg_x"/)
    })
  })

  test("of a session that only the index holds, results are told as omitted until they are asked for", async () => {
    await overBoth(async (made) => {
      const parts = [textPart("look"), toolPart("bash", { input: { command: "ls" }, output: "a.ts" })]
      await made.store(session("ses_1"), [message("msg_1", { role: "assistant", parts })])
      made.host.removeSession("ses_1")
      const said = (await read(made, { sessionID: "ses_1" })).messages[0]
      assert.deepEqual([said?.content, said?.toolResultsOmitted], ["look", true])
      const done = (await read(made, { sessionID: "ses_1", includeToolResults: true })).messages[0]
      assert.deepEqual([done?.content, done?.toolResultsOmitted], ["look\na.ts", false])
    })
  })

  test("an unindexed session of the host is read; a failing host is not taken for a missing session", async () => {
    const made = bench()
    made.host.add(session("ses_new"), [message("msg_1", { sessionID: "ses_new", text: "fresh" })])
    assert.equal((await read(made, { sessionID: "ses_new" })).messages[0]?.content, "fresh")
    const down = { ok: false, fault: { reason: "failed", message: "connection refused" } } as const
    const broken = bench({ reader: { session: async () => down, messages: async () => down } })
    await storeTen(broken)
    assert.match(
      await refused(broken, { sessionID: "ses_1" }),
      /session "ses_1" could not be read: connection refused/,
    )
  })

  test("compaction is crossed in both directions without a gap", async () => {
    await overBoth(async (made) => {
      const messages = Array.from({ length: 40 }, (_, at) =>
        message(`msg_${at + 10}`, {
          role: at % 2 === 0 ? "user" : "assistant",
          summary: at === 31,
          created: START + at,
        }),
      )
      await made.store(session("ses_1"), messages)
      const window = await read(made, { sessionID: "ses_1", messageID: "msg_41", before: 4, after: 4 })
      assert.equal(ids(window), "37 38 39 40 41 42 43 44 45")
      const early = await read(made, { sessionID: "ses_1", messageID: "msg_15", before: 0, after: 0 })
      assert.equal(early.messages[0]?.content, "text of msg_15")
    })
  })

  test("an aborted call asks the host for nothing more", async () => {
    const made = bench()
    await storeTen(made)
    const abort = new AbortController()
    abort.abort()
    const text = await made.run(historyRead(made.services), { sessionID: "ses_1" }, { signal: abort.signal })
    assert.match(refusal.parse(JSON.parse(text)).error, /the call was aborted/)
    assert.equal(made.host.calls.length, 0)
  })
})
