import assert from "node:assert/strict"
import { afterEach, describe, test } from "node:test"
import { findMarker } from "../../src/handoff/draft.ts"
import { planInjection } from "../../src/handoff/injection.ts"
import { formatFor } from "../../src/handoff/read-format.ts"
import { matchesPattern, readRules } from "../../src/handoff/read-rules.ts"
import { MAX_REFERENCES, parseReferences } from "../../src/handoff/references.ts"
import { makeFolder, removeFolders } from "./folder.ts"

afterEach(removeFolders)

// A parser that is quadratic in one of these takes a minute; the bound only tells the two apart.
const BOUND_MS = 3000
const TEXT_BYTES = 256 * 1024

function repeated(part: string): string {
  return part.repeat(Math.ceil(TEXT_BYTES / part.length))
}

describe("256 KB of one thing is parsed in time", () => {
  const parts = [
    "@",
    "@)",
    "@a)",
    '@"',
    '@"a',
    '@"\\',
    "`",
    "`a",
    "`` ` ",
    "@a`",
    "a",
    "中",
    "@中。",
    "(",
    "[",
    "@(a",
    "@[a](",
    "_@",
    "__@a",
    "://",
    "a://",
    "\n",
    "\r",
    "```\n",
    "~~~`\n",
    "> ",
    "> @a\n",
    "- ",
    "@a.b",
    "@a,b",
    "@a#1",
    "@a#1-2 ",
    "@../",
    "@\u200b",
    "@!",
    "\ud83d",
    "\0",
    "@a\0",
    '@"a" ',
    "Continuing work from session ",
  ]
  for (const part of parts)
    test(JSON.stringify(part), () => {
      const text = repeated(part)
      const started = performance.now()
      const references = parseReferences(text)
      findMarker(text)
      parseReferences(`@${text}`)
      parseReferences(`@"${text}"`)
      assert.ok(references.length <= MAX_REFERENCES)
      assert.ok(performance.now() - started < BOUND_MS)
    })
  test("runs of backticks of every length", () => {
    const started = performance.now()
    parseReferences(Array.from({ length: 1400 }, (_, index) => "`".repeat(index + 1)).join("@a "))
    assert.ok(performance.now() - started < BOUND_MS)
  })
  test("a pattern of stars", () => {
    const started = performance.now()
    assert.equal(matchesPattern("a".repeat(10_000), `${"*a".repeat(50)}b`, "linux"), false)
    assert.ok(performance.now() - started < BOUND_MS)
  })
})

describe("hostile names lead nowhere", () => {
  const texts = [
    '@"/etc/passwd"',
    '@"../../../../../../etc/passwd"',
    '@"~/../../etc/passwd"',
    "@/proc/self/environ",
    "@/dev/zero",
    "@/dev/stdin",
    "@file:///etc/passwd",
    '@"a\\0b"',
    '@"%2e%2e/%2e%2e/etc/passwd"',
    '@"....//....//etc/passwd"',
    `@${"../".repeat(300)}etc/passwd`,
    `@"${"a/".repeat(2000)}b"`,
    "@.env",
    "@./.env",
    "@x/../.env",
    '@".env"',
    "@.env#1",
    "@.env。",
    "@.env:1",
    "@.ENV",
    "@constructor",
    "@__proto__",
    "@toString",
  ]
  for (const text of texts)
    test(text.slice(0, 60), async () => {
      const folder = makeFolder({ ".env": "SECRET", "x/a.ts": "" })
      const injection = await planInjection({
        text,
        directory: folder.path,
        worktree: folder.path,
        limits: { maxFiles: 20, maxBytes: TEXT_BYTES, maxFileBytes: TEXT_BYTES },
        format: formatFor(undefined, "auto"),
        allowsRead: readRules(undefined),
        alreadyAttached: new Set(),
      })
      assert.deepEqual(injection.files, [])
    })
})
