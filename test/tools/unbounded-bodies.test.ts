import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { messageContent } from "../../src/reading/content.ts"
import { createPace, STRETCH_MS } from "../../src/reading/pace.ts"
import { sectionOf } from "../../src/reading/section.ts"
import type { Message } from "../../src/session/model.ts"
import { SESSION_READ_DEFAULT } from "../../src/tools/definitions/sessions.ts"
import { historyRead } from "../../src/tools/history-read.ts"
import { CALLS_LOOKED_AT_UNITS, messageEntry } from "../../src/tools/search/message-entry.ts"
import { sessionRead } from "../../src/tools/session-read.ts"
import { message, session, textPart, toolPart } from "../reading/memory-reader.ts"
import { bench } from "./services.ts"

// Bodies of any size cost the host's thread no more than what is shown of them, in stretches.

const BODY_UNITS = 20 * 1024 * 1024
const bodies: [name: string, body: string][] = [
  ["api-key= again and again", "api-key=".repeat(BODY_UNITS / 8)],
  ["escape sequences alone", "\u001B[31m".repeat(BODY_UNITS / 5)],
  ["one line of one letter", "x".repeat(BODY_UNITS)],
]

test("a pace gives way once a stretch has passed, and not before", async () => {
  let now = 0
  const pace = createPace(() => now)
  let turns = 0
  const turned = () => setImmediate(() => turns++)
  turned()
  now = STRETCH_MS - 1
  await pace()
  assert.equal(turns, 0)
  now = STRETCH_MS
  await pace()
  assert.equal(turns, 1)
  turned()
  now = 2 * STRETCH_MS - 1
  await pace()
  assert.equal(turns, 1)
})

describe("a cut is told, however little of what was looked at is left", () => {
  for (const [name, body] of bodies)
    test(name, () => {
      const options = { maxChars: 2_000, includeToolResults: false, maskSecrets: true }
      const one = message("msg_1", { parts: [textPart(body), textPart(body)] })
      assert.equal(messageContent(one, options).truncated, true)
      const entry = messageEntry(one, 0, { tools: false, maskSecrets: true }).entry
      assert.match(entry?.text ?? "", /… \[\d+ characters cut\]$/)
      const budget = { units: 200_000 }
      const shown = sectionOf(one, { maskSecrets: true, maxTextUnits: 150_000, budget })
      assert.ok((shown?.cutUnits ?? 0) >= 2 * BODY_UNITS - 200_000)
      assert.ok(budget.units >= 0)
    })
})

test("calls that are not looked at are counted", () => {
  const input = { command: "\u001B[31m".repeat(10_000) }
  const parts = Array.from({ length: 1_000 }, () =>
    toolPart("bash", { input, output: "api-key=".repeat(10_000) }),
  )
  const { entry } = messageEntry(message("msg_1", { parts }), 0, { tools: true, maskSecrets: true })
  const shown = typeof entry?.tools === "object" ? entry.tools.length : 0
  assert.ok(shown > 0 && shown * 2 * 16_384 < CALLS_LOOKED_AT_UNITS + 4 * 20_000, `${shown} calls`)
  assert.equal(shown + (entry?.toolsLeftOut ?? 0), 1_000)
})

describe("the host's other work has its turn while a session of such bodies is read", () => {
  const messages: readonly Message[] = Array.from({ length: SESSION_READ_DEFAULT }, (_, at) =>
    message(`msg_${String(at).padStart(3, "0")}`, {
      parts: bodies.flatMap(([, body]) => [textPart(body), toolPart("bash", { output: body })]),
    }),
  )
  const tools = [
    [
      "history-read",
      (one: ReturnType<typeof bench>) => historyRead(one.services),
      { sessionID: "ses_1", maxCharsPerMessage: 20_000, includeToolResults: true },
    ],
    [
      "session_read",
      (one: ReturnType<typeof bench>) => sessionRead(one.services),
      { sessionID: "ses_1", tools: true },
    ],
  ] as const
  for (const [name, tool, input] of tools)
    test(name, async () => {
      const one = bench()
      one.host.add(
        session("ses_1"),
        messages.map((each) => ({ ...each, sessionID: "ses_1" })),
      )
      let turns = 0
      let over = false
      const count = () => {
        turns++
        if (!over) setImmediate(count)
      }
      setImmediate(count)
      const answer = await one.run(tool(one), input)
      over = true
      assert.doesNotMatch(answer, /^\{"(error|ok":false)/)
      assert.ok(turns > 1, `${turns} turns`)
    })
})
