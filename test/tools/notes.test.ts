import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { hiddenLines } from "../../src/cli/view/notes.ts"
import type { HiddenCounts } from "../../src/history/contract.ts"
import { historySearchEdits } from "../../src/tools/history-search-edits.ts"
import { historySearchMessages } from "../../src/tools/history-search-messages.ts"
import { historySearchSessions } from "../../src/tools/history-search-sessions.ts"
import { folderNotes, hiddenNotes } from "../../src/tools/search/notes.ts"
import { message, session } from "../reading/memory-reader.ts"
import { overBoth } from "./services.ts"

// What is hidden, as the tools and the command tell it.

const NONE = { subagents: 0, archived: 0, reverted: 0, atLeast: false } as const

const ROWS: readonly (readonly [string, HiddenCounts, readonly string[], readonly string[]])[] = [
  ["nothing", NONE, [], []],
  [
    "counted",
    { ...NONE, subagents: 1, archived: 3 },
    [
      '+1 match in subagent sessions (include: ["subagents"])',
      '+3 matches in archived sessions (include: ["archived"])',
    ],
    [
      "+1 match in subagent sessions: --include subagents",
      "+3 matches in archived sessions: --include archived",
    ],
  ],
  [
    "counted in part, and not at all",
    { ...NONE, subagents: 20, atLeast: true, uncounted: ["subagents", "reverted"] },
    [
      '+20 or more matches in subagent sessions (include: ["subagents"])',
      'Matches only in reverted messages were not counted (include: ["reverted"])',
    ],
    [
      "+20 or more matches in subagent sessions: --include subagents",
      "matches only in reverted messages were not counted: --include reverted",
    ],
  ],
]

for (const [name, hidden, notes, lines] of ROWS)
  test(`hidden matches: ${name}`, () => {
    assert.deepEqual(hiddenNotes(hidden), notes)
    assert.deepEqual(hiddenLines(hidden), lines)
  })

describe("a path under which nothing was found may be meant as a folder", () => {
  const said = 'path:src is a file; a folder has a slash at its end, path:"src/"'
  const cases: [path: string | undefined, notes: readonly string[]][] = [
    ["src", [said]],
    ["a/b", ['path:"a/b" is a file; a folder has a slash at its end, path:"a/b/"']],
    ["src/", []],
    ["src\\", []],
    ["src/a.ts", []],
    [".github", []],
    [undefined, []],
  ]
  for (const [path, notes] of cases) test(String(path), () => assert.deepEqual(folderNotes(path), notes))

  test("every search says so", () =>
    overBoth(async (made) => {
      await made.store(session("ses_1"), [message("msg_1", { text: "a word" })])
      for (const tool of [historySearchMessages, historySearchSessions, historySearchEdits])
        assert.ok((await made.run(tool(made.services), { query: "word path:src" })).includes(said))
    }))
})
