import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { matchesPattern, readRules } from "../../src/handoff/read-rules.ts"
import { defaultRules } from "./default-rules.ts"

const rule = (permission: string, pattern: string, action: string) => ({ permission, pattern, action })

describe("with the host's own rules", () => {
  const cases: [path: string, allowed: boolean][] = [
    ["src/a.ts", true],
    [".env", false],
    ["packages/a/.env", false],
    [".env.local", false],
    ["prod.env", false],
    ["a.env.b", false],
    [".env.example", true],
    ["x/.env.example", true],
    [".environment", true],
    ["env", true],
    ["../out", true],
  ]
  for (const [path, allowed] of cases)
    test(`${path} is ${allowed ? "allowed" : "refused"}`, () => {
      assert.equal(defaultRules()(path), allowed ? "allowed" : "refused")
    })
})

describe("rules that are not known allow nothing", () => {
  for (const none of [undefined, null, [], "x", {}, { read: "allow" }, 7])
    test(JSON.stringify(none) ?? "undefined", () => {
      assert.equal(readRules(none)("a.ts"), "unknown")
    })
})

describe("the user's rules", () => {
  const all = rule("*", "*", "allow")
  const cases: [name: string, rules: readonly unknown[], path: string, allowed: boolean][] = [
    ["the last match wins", [all, rule("read", "*.ts", "deny"), rule("read", "a.ts", "allow")], "a.ts", true],
    [
      "the last match wins over an earlier allow",
      [rule("read", "a.ts", "allow"), rule("read", "*", "deny")],
      "a.ts",
      false,
    ],
    [".env may be allowed", [all, rule("read", "*.env", "ask"), rule("read", ".env", "allow")], ".env", true],
    ["ask is no", [all, rule("read", "*", "ask")], "a.ts", false],
    ["an unknown action is no", [all, rule("read", "*", "maybe")], "a.ts", false],
    [
      "rules of other tools do not count",
      [all, rule("edit", "*", "deny"), rule("reader", "*", "deny")],
      "a.ts",
      true,
    ],
    ["a key may be a pattern", [all, rule("re*", "*", "deny")], "a.ts", false],
    ["a key * counts", [rule("*", "*", "deny")], "a.ts", false],
    ["no match is a question", [rule("read", "*.md", "allow")], "a.ts", false],
    ["a rule of an unknown shape forbids", [all, { permission: "read", deny: true }], "a.ts", false],
    ["what follows it counts again", [7, all], "a.ts", true],
    ["* crosses folders", [all, rule("read", "secret/*", "deny")], "secret/a/b.ts", false],
  ]
  for (const [name, rules, path, allowed] of cases)
    test(name, () => assert.equal(readRules(rules)(path), allowed ? "allowed" : "refused"))
})

describe("matchesPattern", () => {
  const cases: [text: string, pattern: string, matches: boolean][] = [
    ["a.ts", "a.ts", true],
    ["aXts", "a.ts", false],
    ["a", "?", true],
    ["", "?", false],
    ["", "*", true],
    ["a/b\nc", "*", true],
    ["abc", "a*c", true],
    ["abcb", "a*c", false],
    ["a.b.c", "*.*.c", true],
    ["a[1](x)+", "a[1](x)+", true],
    ["src\\a.ts", "src/*", true],
    ["src/a.ts", "src\\*", true],
    ["git", "git *", true],
    ["git log", "git *", true],
    ["gitx", "git *", false],
    ["A.ts", "a.ts", false],
  ]
  for (const [text, pattern, matches] of cases)
    test(`${JSON.stringify(text)} ${matches ? "matches" : "does not match"} ${pattern}`, () => {
      assert.equal(matchesPattern(text, pattern, "linux"), matches)
    })
  test("case does not count on Windows", () => assert.ok(matchesPattern("SUB\\.ENV", "*.env", "win32")))
})
