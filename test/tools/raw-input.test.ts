import assert from "node:assert/strict"
import { describe, test } from "node:test"
import * as fc from "fast-check"
import * as z from "zod"
import { historyRead } from "../../src/tools/history-read.ts"
import { historySearchEdits } from "../../src/tools/history-search-edits.ts"
import { historySearchMessages } from "../../src/tools/history-search-messages.ts"
import { historySearchSessions } from "../../src/tools/history-search-sessions.ts"
import type { HistoryServices } from "../../src/tools/search/services.ts"
import { sessionList } from "../../src/tools/session-list.ts"
import { sessionRead } from "../../src/tools/session-read.ts"
import type { Tool } from "../../src/tools/tool.ts"
import { message, session } from "../reading/memory-reader.ts"
import { storeCorpus } from "./corpus.ts"
import { bench, overEngine } from "./services.ts"

type Make = (services: HistoryServices) => Tool
const m = historySearchMessages
const s = historySearchSessions
const e = historySearchEdits
const r = historyRead

/** What is written, and what the one-line answer must say. */
const REFUSED: readonly (readonly [Make, unknown, RegExp])[] = [
  [m, {}, /^history-search-messages: `query` is required; write a string$/],
  [m, null, /`query` is required/],
  [m, "login", /got "login" instead of an object of arguments/],
  [m, { query: 404 }, /`query` is 404; write a string/],
  [
    m,
    { query: "" },
    /has no word to find; write one, or use history-search-edits .* history-search-sessions/,
  ],
  [m, { query: "path:src/auth.ts" }, /has no word to find/],
  [m, { query: "-revert" }, /has no word to find/],
  [m, { query: 'login "open' }, /The quote in "\\"open" is not closed/],
  [m, { query: "login project:" }, /project: has no value; write project:all/],
  [m, { query: "login -path:a" }, /-path:"a" cannot be negated/],
  [m, { query: "login path:a path:b" }, /path: is given twice \("a" and "b"\)/],
  [m, { query: "login", terms: ["x"] }, /unknown argument `terms`/],
  [m, { query: "login", allProjects: true }, /unknown argument `allProjects`/],
  [m, { query: "login", limt: 3 }, /unknown argument `limt`, did you mean `limit`\?/],
  [m, { query: "login", limit: 0 }, /`limit` is 0; write a whole number from 1 on/],
  [m, { query: "login", limit: "0" }, /`limit` is "0"; write a whole number from 1 on/],
  [m, { query: "login", limit: 1.5 }, /`limit` is 1.5; write a whole number/],
  [m, { query: "login", limit: "many" }, /`limit` is "many"; write a whole number from 1 on/],
  [m, { query: "login", role: "system" }, /`role` is "system"; write "user" or "assistant"/],
  [m, { query: "login", sort: "oldest" }, /`sort` is "oldest"; write "newest" or "relevance"/],
  [
    m,
    { query: "login", include: ["children"] },
    /`include\[0\]` is "children"; write "subagents" or "archived"/,
  ],
  [m, { query: "login", date: "2026-02-30" }, /date "2026-02-30" is not understood: there is no such day/],
  [m, { query: "login", date: "someday" }, /date "someday" is not understood: write today/],
  [m, { query: "login", date: "" }, /date "" is not understood/],
  [s, { show: "files" }, /`show` is "files"; write "sessions" or "projects"/],
  [e, { query: "path:" }, /path: has no value/],
  [r, { limit: 0 }, /`limit` is 0; write a whole number from 1 to 100/],
  [r, { limit: 101 }, /`limit` is 101; write a whole number from 1 to 100/],
  [r, { maxCharsPerMessage: 99 }, /`maxCharsPerMessage` is 99; write a whole number from 100 to 20000/],
  [r, { messageID: "msg_l1", before: 51 }, /`before` is 51; write a whole number from 0 to 50/],
  [r, { before: 3 }, /`before` is 3, but there is no `messageID`/],
  [r, { messageID: "msg_l1", cursor: "msg_l2" }, /`cursor` is "msg_l2" beside `messageID` "msg_l1"/],
  [
    r,
    { messageID: "msg_l1", limit: 5 },
    /`limit` is 5 beside `messageID`; write `before` and `after` instead/,
  ],
  [r, { cursor: "" }, /`cursor` is ""; write a value, or leave it out/],
  [r, { sessionId: "ses_login" }, /unknown argument `sessionId`, did you mean `sessionID`\?/],
  [sessionList, { limit: 101 }, /`limit` is 101; write a whole number from 1 to 100/],
  [sessionList, { search: "a project:b" }, /takes words and phrases only/],
  [sessionRead, {}, /`sessionID` is required; write a string/],
  [sessionRead, { sessionID: "ses_login", offset: -1 }, /`offset` is -1; write a whole number from 0 on/],
]

/** Forms that mean the same as the plain ones on the right. */
const TAKEN: readonly (readonly [Make, unknown, unknown])[] = [
  [m, { query: "login", role: null, date: null, limit: null, sort: null, include: null }, { query: "login" }],
  [m, { query: "login", limit: " 1 " }, { query: "login", limit: 1 }],
  [m, { query: "login", role: "User" }, { query: "login", role: "user" }],
  [
    m,
    { query: "login", include: "subagents, archived" },
    { query: "login", include: ["subagents", "archived"] },
  ],
  [m, { query: "login", include: [" Archived"] }, { query: "login", include: ["archived"] }],
  [m, { query: "login", include: ["archived", "ARCHIVED"] }, { query: "login", include: ["archived"] }],
  [m, { query: "login", date: " TODAY " }, { query: "login", date: "today" }],
  [s, null, {}],
  [s, undefined, {}],
  [s, { query: null, show: null }, {}],
  [e, undefined, { query: "" }],
  [
    r,
    { sessionID: "ses_login", cursor: null, messageID: null, limit: "2", includeToolResults: "false" },
    { sessionID: "ses_login", limit: 2 },
  ],
  [
    r,
    { sessionID: "ses_login", messageID: "msg_l3", before: "0", after: "1" },
    { sessionID: "ses_login", messageID: "msg_l3", before: 0, after: 1 },
  ],
  [r, { sessionID: "ses_login", direction: "back" }, { sessionID: "ses_login", from: "end" }],
  [
    sessionRead,
    { sessionID: "ses_login", offset: "1", tools: "true" },
    { sessionID: "ses_login", offset: 1, tools: true },
  ],
  [sessionList, { search: null, cursor: null }, {}],
]

describe("raw input", () => {
  test("what is wrong is refused in one line, with the value and what to write", async () => {
    const made = bench()
    await storeCorpus(made)
    for (const [make, input, says] of REFUSED) {
      const answer = await made.run(make(made.services), input)
      assert.ok(!answer.includes("\n"), answer)
      const text = answer.startsWith("{")
        ? String(Reflect.get(JSON.parse(answer) as object, "error"))
        : answer
      assert.match(text, says, JSON.stringify(input))
    }
  })

  test("null, numbers as strings and other spellings are taken", async () => {
    const made = bench()
    await storeCorpus(made)
    for (const [make, input, plain] of TAKEN) {
      const tool = make(made.services)
      assert.equal(await made.run(tool, input), await made.run(tool, plain), JSON.stringify(input))
      assert.doesNotMatch(await made.run(tool, input), /^[a-z_-]+: |^{"error"/)
    }
  })

  test("whatever is written, an answer comes: whole JSON from the tools that answer so, else text without controls", async () => {
    const made = bench()
    await storeCorpus(made)
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(
        "ses_login",
        "msg_l1",
        "all",
        "today",
        "-1",
        "0",
        "5",
        "true",
        "path:src/ login",
        "\u0000",
      ),
      fc.integer({ min: -2, max: 120 }),
      fc.string({ unit: "binary" }),
    )
    for (const make of [m, s, e, r, sessionList, sessionRead]) {
      const tool = make(made.services)
      const argument = fc.record(Object.fromEntries(Object.keys(tool.input).map((key) => [key, value])), {
        requiredKeys: [],
      })
      await fc.assert(
        fc.asyncProperty(fc.oneof(argument, argument, value), async (input) => {
          const answer = await made.run(tool, input)
          assert.ok(answer.isWellFormed())
          if (make === m || make === s || make === e) assert.doesNotMatch(answer, /[^\P{Cc}\n]/u)
          else JSON.parse(answer)
        }),
        { numRuns: 150 },
      )
    }
  })

  test("a megabyte in an argument is answered in a few lines, whatever the argument", async () => {
    const long = "x".repeat(1_000_000)
    await overEngine(async (made) => {
      await storeCorpus(made)
      for (const [make, input] of [
        [m, { query: `login ${long}` }],
        [m, { query: `login "${"x ".repeat(500_000)}"` }],
        [m, { query: `login -${long}` }],
        [m, { query: Array.from({ length: 100_000 }, (_, at) => `w${at}`).join(" ") }],
        [m, { query: `login path:${"x/".repeat(500_000)}` }],
        [m, { query: `login project:${"x/".repeat(500_000)}` }],
        [m, { query: `login project:${long}` }],
        [m, { query: "login", date: long }],
        [m, { query: "login", role: long, [long]: long }],
        [s, { show: long, limit: 1e300 }],
        [e, { query: long }],
        [r, { sessionID: long }],
        [r, { sessionID: "ses_login", messageID: long }],
        [r, { sessionID: "ses_login", cursor: long }],
        [sessionList, { search: long }],
        [sessionList, { cursor: long }],
        [sessionRead, { sessionID: long }],
      ] as const) {
        const answer = await made.run(make(made.services), input)
        assert.ok(answer.length < 2_000, `${answer.length}: ${answer.slice(0, 200)}`)
        assert.doesNotMatch(answer, /regular expression|cannot answer/)
      }
    })
  })

  test("a broken session does not crowd out the others", async () => {
    await overEngine(async (made) => {
      await storeCorpus(made)
      const directory = `/work/here${"/x".repeat(100_000)}`
      await made.store(session("ses_huge", { title: "t".repeat(1_000_000), directory }), [
        message("msg_huge", { text: "login" }),
      ])
      for (const [make, input] of [
        [m, { query: "login" }],
        [s, {}],
        [s, { show: "projects" }],
        [sessionList, { limit: 1 }],
      ] as const) {
        const answer = await made.run(make(made.services), input)
        assert.ok(answer.length < 6_000, String(answer.length))
        assert.doesNotMatch(answer, /left out to keep|did not fit/)
      }
    })
  })

  test("defaults are the tool's own: without arguments the calling session is read from its start", async () => {
    const made = bench()
    const messages = Array.from({ length: 30 }, (_, at) => message(`msg_${at + 100}`))
    await made.store(session("ses_caller"), messages)
    const shape = z.object({ sessionID: z.string(), messages: z.array(z.unknown()) })
    const read = shape.parse(JSON.parse(await made.run(historyRead(made.services), undefined)))
    assert.equal(read.sessionID, "ses_caller")
    assert.equal(read.messages.length, 20)
  })
})
