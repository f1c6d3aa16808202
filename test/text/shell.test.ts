import { describe, test } from "node:test"
import assert from "node:assert/strict"
import { execFileSync, spawnSync } from "node:child_process"
import { isPrintable } from "../../src/text/printable.ts"
import { shellWord } from "../../src/text/shell.ts"

// The word is given to real shells: each must read the text that was quoted.

const TEXTS = [
  "plain/name-1.2",
  "two words",
  "it's",
  'say "hi"',
  "back\\slash",
  "ends\\",
  "\\'\\",
  "$HOME `id` $(id) ${x}",
  "!history !!",
  "[id] * ? {a,b}",
  "~",
  "~root",
  "=ls",
  "-n",
  "# no comment",
  "a;b&c|d<e>f",
  "日本 🚀 é",
  "",
] as const

/** What no shell may be given raw; bash and zsh know how to write it. */
const STEERING = [
  "line\nbreak",
  "tab\tstop",
  "\b\b\b\u001B[2Jrm",
  "\u007F\u0085\u009B",
  "\u202Ertl\u2066",
  "zero\u200Bwidth\u{E0041}",
  "it's \\x41\u0001!bc",
]

for (const shell of ["bash", "zsh", "dash", "fish"])
  describe(shell, { skip: spawnSync(shell, ["-c", "true"]).error !== undefined }, () => {
    for (const text of [...TEXTS, ...(shell === "bash" || shell === "zsh" ? STEERING : [])])
      test(JSON.stringify(text), () => {
        const word = shellWord(text)
        assert.ok(word !== undefined && isPrintable(word))
        assert.equal(
          execFileSync(shell, ["-c", `env printf %s -- ${word} | tail -c +3`], { encoding: "utf8" }),
          text,
        )
      })
  })

for (const text of ["\uFFFD", "a\uFFFDb", "\ud800", "nul\0"])
  test(`${JSON.stringify(text)} cannot be written`, () => assert.equal(shellWord(text), undefined))

test("a folder of Windows stays as its shells take it", () =>
  assert.equal(shellWord("C:\\work\\a"), "C:\\work\\a"))
