import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { historyRead } from "../../src/tools/history-read.ts"
import { historySearchEdits } from "../../src/tools/history-search-edits.ts"
import { historySearchMessages } from "../../src/tools/history-search-messages.ts"
import { historySearchSessions } from "../../src/tools/history-search-sessions.ts"
import type { HistoryServices } from "../../src/tools/search/services.ts"
import { sessionList } from "../../src/tools/session-list.ts"
import { sessionRead } from "../../src/tools/session-read.ts"
import type { Tool } from "../../src/tools/tool.ts"
import { storeCorpus } from "./corpus.ts"
import { overBoth } from "./services.ts"

// The layouts, whole. A change here is a change of what models have learnt to read.

type Golden = {
  readonly name: string
  readonly tool: (services: HistoryServices) => Tool
  readonly input: unknown
  readonly answer: string
}

const LAYOUTS: readonly Golden[] = [
  {
    name: "messages: sessions with a line a word, hidden matches counted, the zone once",
    tool: historySearchMessages,
    input: { query: "token" },
    answer: `2 sessions hold token · this project · newest first
"Fix the login"  ses_login  /work/here  2026-11-30 12:00
  token  user msg_l1  Please fix the login, the token expires
  + 1 more message
"Réglage du cache"  ses_cache  /work/here  2026-11-29 12:00
  token  user msg_c1  The cache holds a stale token
Times: UTC`,
  },
  {
    name: "messages: a title is a hit without a message; what is hidden is told how to get",
    tool: historySearchMessages,
    input: { query: "RÉGLAGE stale", role: "user" },
    answer: `1 session holds RÉGLAGE, stale · this project · role user · newest first
"Réglage du cache"  ses_cache  /work/here  2026-11-29 12:00
  stale  user msg_c1  The cache holds a stale token
  RÉGLAGE  in the title
Times: UTC`,
  },
  {
    name: "messages: included sessions are marked",
    tool: historySearchMessages,
    input: { query: "login", include: ["subagents", "archived", "reverted"] },
    answer: `4 sessions hold login · this project · with subagents, archived, reverted · newest first
"Fix the login"  ses_login  /work/here  2026-11-30 12:00
  login  user msg_l1  Please fix the login, the token expires
  + 1 more message
"Undone"  ses_revert  /work/here  2026-11-30 06:00  (only in reverted messages)
  login  user (reverted) msg_r2  login with flux capacitors
"Look around (@general subagent)"  ses_sub  /work/here  2026-11-29 18:00  (subagent of ses_login)
  login  user msg_s1  find the login code
"Archived login work"  ses_old  /work/here  2026-11-26 20:00  (archived)
  login  user msg_o1  login page, first try
Times: UTC`,
  },
  {
    name: "messages: hidden matches are counted",
    tool: historySearchMessages,
    input: { query: "login", date: "2026-11-20 to 2026-11-30" },
    answer: `1 session holds login · this project · 2026-11-20 00:00 to 2026-11-30 23:59 · newest first
"Fix the login"  ses_login  /work/here  2026-11-30 12:00
  login  user msg_l1  Please fix the login, the token expires
  + 1 more message
+1 match in subagent sessions (include: ["subagents"])
+1 match in archived sessions (include: ["archived"])
+1 match only in reverted messages (include: ["reverted"])
Times: UTC`,
  },
  {
    name: "messages: nothing found is explained",
    tool: historySearchMessages,
    input: { query: "logim cache" },
    answer: `No session holds logim, cache · this project
  logim: in no session; close spellings: login
  cache: in 1 session
Closest sessions; they do not hold every word:
  "Réglage du cache"  ses_cache  /work/here  2026-11-29 12:00  holds cache
Other projects were not searched (project:all in the query asks for them)
Times: UTC`,
  },
  {
    name: "sessions",
    tool: historySearchSessions,
    input: { limit: 2 },
    answer: `2 sessions · this project · newest first
"Fix the login"  ses_login  2026-11-30 12:00  /work/here  project prj_here
"Undone"  ses_revert  2026-11-30 06:00  /work/here  project prj_here
More sessions exist; narrow the query or raise limit (max 50)
+1 match in subagent sessions (include: ["subagents"])
+1 match in archived sessions (include: ["archived"])
Times: UTC`,
  },
  {
    name: "projects",
    tool: historySearchSessions,
    input: { query: "token project:all", show: "projects" },
    answer: `2 projects · token · all projects · most sessions first
2 sessions  prj_here  /work/here  last 2026-11-30 12:00
1 session  prj_other  /work/other  last 2026-11-30 09:00
Times: UTC`,
  },
  {
    name: "edits: grouped by session and prompt; a failed one is apart",
    tool: historySearchEdits,
    input: { date: "last 7 days", limit: 4 },
    answer: `3 edits (and 1 failed) · this project · 2026-11-23 00:00 to 2026-11-30 14:00 · newest first
"Fix the login"  ses_login  /work/here
  prompt msg_l3  Now move it
  2026-11-30 11:00  msg_l4  failed  edit  src/gone.ts
  2026-11-30 11:00  msg_l4  done  move by apply_patch  src/auth.ts -> src/login/auth.ts  (first edit of this file)
"Look around (@general subagent)"  ses_sub  /work/here  (subagent of ses_login)
  prompt msg_s1  find the login code
  2026-11-29 18:00  msg_s2  done  edit  src/sub.ts  (first edit of this file)
"Fix the login"  ses_login  /work/here
  prompt msg_l1  Please fix the login, the token expires
  2026-11-29 09:00  msg_l2  done  write  src/auth.ts  (first edit of this file)
The index knows edits here since 2026-11-29 09:00
Times: UTC`,
  },
  {
    name: "history-read: a page",
    tool: historyRead,
    input: { sessionID: "ses_login", limit: 2 },
    answer: `{"sessionID":"ses_login","title":"Fix the login","nextCursor":"msg_l2","prevCursor":null,"dates":"2026-11-29 08:00 to 2026-11-29 09:00 UTC","messages":[
{"messageID":"msg_l1","role":"user","content":"Please fix the login, the token expires","truncated":false,"toolResultsOmitted":false,"otherContentOmitted":false},
{"messageID":"msg_l2","role":"assistant","content":"I will change the session code.\\n[tool: write]\\n[tool results omitted]","truncated":false,"toolResultsOmitted":true,"otherContentOmitted":true}
]}`,
  },
  {
    name: "session_list: a search",
    tool: sessionList,
    input: { search: "login" },
    answer: `{"notes":["1 subagent session left out; history-search-sessions with include [\\"subagents\\"] lists them","1 session with matches only in reverted messages left out"],"sessions":[
{"sessionID":"ses_login","title":"Fix the login","directory":"/work/here","updated":"2026-11-30T12:00:00.000Z","messages":5,"matches":[{"index":0,"snippet":"Please fix the login, the token expires"}]},
{"sessionID":"ses_other","title":"Other repo","directory":"/work/other","updated":"2026-11-30T09:00:00.000Z","messages":1,"matches":[{"index":0,"snippet":"login token of the other repo"}]},
{"sessionID":"ses_old","title":"Archived login work","directory":"/work/here","updated":"2026-11-26T20:00:00.000Z","messages":1,"archived":true,"matches":[{"index":0,"snippet":"login page, first try"}]}
]}`,
  },
  {
    name: "session_read: a page with tools",
    tool: sessionRead,
    input: { sessionID: "ses_login", offset: 0, limit: 2, tools: true },
    answer: `{"total":5,"title":"Fix the login","dates":"2026-11-29 08:00 to 2026-11-29 09:00 UTC","messages":[
{"index":0,"role":"user","text":"Please fix the login, the token expires"},
{"index":1,"role":"assistant","text":"I will change the session code.","tools":[{"tool":"write","status":"completed","input":"{\\"filePath\\":\\"/work/here/src/auth.ts\\",\\"content\\":\\"const token = 1\\"}","output":"ok"}]}
]}`,
  },
]

describe("layouts", () => {
  test("are these, over the index in memory and the real one", async () => {
    await overBoth(async (bench, index) => {
      await storeCorpus(bench)
      for (const layout of LAYOUTS)
        assert.equal(
          await bench.run(layout.tool(bench.services), layout.input),
          layout.answer,
          `${index}: ${layout.name}`,
        )
    })
  })
})
