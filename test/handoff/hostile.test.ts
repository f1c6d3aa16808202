import assert from "node:assert/strict"
import { afterEach, describe, test } from "node:test"
import { findMarker, normaliseFiles } from "../../src/handoff/draft.ts"
import { planInjection } from "../../src/handoff/injection.ts"
import { formatFor } from "../../src/handoff/read-format.ts"
import { matchesPattern } from "../../src/handoff/read-rules.ts"
import { MAX_REFERENCES, parseReferences } from "../../src/handoff/references.ts"
import { costRatio } from "../growth.ts"
import { defaultRules } from "./default-rules.ts"
import { makeFolder, removeFolders } from "./folder.ts"

afterEach(removeFolders)

const KB = 1024

/** Four times the text costs some 4 to 7 times as much, collecting its garbage included; a quadratic search 16. */
const FOURFOLD_BOUND = 10

/** Four units more cost at most twice as much where it grows evenly, 16 times where each unit doubles it. */
const FOUR_MORE_BOUND = 4

/** As an alternation in a regular expression a quote of 256 KB cost some 30 times its plain text in Bun. */
const LONG_QUOTE_BOUND = 5

function repeated(part: string, units: number): string {
  return part.repeat(Math.ceil(units / part.length)).slice(0, units)
}

function parseAll(text: string): void {
  parseReferences(text)
  findMarker(text)
  parseReferences(`@${text}`)
  parseReferences(`@"${text}"`)
}

function parseUnclosed(text: string): void {
  parseAll(text)
  parseReferences(`@"${text}`)
}

/** Costs that multiply are told on little, where the work still ends. */
async function assertNothingMultiplies(work: (count: number) => void): Promise<void> {
  for (let count = 4; count < 64; count += 4) {
    const more = () => work(count + 4)
    const ratio = await costRatio(() => work(count), more, FOUR_MORE_BOUND)
    assert.ok(ratio <= FOUR_MORE_BOUND, `${count + 4} cost ${ratio.toFixed(1)} times what ${count} cost`)
  }
}

async function assertLinear(units: number, work: (count: number) => void): Promise<void> {
  const fourfold = () => work(4 * units)
  const ratio = await costRatio(() => work(units), fourfold, FOURFOLD_BOUND)
  assert.ok(ratio <= FOURFOLD_BOUND, `${4 * units} cost ${ratio.toFixed(1)} times what ${units} cost`)
}

describe("256 KB of one thing is parsed in linear time", () => {
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
    test(JSON.stringify(part), async () => {
      const text = repeated(part, 256 * KB)
      const first = (units: number) => text.slice(0, units)
      await assertNothingMultiplies((units) => parseUnclosed(first(units)))
      await assertLinear(12 * KB, (units) => parseUnclosed(first(units)))
      await assertLinear(64 * KB, (units) => parseAll(first(units)))
      assert.ok(parseReferences(text).length <= MAX_REFERENCES)
    })
  test("a long quote, and a file line of it, cost what the same text costs without", async () => {
    const text = "a".repeat(256 * KB)
    const marker =
      "Continuing work from session ses_1. Use read_session if you need details not included here."
    const ratio = await costRatio(
      () => parseReferences(`${marker}\n\nx ${text}`),
      () => parseReferences(`${marker}\n\n@"${text}"`),
      LONG_QUOTE_BOUND,
    )
    assert.ok(ratio <= LONG_QUOTE_BOUND, `${ratio.toFixed(1)} times`)
    const plain = () => normaliseFiles([text])
    const named = await costRatio(plain, () => normaliseFiles([`"${text}"`]), LONG_QUOTE_BOUND)
    assert.ok(named <= LONG_QUOTE_BOUND, `${named.toFixed(1)} times`)
  })
  test("runs of backticks of every length", async () => {
    const text = Array.from({ length: 1400 }, (_, index) => "`".repeat(index + 1)).join("@a ")
    await assertLinear(Math.floor(text.length / 4), (units) => parseReferences(text.slice(0, units)))
  })
  test("a pattern of stars", async () => {
    const matches = (letters: number, stars: number) =>
      matchesPattern("a".repeat(letters), `${"*a".repeat(stars)}b`, "linux")
    assert.equal(matches(10_000, 50), false)
    await assertNothingMultiplies((stars) => void matches(24, stars))
    await assertLinear(25_000, (letters) => void matches(letters, 50))
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
        limits: { maxFiles: 20, maxBytes: 256 * KB, maxFileBytes: 256 * KB },
        format: formatFor(undefined, "auto"),
        rules: defaultRules(),
        alreadyAttached: new Set(),
      })
      assert.deepEqual(injection.files, [])
    })
})
