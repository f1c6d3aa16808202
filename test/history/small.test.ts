import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { closeSpellings, editDistance, isSpellable, wordsAround } from "../../src/history/search/spelling.ts"
import { AbortedError, runSteps, type Steps } from "../../src/history/steps.ts"
import { MAX_INPUT_DEPTH, MAX_INPUT_FIELDS, toolInputText } from "../../src/history/documents/tool-input.ts"

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
  close("authentcation", "authentication authentication authenticator", ["authentication"])
  close("teh", "the ten then the", ["the", "ten"])
  close("nowhere", "everything", [])

  function close(word: string, words: string, expected: readonly string[]): void {
    test(word, () => assert.deepEqual(closeSpellings(word, words.split(" "), 3), expected))
  }
})

describe("what can be misspelt", () => {
  for (const word of ["function", "élan", "snake_case2", "検索"])
    test(word, () => assert.ok(isSpellable(word)))
  for (const word of ["a.b", "two words", "x".repeat(60)]) test(word, () => assert.ok(!isSpellable(word)))
})

describe("words around a piece", () => {
  around("the authentication is", "thent", ["authentication"])
  around("one two, (oneness)", "one", ["one", "oneness"])
  around("nothing", "else", [])
  around("aaaa", "aa", ["aaaa", "aaaa"])

  function around(text: string, piece: string, expected: readonly string[]): void {
    test(`${piece} in ${text}`, () => assert.deepEqual(wordsAround(text, piece), expected))
  }
})

describe("tool input as text", () => {
  test("fields and depth are bounded, a cycle ends", () => {
    const cycle: Record<string, unknown> = { a: 1 }
    cycle["self"] = cycle
    assert.equal(toolInputText(cycle).text.split("\n").length, MAX_INPUT_DEPTH)
    const wide = Object.fromEntries(Array.from({ length: MAX_INPUT_FIELDS + 5 }, (_, at) => [`f${at}`, at]))
    assert.equal(toolInputText(wide).text.split("\n").length, MAX_INPUT_FIELDS)
    assert.equal(toolInputText(wide).lost, "20002001200220032004".length)
  })

  test("what is no text is left out", () => {
    assert.equal(
      toolInputText({ a: null, b: undefined, c: () => 1, d: true, e: [1, "x"] }).text,
      "d: true\ne.0: 1\ne.1: x",
    )
  })
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
