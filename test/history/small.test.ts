import assert from "node:assert/strict"
import { describe, test } from "node:test"
import * as fc from "fast-check"
import { addGrams, GRAM_BYTES, mayHold, MAX_TRIGRAMS, trigramQuery } from "../../src/history/grams.ts"
import { preferredKey, MAX_SESSION_KEY, ridRange, sessionKeyOf } from "../../src/history/schema.ts"
import { relevance } from "../../src/history/search/rank.ts"
import { closeSpellings, editDistance } from "../../src/history/search/spelling.ts"
import { AbortedError, runAtOnce, runSteps, type Steps } from "../../src/history/steps.ts"
import { MAX_INPUT_DEPTH, MAX_INPUT_FIELDS, toolInputText } from "../../src/history/tool-input.ts"

describe("trigrams asked for", () => {
  asked("ab", undefined)
  asked("東京", undefined)
  asked("🚀🚀", undefined)
  asked("abc", '"abc"')
  asked("abcd", '"abc" AND "bcd"')
  asked('a"b', '"a""b"')
  asked("🦄🧭🪐", '"🦄🧭🪐"')

  function asked(word: string, expected: string | undefined): void {
    test(word, () => assert.equal(trigramQuery(word), expected))
  }

  test("a long phrase asks for a few, its first and last among them", () => {
    const query =
      trigramQuery(
        Array.from({ length: 500 }, (_, at) => String.fromCharCode(97 + (at % 26), 98 + (at % 25))).join(""),
      ) ?? ""
    assert.equal(query.split(" AND ").length, MAX_TRIGRAMS)
  })
})

test("the bit map never keeps a text back that holds the word", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.nat(60),
      fc.integer({ min: 1, max: 4 }),
      (text, from, length) => {
        const bits = new Uint8Array(GRAM_BYTES)
        addGrams(bits, text)
        assert.ok(mayHold(bits, text.slice(from, from + length)))
      },
    ),
  )
})

test("an empty bit map holds nothing", () => assert.equal(mayHold(new Uint8Array(GRAM_BYTES), "a"), false))

describe("keys of sessions", () => {
  for (const created of [-1, 0, Number.NaN, Infinity, Date.UTC(2026, 1, 1), 8.64e15])
    test(String(created), () => {
      const key = preferredKey(created)
      assert.ok(Number.isSafeInteger(key) && key >= 1 && key < MAX_SESSION_KEY)
      const [from, to] = ridRange(key)
      assert.ok(Number.isSafeInteger(to) && sessionKeyOf(from) === key && sessionKeyOf(to) === key)
    })
})

describe("slips between words", () => {
  slips("function", "function", 0)
  slips("fucntion", "function", 1)
  slips("functon", "function", 1)
  slips("functiion", "function", 1)
  slips("funktion", "function", 1)
  slips("fnction", "functions", 2)
  slips("abc", "xyz", 3)

  function slips(one: string, other: string, expected: number): void {
    test(`${one}, ${other}`, () => assert.equal(editDistance(one, other, 2), expected))
  }
})

describe("close spellings", () => {
  close("authentcation", ["authentication, authentication authenticator"], ["authentication"])
  close("teh", ["the ten then the"], ["the", "ten"])
  close("nowhere", ["everything"], [])
  close("a.b", ["a b"], [])
  close("x".repeat(60), ["x".repeat(61)], [])

  function close(word: string, texts: readonly string[], expected: readonly string[]): void {
    test(word, () => assert.deepEqual(runAtOnce(closeSpellings(word, texts, 3)), expected))
  }
})

describe("tool input as text", () => {
  test("fields and depth are bounded, a cycle ends", () => {
    const cycle: Record<string, unknown> = { a: 1 }
    cycle["self"] = cycle
    assert.equal(toolInputText(cycle).split("\n").length, MAX_INPUT_DEPTH)
    const wide = Object.fromEntries(Array.from({ length: MAX_INPUT_FIELDS + 5 }, (_, at) => [`f${at}`, at]))
    assert.equal(toolInputText(wide).split("\n").length, MAX_INPUT_FIELDS)
  })

  test("what is no text is left out", () => {
    assert.equal(
      toolInputText({ a: null, b: undefined, c: () => 1, d: true, e: [1, "x"] }),
      "d: true\ne.0: 1\ne.1: x",
    )
  })
})

test("a word in the title outweighs any number of mentions", () => {
  assert.ok(
    relevance([{ hits: 0, inTitle: true }], 5_000) > relevance([{ hits: 5_000, inTitle: false }], 5_000),
  )
})

describe("steps", () => {
  test("give way, wait, and end with their value", async () => {
    let others = 0
    const other = setInterval(() => others++, 0)
    const value = await runSteps(busy(30), 5)
    clearInterval(other)
    assert.equal(value, "done")
    assert.ok(others > 0)
  })

  test("end what they hold when aborted", async () => {
    const controller = new AbortController()
    let ended = false
    const steps = (function* (): Steps<void> {
      try {
        for (;;) {
          controller.abort()
          yield "pause"
        }
      } finally {
        ended = true
      }
    })()
    await assert.rejects(runSteps(steps, 1, controller.signal), AbortedError)
    assert.ok(ended)
  })

  function* busy(ms: number): Steps<string> {
    const until = performance.now() + ms
    yield "wait"
    while (performance.now() < until) yield "pause"
    return "done"
  }
})
