import assert from "node:assert/strict"
import { test } from "node:test"
import { hiddenLines } from "../../src/cli/view/notes.ts"
import type { HiddenCounts } from "../../src/history/contract.ts"
import { hiddenNotes } from "../../src/tools/search/notes.ts"

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
