import assert from "node:assert/strict"
import { describe, test } from "node:test"
import * as fc from "fast-check"
import { MAX_QUERY_WORDS, parseQuery } from "../../src/query/parse.ts"

describe("words and phrases", () => {
  words("login token", ["login", "token"])
  words('"token refresh"', ["token refresh"])
  words('"a \\"quoted\\" phrase"', ['a "quoted" phrase'])
  words('"back\\slash"', ["back\\slash"])
  words("login Login LOGIN", ["login"])
  words("É é", ["É"])
  words('login "LOGIN"', ["login"])
  words("--force", ["--force"])
  words("--dry-run -", ["--dry-run", "-"])
  words("- x", ["-", "x"])
  words('"- -"', ["- -"])
  words("error: x", ["error:", "x"])
  words("foo:bar C++ a.b(c) std::move 20.04 don't", [
    "foo:bar",
    "C++",
    "a.b(c)",
    "std::move",
    "20.04",
    "don't",
  ])
  words("https://example.com/a?b=c", ["https://example.com/a?b=c"])
  words("a OR (b AND c)", ["a", "OR", "(b", "AND", "c)"])
  words('a"b c"', ['a"b', 'c"'])
  words('"path:x" mypath:x', ["path:x", "mypath:x"])
  words("ts go 東京 🚀", ["ts", "go", "東京", "🚀"])
  words("a\tb\nc\u3000d", ["a", "b", "c", "d"])
  words('""', [])
  words("", [])
  words("--path:x", ["--path:x"])

  function words(query: string, expected: readonly string[]): void {
    test(JSON.stringify(query), () =>
      assert.deepEqual(parseQuery(query), { ok: true, query: { words: expected, excluded: [] } }),
    )
  }
})

describe("exclusions", () => {
  excludes("-revert", ["revert"])
  excludes('-"old api"', ["old api"])
  excludes('-a -A -"a"', ["a"])
  excludes("-a-b", ["a-b"])
  excludes('-"path:x"', ["path:x"])

  function excludes(query: string, expected: readonly string[]): void {
    test(query, () =>
      assert.deepEqual(parseQuery(query), { ok: true, query: { words: [], excluded: expected } }),
    )
  }
})

describe("qualifiers", () => {
  qualifier("path:src/auth.ts", { path: "src/auth.ts" })
  qualifier('PATH:"My Docs/a.ts"', { path: "My Docs/a.ts" })
  qualifier("path:src\\auth.ts", { path: "src\\auth.ts" })
  qualifier("project:all", { project: { kind: "all" } })
  qualifier("Project:abc123", { project: { kind: "id", id: "abc123" } })
  qualifier("project:/home/a", { project: { kind: "path", path: "/home/a" } })
  qualifier("project:~", { project: { kind: "path", path: "~" } })
  qualifier("project:C:\\repo", { project: { kind: "path", path: "C:\\repo" } })
  qualifier('project:"/home/My Docs"', { project: { kind: "path", path: "/home/My Docs" } })

  function qualifier(query: string, expected: object): void {
    test(query, () =>
      assert.deepEqual(parseQuery(query), { ok: true, query: { words: [], excluded: [], ...expected } }),
    )
  }
})

function numbered(count: number): string {
  return Array.from({ length: count }, (_, at) => `w${at}`).join(" ")
}

test("as many words as a pasted page has", () => {
  const result = parseQuery(`${numbered(MAX_QUERY_WORDS)} ${numbered(MAX_QUERY_WORDS)}`)
  assert.equal(result.ok && result.query.words.length, MAX_QUERY_WORDS)
})

describe("errors repeat the piece and say what to write", () => {
  error('"unclosed', /"\\"unclosed" is not closed; add a closing "/)
  error('login -"open', /not closed/)
  error('path:"x', /not closed/)
  error("path:", /path: has no value; write path:src\/auth\.ts/)
  error('path:""', /path: has no value/)
  error("path: x", /path: has no value/)
  error("project:", /project: has no value; write project:all/)
  error("path:a path:b", /path: is given twice \("a" and "b"\)/)
  error("project:a PROJECT:b", /project: is given twice/)
  error("-path:x", /-path:"x" cannot be negated/)
  error('-project:"x y"', /cannot be negated/)
  error(`"${"x".repeat(5_000)}`, /^.{0,300}$/)
  error(
    numbered(MAX_QUERY_WORDS + 1),
    /^The query "w0 w1 .*has more than 1000 different words; write the few/,
  )
  error(`x ${numbered(MAX_QUERY_WORDS).replaceAll("w", "-w")}`, /more than 1000 different words/)

  function error(query: string, expected: RegExp): void {
    test(query.slice(0, 40), () => {
      const result = parseQuery(query)
      assert.ok(!result.ok)
      assert.match(result.error, expected)
      assert.ok(!result.error.includes("\n"))
    })
  }
})

test("any words, quoted, come back as they were", () => {
  const word = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 12 })
    .filter((text) => !/["\\]/.test(text))
  fc.assert(
    fc.property(
      fc.uniqueArray(word, { maxLength: 5, selector: (text) => text.toLowerCase().toUpperCase() }),
      (given) => {
        const result = parseQuery(given.map((text) => `"${text}"`).join(" "))
        assert.ok(result.ok)
        for (const text of result.query.words) assert.ok(given.includes(text))
        assert.ok(given.length === 0 || result.query.words.length > 0)
      },
    ),
  )
})

test("no text makes it throw, and an error is one short line", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      const result = parseQuery(text)
      assert.ok(result.ok || (result.error.length < 600 && !/[\n\r]/.test(result.error)))
    }),
  )
})
