import assert from "node:assert/strict"
import { describe, test } from "node:test"
import * as z from "zod"
import { historyRead } from "../../src/tools/history-read.ts"
import { historySearchEdits } from "../../src/tools/history-search-edits.ts"
import { historySearchMessages } from "../../src/tools/history-search-messages.ts"
import { historySearchSessions } from "../../src/tools/history-search-sessions.ts"
import { sessionList } from "../../src/tools/session-list.ts"
import { sessionRead } from "../../src/tools/session-read.ts"
import { bench } from "./services.ts"

const { services } = bench()
const TOOLS = [
  historySearchMessages(services),
  historySearchSessions(services),
  historySearchEdits(services),
  historyRead(services),
  sessionList(services),
  sessionRead(services),
]

/** What each session pays for these six: about 1,000 tokens of four characters. */
const MAX_DEFINITION_UNITS = 4_200

function schemaOf(tool: (typeof TOOLS)[number]): string {
  const { $schema: _, ...schema } = z.toJSONSchema(z.object(tool.input), { io: "input" })
  return JSON.stringify(schema)
}

describe("definitions", () => {
  test("have exactly these names", () => {
    assert.deepEqual(
      TOOLS.map((tool) => tool.name),
      [
        "history-search-messages",
        "history-search-sessions",
        "history-search-edits",
        "history-read",
        "session_list",
        "session_read",
      ],
    )
  })

  test("cost the model little", () => {
    const sizes = TOOLS.map((tool) => tool.name.length + tool.description.length + schemaOf(tool).length)
    const total = sizes.reduce((sum, size) => sum + size, 0)
    assert.ok(total <= MAX_DEFINITION_UNITS, `${total}: ${sizes.join(", ")}`)
  })

  test("say which types and words are taken, and require only what must be given", () => {
    const read = z.toJSONSchema(z.object(historyRead(services).input), { io: "input" })
    assert.equal(read.required, undefined)
    assert.match(
      schemaOf(historyRead(services)),
      /"limit":\{"description":"Default 20, max 100","type":"number"\}/,
    )
    assert.match(schemaOf(historySearchMessages(services)), /"required":\["query"\]/)
    assert.match(schemaOf(historySearchSessions(services)), /"enum":\["sessions","projects"\]/)
    assert.match(schemaOf(sessionRead(services)), /"required":\["sessionID"\]/)
  })
})
