import assert from "node:assert/strict"
import { describe, test } from "node:test"
import * as z from "zod/mini"
import { clampedInteger, described, withDefault } from "../../src/tools/arguments.ts"
import { parseInput } from "../../src/tools/input.ts"

const definition = {
  name: "t",
  input: {
    sessionId: z.string(),
    limit: withDefault(clampedInteger(1, 500), 100),
    role: z.optional(z.enum(["user", "assistant"])),
    files: z.optional(z.array(z.string())),
    deep: withDefault(z.boolean(), false),
  },
}

const defaults = { sessionId: "s", limit: 100, deep: false }

describe("what is accepted", () => {
  accepts({ sessionId: "s" }, defaults)
  accepts({ sessionId: "s", limit: null, role: null, files: null, deep: null }, defaults)
  accepts({ sessionId: "s", limit: undefined }, defaults)
  accepts({ sessionId: "s", limit: 7 }, { ...defaults, limit: 7 })
  accepts({ sessionId: "s", limit: "10" }, { ...defaults, limit: 10 })
  accepts({ sessionId: "s", limit: " 10 " }, { ...defaults, limit: 10 })
  accepts({ sessionId: "s", limit: 0 }, { ...defaults, limit: 1 })
  accepts({ sessionId: "s", limit: -3 }, { ...defaults, limit: 1 })
  accepts({ sessionId: "s", limit: 501 }, { ...defaults, limit: 500 })
  accepts({ sessionId: "s", limit: 1e99 }, { ...defaults, limit: 500 })
  accepts({ sessionId: "s", limit: 10.9 }, { ...defaults, limit: 10 })
  accepts({ sessionId: "s", role: "user", files: ["a"] }, { ...defaults, role: "user", files: ["a"] })

  function accepts(raw: unknown, value: object): void {
    test(JSON.stringify(raw), () => assert.deepEqual(parseInput(definition, raw), { ok: true, value }))
  }
})

describe("what is refused, with the message", () => {
  refuses(undefined, "t: `sessionId` is required; write a string")
  refuses(null, "t: `sessionId` is required; write a string")
  refuses({}, "t: `sessionId` is required; write a string")
  refuses({ sessionId: null }, "t: `sessionId` is required; write a string")
  refuses({ sessionId: 7 }, "t: `sessionId` is 7; write a string")
  refuses(
    "ses_1",
    't: got "ses_1" instead of an object of arguments; the arguments are `sessionId`, `limit`, `role`, `files`, `deep`',
  )
  refuses(
    ["ses_1"],
    "t: got a list of 1 instead of an object of arguments; the arguments are `sessionId`, `limit`, `role`, `files`, `deep`",
  )
  refuses({ sessionID: "s" }, "t: unknown argument `sessionID`, did you mean `sessionId`?")
  refuses({ sessionId: "s", limits: 1 }, "t: unknown argument `limits`, did you mean `limit`?")
  refuses(
    { sessionId: "s", colour: 1 },
    "t: unknown argument `colour`, the arguments are `sessionId`, `limit`, `role`, `files`, `deep`",
  )
  refuses(
    { sessionId: "s", 'a\n"b': null },
    't: unknown argument `a\\n\\"b`, the arguments are `sessionId`, `limit`, `role`, `files`, `deep`',
  )
  refuses({ sessionId: "s", limit: "ten" }, 't: `limit` is "ten"; write a whole number from 1 to 500')
  refuses({ sessionId: "s", limit: "" }, 't: `limit` is ""; write a whole number from 1 to 500')
  refuses(
    { sessionId: "s", limit: "Infinity" },
    't: `limit` is "Infinity"; write a whole number from 1 to 500',
  )
  refuses({ sessionId: "s", limit: true }, "t: `limit` is true; write a whole number from 1 to 500")
  refuses({ sessionId: "s", limit: [10] }, "t: `limit` is a list of 1; write a whole number from 1 to 500")
  refuses({ sessionId: "s", role: "system" }, 't: `role` is "system"; write "user" or "assistant"')
  refuses({ sessionId: "s", files: "a" }, 't: `files` is "a"; write a list')
  refuses({ sessionId: "s", files: ["a", 7] }, "t: `files[1]` is 7; write a string")
  refuses({ sessionId: "s", deep: "yes" }, 't: `deep` is "yes"; write true or false')
  refuses({ sessionId: 1, deep: 2 }, "t: `sessionId` is 1; write a string; `deep` is 2; write true or false")

  function refuses(raw: unknown, error: string): void {
    test(error, () => assert.deepEqual(parseInput(definition, raw), { ok: false, error }))
  }
})

test("a key named __proto__ is an unknown argument", () => {
  const raw: unknown = JSON.parse('{"sessionId": "s", "__proto__": {"limit": 3}}')
  const parsed = parseInput(definition, raw)
  assert.ok(!parsed.ok && parsed.error.startsWith("t: unknown argument `__proto__`"))
})

for (const [io, shown] of [
  // The host's converter asks for the input side; it leaves out the default of a value that is clamped.
  ["input", {}],
  ["output", { default: 100 }],
] as const)
  test(`the shape is shown to the model as plain JSON Schema (${io})`, () => {
    const limit = described(withDefault(clampedInteger(1, 500), 100), "How many")
    assert.deepEqual(z.toJSONSchema(z.object({ limit }), { io }).properties, {
      limit: { description: "How many", type: "integer", minimum: 1, maximum: 500, ...shown },
    })
  })
