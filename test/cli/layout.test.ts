import { describe, test } from "node:test"
import assert from "node:assert/strict"
import * as fc from "fast-check"
import { withExclusions } from "../../src/cli/arguments.ts"
import { clip, clipStart, pad, spread, widthOf, wrap, wrapLines } from "../../src/cli/layout.ts"
import { makePaint, wantsColour, wantsLinks } from "../../src/cli/paint.ts"
import { barLine, duration } from "../../src/cli/progress.ts"
import { sqliteIn, otherRuntimes } from "../../src/cli/runtime.ts"

describe("columns", () => {
  const widths: readonly (readonly [string, number])[] = [
    ["abc", 3],
    ["日本", 4],
    ["é", 1],
    ["👩‍👩‍👧", 2],
    ["🇩🇪", 2],
    ["", 0],
    [makePaint(true, true).link(makePaint(true, true).hit("ab"), "file:///x"), 2],
  ]
  for (const [text, width] of widths)
    test(`${JSON.stringify(text)} takes ${width}`, () => assert.equal(widthOf(text), width))

  const clips: readonly (readonly [string, number, string, string])[] = [
    ["hello", 5, "hello", "hello"],
    ["hello", 4, "hel…", "…llo"],
    ["日本語", 5, "日本…", "…本語"],
    ["日本語", 4, "日…", "…語"],
    ["abc", 0, "", ""],
    ["a👩‍👩‍👧b", 3, "a…", "…b"],
  ]
  for (const [text, columns, start, end] of clips)
    test(`${text} in ${columns}`, () => {
      assert.equal(clip(text, columns), start)
      assert.equal(clipStart(text, columns), end)
    })

  const lines = fc
    .array(fc.constantFrom("a", "word", " ", "  ", "日本", "é", "👩‍👩‍👧", "-"), { maxLength: 30 })
    .map((pieces) => pieces.join(""))
  test("nothing is wider than asked, nothing but spaces is lost", () => {
    fc.assert(
      fc.property(lines, fc.integer({ min: 2, max: 30 }), (text, columns) => {
        for (const line of wrap(text, columns)) assert.ok(widthOf(line) <= columns, line)
        assert.equal(wrap(text, columns).join("").replaceAll(" ", ""), text.replaceAll(" ", ""))
        assert.ok(widthOf(clip(text, columns)) <= columns)
        assert.ok(widthOf(clipStart(text, columns)) <= columns)
        assert.ok(widthOf(pad(clip(text, columns), columns)) === columns)
      }),
      { numRuns: 300 },
    )
  })
  test("words stay whole where they fit; lines and indents are kept", () => {
    assert.deepEqual(wrap("one two three", 8), ["one two", "three"])
    assert.deepEqual(wrapLines("a b\n\nlonger", 6, "  "), ["  a b", "", "  long", "  er"])
    assert.deepEqual(spread("title", "time", 20), ["title           time"])
    assert.deepEqual(spread("title", "time", 10), ["title", "time"])
  })
})

describe("colours and links", () => {
  const terminal = { isTTY: true }
  const rows: readonly (readonly [
    "auto" | "always" | "never",
    Record<string, string>,
    { isTTY?: boolean },
    boolean,
  ])[] = [
    ["auto", {}, terminal, true],
    ["auto", {}, {}, false],
    ["auto", { NO_COLOR: "1" }, terminal, false],
    ["auto", { NO_COLOR: "" }, terminal, true],
    ["auto", { TERM: "dumb" }, terminal, false],
    ["auto", { FORCE_COLOR: "1" }, {}, true],
    ["auto", { FORCE_COLOR: "0" }, terminal, false],
    ["auto", { NO_COLOR: "1", FORCE_COLOR: "1" }, terminal, false],
    ["always", { NO_COLOR: "1" }, {}, true],
    ["never", { FORCE_COLOR: "1" }, terminal, false],
  ]
  for (const [wish, env, stream, wanted] of rows)
    test(`--color ${wish} ${JSON.stringify(env)} ${JSON.stringify(stream)}`, () =>
      assert.equal(wantsColour(wish, env, stream), wanted))
  const links: readonly (readonly [Record<string, string>, { isTTY?: boolean }, boolean])[] = [
    [{ TERM: "xterm-kitty" }, terminal, true],
    [{ VTE_VERSION: "6003" }, terminal, true],
    [{ VTE_VERSION: "4999" }, terminal, false],
    [{ TERM_PROGRAM: "vscode" }, {}, false],
    [{ TERM: "xterm-256color" }, terminal, false],
    [{ FORCE_HYPERLINK: "1" }, {}, true],
    [{ TERM_PROGRAM: "vscode", FORCE_HYPERLINK: "0" }, terminal, false],
  ]
  for (const [env, stream, wanted] of links)
    test(`links ${JSON.stringify(env)} ${JSON.stringify(stream)}`, () =>
      assert.equal(wantsLinks(env, stream), wanted))
  test("without either, a text is only itself", () => {
    const plain = makePaint(false, false)
    assert.equal(plain.link(plain.hit(plain.strong("x")), "file:///x"), "x")
  })
})

describe("arguments", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["search a -b", "search a -- -b"],
    ["search a -b --json -old", "search a --json -- -b -old"],
    ["search a -b -- --force", "search a -- -b --force"],
    ["search -h", "search -h"],
    ["--data-dir x search a -b", "--data-dir x search a -- -b"],
    ["read ses_x -b", "read ses_x -b"],
    ["search - --", "search - --"],
    ["search --limit -5 a -b", "search --limit -5 a -- -b"],
  ]
  for (const [given, wanted] of rows)
    test(given, () =>
      assert.equal(withExclusions(given.split(" "), (option) => option === "--limit").join(" "), wanted),
    )
})

describe("progress", () => {
  const state = { done: 120, total: 940, failed: 0, ms: 3_000, fresh: 105 }
  test("the bar fills what the line has, never more", () => {
    assert.equal(barLine(state, 80), "███░░░░░░░░░░░░░░░░░░░░░░░░░░░ 120/940 sessions · 35/s · 24 s left")
    assert.equal(barLine({ ...state, failed: 2 }, 40), "120/940 sessions · 35/s · 24 s left · 2 failed")
    for (let columns = 30; columns < 120; columns++)
      assert.ok(barLine(state, columns).length < Math.max(columns, 40))
  })
  test("times", () => {
    assert.deepEqual([0.2, 89, 91, 7_200].map(duration), ["1 s", "89 s", "2 min", "2.0 h"])
  })
})

describe("runtime", () => {
  const rows: readonly (readonly [string, string | undefined, ReturnType<typeof sqliteIn>])[] = [
    ["20.20.2", undefined, "no"],
    ["22.4.1", undefined, "no"],
    ["22.5.0", undefined, "behind the flag"],
    ["22.12.0", undefined, "behind the flag"],
    ["22.13.0", undefined, "yes"],
    ["23.3.0", undefined, "behind the flag"],
    ["23.4.0", undefined, "yes"],
    ["24.0.0", undefined, "yes"],
    ["26.1.0", undefined, "yes"],
    ["20.0.0", "1.3.0", "yes"],
  ]
  for (const [node, bun, wanted] of rows)
    test(`SQLite in Node ${node}${bun === undefined ? "" : ` in Bun ${bun}`}: ${wanted}`, () =>
      assert.equal(sqliteIn({ node, bun }), wanted))
  test("the package's own comes first, then Bun in PATH", () => {
    assert.deepEqual(otherRuntimes("/p", "/a::/b", ":", ""), [
      "/p/node_modules/node/bin/node",
      "/p/node_modules/bun/bin/bun.exe",
      "/a/bun",
      "/b/bun",
    ])
  })
})
