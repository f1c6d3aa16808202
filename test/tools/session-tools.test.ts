import assert from "node:assert/strict"
import { describe, test } from "node:test"
import * as z from "zod"
import { sessionList } from "../../src/tools/session-list.ts"
import { sessionRead } from "../../src/tools/session-read.ts"
import type { Message } from "../../src/session/model.ts"
import { costRatio, cpuMs } from "../growth.ts"
import { message, session, START, textPart, toolPart } from "../reading/memory-reader.ts"
import { ago } from "./corpus.ts"
import { bench, overBoth, type Bench } from "./services.ts"

const listed = z.strictObject({
  cursor: z.string().optional(),
  notes: z.array(z.string()).optional(),
  sessions: z.array(
    z.strictObject({
      sessionID: z.string(),
      title: z.string(),
      directory: z.string(),
      updated: z.iso.datetime(),
      messages: z.number(),
      archived: z.boolean().optional(),
      alsoInForks: z.number().optional(),
      matches: z.array(z.strictObject({ index: z.number(), snippet: z.string() })).optional(),
    }),
  ),
})
const page = z.object({
  total: z.number(),
  source: z.string().optional(),
  notes: z.array(z.string()).optional(),
  messages: z.array(
    z.object({
      index: z.number(),
      role: z.enum(["user", "assistant", "compaction"]),
      text: z.string(),
      tools: z.unknown().optional(),
      toolFiles: z.number().optional(),
    }),
  ),
})
const refusal = z.strictObject({ error: z.string() })

const list = async (made: Bench, input: unknown) =>
  listed.parse(JSON.parse(await made.run(sessionList(made.services), input)))
const read = async (made: Bench, input: unknown) =>
  page.parse(JSON.parse(await made.run(sessionRead(made.services), input)))
const refused = async (made: Bench, tool: "list" | "read", input: unknown) => {
  const make = tool === "list" ? sessionList : sessionRead
  return refusal.parse(JSON.parse(await made.run(make(made.services), input))).error
}

async function storeSessions(made: Bench, count: number): Promise<void> {
  for (let at = 0; at < count; at++)
    await made.store(session(`ses_${String(at).padStart(3, "0")}`, { updated: ago(at) }), [
      message(`msg_${at}`, { text: `word ${at}`, created: ago(at) }),
    ])
}

describe("session_list", () => {
  test("every session can be reached, each once; subagents are counted", async () => {
    await overBoth(async (made) => {
      await storeSessions(made, 45)
      for (let at = 0; at < 9; at++)
        await made.store(session(`ses_child${at}`, { parentID: "ses_000", updated: ago(at) }), [
          message(`msg_child${at}`, { text: `word of child ${at}` }),
        ])
      await made.store(session("ses_archived", { archived: START, updated: ago(100) }), [])
      for (const input of [{}, { search: "word" }]) {
        const seen: string[] = []
        let cursor: string | undefined
        do {
          const got = await list(made, { ...input, limit: 10, cursor })
          seen.push(...got.sessions.map((entry) => entry.sessionID))
          cursor = got.cursor
          assert.match(got.notes?.join() ?? "", /9 subagent sessions left out/)
        } while (cursor !== undefined)
        const own = Array.from({ length: 45 }, (_, at) => `ses_${String(at).padStart(3, "0")}`)
        assert.deepEqual(seen, "search" in input ? own : [...own, "ses_archived"])
      }
    })
  })

  test("a cursor belongs to its search and its order, and is refused with the reason", async () => {
    await overBoth(async (made) => {
      await storeSessions(made, 6)
      const { cursor } = await list(made, { limit: 2 })
      assert.match(
        await refused(made, "list", { cursor, search: "word" }),
        /refused: it belongs to another search; call again without cursor/,
      )
      assert.match(
        await refused(made, "list", { cursor: "abc" }),
        /cursor "abc" is refused: it is not one of this tool/,
      )
      assert.match(
        await refused(made, "list", { cursor: Buffer.from("[1]").toString("base64url") }),
        /not one of this tool/,
      )
      assert.equal((await list(made, { limit: 3, cursor })).sessions[0]?.sessionID, "ses_002")
      await made.store(session("ses_004", { updated: ago(-1) }), [message("msg_new", { text: "moved up" })])
      assert.match(await refused(made, "list", { limit: 2, cursor }), /the index changed since/)
    })
  })

  test("the calling session, which every call moves, does not spoil a cursor", async () => {
    await overBoth(async (made) => {
      await storeSessions(made, 6)
      await made.store(session("ses_caller", { updated: ago(-1) }), [])
      const first = await list(made, { limit: 3 })
      assert.equal(first.sessions[0]?.sessionID, "ses_caller")
      await made.store(session("ses_caller", { updated: ago(-2) }), [message("msg_call")])
      const second = await list(made, { limit: 3, cursor: first.cursor })
      assert.deepEqual(
        second.sessions.map((entry) => entry.sessionID),
        ["ses_002", "ses_003", "ses_004"],
      )
    })
  })

  test("a search needs every word in one message or in the title; the newest three matches are shown", async () => {
    await overBoth(async (made) => {
      const texts = [
        "alpha beta",
        "alpha",
        "beta",
        "ALPHA then beta",
        "beta alpha",
        "alpha, beta!",
        "alpha-beta",
      ]
      await made.store(session("ses_1", { updated: ago(1) }), [
        ...texts.map((text, at) =>
          message(`msg_${at}`, { text, role: at % 2 ? "assistant" : "user", created: START + at }),
        ),
        message("msg_9", {
          role: "assistant",
          created: START + 9,
          parts: [toolPart("bash", { output: "alpha beta" }), { type: "reasoning", text: "alpha beta" }],
        }),
      ])
      await made.store(session("ses_2", { title: "Beta and alpha", updated: ago(2) }), [])
      await made.store(session("ses_3", { updated: ago(3) }), [
        message("msg_a", { text: "alpha" }),
        message("msg_b", { text: "beta" }),
      ])
      const got = await list(made, { search: "alpha beta" })
      assert.deepEqual(
        got.sessions.map((entry) => entry.sessionID),
        ["ses_1", "ses_2"],
      )
      assert.deepEqual(
        got.sessions[0]?.matches?.map((match) => match.index),
        [6, 5, 4],
      )
      assert.equal(got.sessions[1]?.matches, undefined)
      assert.equal(got.sessions[0]?.messages, 8)
    })
  })

  test("a match's index is an offset for session_read", async () => {
    await overBoth(async (made) => {
      const messages = Array.from({ length: 300 }, (_, at) =>
        message(`msg_${String(at).padStart(3, "0")}`, {
          text: at === 141 ? "the needle" : `hay ${at}`,
          created: START + Math.floor(at / 3),
        }),
      )
      await made.store(session("ses_1"), messages)
      const index = (await list(made, { search: "needle" })).sessions[0]?.matches?.[0]?.index
      assert.equal(index, 141)
      const got = await read(made, { sessionID: "ses_1", offset: index, limit: 1 })
      assert.deepEqual(got.messages, [{ index: 141, role: "user", text: "the needle" }])
      assert.equal(got.total, 300)
    })
  })

  test("nothing found names the unknown words", async () => {
    await overBoth(async (made) => {
      await storeSessions(made, 2)
      const got = await list(made, { search: "word zebra" })
      assert.deepEqual(got.sessions, [])
      assert.match(got.notes?.join() ?? "", /no session holds zebra/)
    })
  })
})

describe("session_read", () => {
  const messages: readonly Message[] = [
    message("msg_0", { text: "x".repeat(10_050), created: START }),
    message("msg_1", {
      role: "assistant",
      created: START + 1,
      parts: [
        textPart("run"),
        toolPart("bash", { input: { command: "c".repeat(2_000) }, output: "o".repeat(1_300) }),
      ],
    }),
    message("msg_2", { created: START + 2, parts: [{ type: "compaction", auto: true }] }),
    message("msg_3", { role: "assistant", summary: true, text: "summary", created: START + 3 }),
    message("msg_4", { text: "after", created: START + 4 }),
  ]

  test("hidden messages use an index, a compaction has its role, cuts say how much", async () => {
    await overBoth(async (made) => {
      await made.store(session("ses_1"), messages)
      const got = await read(made, { sessionID: "ses_1" })
      assert.equal(got.total, 5)
      assert.deepEqual(
        got.messages.map((entry) => [entry.index, entry.role]),
        [
          [0, "user"],
          [1, "assistant"],
          [3, "compaction"],
          [4, "user"],
        ],
      )
      assert.equal(got.messages[0]?.text, `${"x".repeat(10_000)}… [50 characters cut]`)
      assert.equal(got.messages[1]?.tools, 1)
      assert.deepEqual(got.notes, ["1 hidden message skipped"])
      const full = await read(made, { sessionID: "ses_1", offset: 1, limit: 1, tools: true })
      const input = `{"command":"${"c".repeat(1_238)}… [764 characters cut]`
      assert.deepEqual(full.messages[0]?.tools, [
        { tool: "bash", status: "completed", input, output: `${"o".repeat(1_250)}… [50 characters cut]` },
      ])
    })
  })

  test("without offset the latest page, past the end an empty one with the total", async () => {
    await overBoth(async (made) => {
      await made.store(session("ses_1"), messages)
      const latest = await read(made, { sessionID: "ses_1", limit: 2 })
      assert.deepEqual(
        latest.messages.map((entry) => entry.index),
        [3, 4],
      )
      assert.equal(
        await made.run(sessionRead(made.services), { sessionID: "ses_1", offset: 99 }),
        '{"total":5,"messages":[]}',
      )
    })
  })

  test("an unknown session is an error; a reverted tail is left out and counted", async () => {
    await overBoth(async (made) => {
      await made.store(session("ses_1", { revertedFrom: "msg_3" }), messages)
      assert.match(await refused(made, "read", { sessionID: "ses_9" }), /no session "ses_9"/)
      const got = await read(made, { sessionID: "ses_1" })
      assert.equal(got.total, 5)
      assert.deepEqual(
        got.messages.map((entry) => entry.index),
        [0, 1],
      )
      assert.match(got.notes?.join() ?? "", /2 reverted messages at the end left out/)
    })
  })

  test("a session that only the index holds keeps its indexes, and is marked", async () => {
    await overBoth(async (made) => {
      await made.store(session("ses_1"), messages)
      made.host.removeSession("ses_1")
      const got = await read(made, { sessionID: "ses_1", offset: 3 })
      assert.equal(got.source, "index")
      assert.equal(got.total, 5)
      assert.deepEqual(
        got.messages.map((entry) => [entry.index, entry.role, entry.text]),
        [
          [3, "compaction", "summary"],
          [4, "user", "after"],
        ],
      )
      assert.deepEqual((await read(made, { sessionID: "ses_1", offset: 9 })).messages, [])
    })
  })

  test("of a session that only the index holds, tools are counted until they are asked for, reasoning is not shown", async () => {
    await overBoth(async (made) => {
      const parts = [
        textPart("look"),
        { type: "reasoning", text: "hm" } as const,
        toolPart("bash", { input: { command: "ls" }, output: "a.ts" }),
      ]
      await made.store(session("ses_1"), [message("msg_1", { role: "assistant", parts })])
      made.host.removeSession("ses_1")
      const [said] = (await read(made, { sessionID: "ses_1" })).messages
      assert.deepEqual(said, { index: 0, role: "assistant", text: "look", tools: 1 })
      const [done] = (await read(made, { sessionID: "ses_1", tools: true })).messages
      assert.deepEqual(done, { index: 0, role: "assistant", text: "look\nbash\ncommand: ls\na.ts" })
    })
  })

  test("parts without a usable shape are counted, a secret in a file's name is masked", async () => {
    await overBoth(async (made) => {
      const filename = `ghp_${"a1B2".repeat(9)}.png`
      const file = { type: "file", mime: "image/png", filename, url: "data:" } as const
      await made.store(session("ses_1"), [message("msg_1", { parts: [file], malformed: 2 })])
      const answer = await made.run(sessionRead(made.services), { sessionID: "ses_1" })
      assert.match(answer, /"notes":\["2 unreadable parts skipped","1 secret masked"\]/)
      assert.match(answer, /"files":\["\[secret: github token\]\.png"\]/)
    })
  })

  test("a page of a session of 100,000 messages costs under 5 ms, and what one of 1,000 costs", async () => {
    const [few, many] = [pagesOf(1_000), pagesOf(100_000)]
    const ratio = await costRatio(few, many, 3)
    assert.ok(ratio <= 3, `${ratio.toFixed(1)} times as much`)
    const costs = [await cpuMs(many), await cpuMs(many), await cpuMs(many)]
    assert.ok(Math.min(...costs) < PAGES * 5, `${costs.join(", ")} ms for ${PAGES} pages`)
  })
})

const PAGES = 15

/** Reads that many pages, all over a session of `total` messages. */
function pagesOf(total: number): () => Promise<void> {
  const made = bench()
  const many = Array.from({ length: total }, (_, at) =>
    message(`msg_${String(at).padStart(6, "0")}`, { sessionID: "ses_1", created: START + at }),
  )
  made.host.add(session("ses_1"), many)
  const rows = many.map((entry, index) => ({ ...entry, index, text: "", cut: false, lost: 0 }))
  // An index that answers at once: what is left is our own time.
  const history = {
    ...made.services.history,
    messages: (ask: Parameters<typeof made.services.history.messages>[0]) => {
      const from =
        ask.anchor !== undefined && "index" in ask.anchor ? ask.anchor.index : rows.length - ask.limit
      const messages = rows.slice(from, from + ask.limit)
      return Promise.resolve({
        ok: true as const,
        value: { found: true as const, messages, more: true, total: rows.length, reverted: 0 },
      })
    },
  }
  const tool = sessionRead({ ...made.services, history })
  return async () => {
    for (let at = 0; at < PAGES; at++) {
      const offset = (at * total) / 20
      const got = page.parse(JSON.parse(await made.run(tool, { sessionID: "ses_1", offset })))
      assert.equal(got.messages[0]?.index, offset)
      assert.equal(got.messages.length, 20)
    }
  }
}

test("session_read counts the files of tool results, and names them with the calls", async () => {
  const shot = toolPart("shot", { output: "ok", attachments: [{ filename: "a.png", mime: "image/png" }] })
  const made = bench()
  await made.store(session("ses_1"), [message("msg_1", { role: "assistant", parts: [shot] })])
  const [short] = (await read(made, { sessionID: "ses_1" })).messages
  assert.deepEqual([short?.tools, short?.toolFiles], [1, 1])
  const [full] = (await read(made, { sessionID: "ses_1", tools: true })).messages
  const call = {
    tool: "shot",
    status: "completed",
    input: "{}",
    output: "ok",
    files: ["[image: a.png, image/png]"],
  }
  assert.deepEqual([full?.tools, full?.toolFiles], [[call], 1])
})
