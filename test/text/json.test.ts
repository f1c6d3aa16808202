import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { parseJson } from "../../src/text/json.ts"

describe("JSON from elsewhere", () => {
  for (const [text, value] of [
    ['{"a":[1]}', { a: [1] }],
    ["null", null],
    ["", undefined],
    ["{", undefined],
    ["<!doctype html>", undefined],
  ] as const)
    test(JSON.stringify(text), () => assert.deepEqual(parseJson(text), value))
})
