import assert from "node:assert/strict"
import { describe, test } from "node:test"
import {
  isWithin,
  matchesGlob,
  matchesPath,
  normalizePath,
  pathKey,
  resolvePath,
} from "../../src/query/paths.ts"

describe("path: means", () => {
  means("a.ts", "/r/src/a.ts")
  means("src/a.ts", "/r/src/a.ts")
  means("./src/a.ts", "/r/src/a.ts")
  means("src\\a.ts", "/r/src/a.ts")
  means("/r/src/a.ts", "/r/src/a.ts")
  means("/r//src/./a.ts", "/r/src/a.ts")
  means("src/", "/r/src/a.ts")
  means("src/", "/r/src/deep/a.ts")
  means("/r/", "/r/src/a.ts")
  means("/", "/r/src/a.ts")
  means("C:\\Repo\\A.ts", "c:/repo/a.ts")
  means("repo/a.ts", "C:\\Repo\\A.ts")
  means("c:/repo/", "C:\\Repo\\src\\a.ts")
  means("a.ts", "a.ts")
  means("My Docs/a.ts", "/r/My Docs/a.ts")
  means("東京/é.ts", "/r/東京/é.ts")

  function means(pattern: string, path: string): void {
    test(`${pattern} = ${path}`, () => assert.ok(matchesPath(pattern, path)))
  }
})

describe("path: does not mean", () => {
  not("a.ts", "/r/src/data.ts")
  not("src/a.ts", "/r/mysrc/a.ts")
  not("/src/a.ts", "/r/src/a.ts")
  not("/r/src", "/r/src/a.ts")
  not("src/", "/r/mysrc/a.ts")
  not("/r/s/", "/r/src/a.ts")
  not("A.ts", "/r/a.ts")
  not("a*.ts", "/r/ab.ts")
  not("C:/repo/a.ts", "D:/repo/a.ts")

  function not(pattern: string, path: string): void {
    test(`${pattern} ≠ ${path}`, () => assert.ok(!matchesPath(pattern, path)))
  }
})

describe("a directory and what is below", () => {
  within("/repo", "/repo", true)
  within("/repo", "/repo/syn", true)
  within("/repo/", "/repo/a/b", true)
  within("/repo/syn", "/repo/synth", false)
  within("/repo", "/other", false)
  within("C:\\Repo", "c:/repo/", true)
  within("/", "/anything", true)

  function within(directory: string, path: string, expected: boolean): void {
    test(`${path} in ${directory}: ${expected}`, () => assert.equal(isWithin(directory, path), expected))
  }
})

test("é is é however it is written", () => {
  for (const one of ["NFC", "NFD"]) {
    const other = one === "NFC" ? "NFD" : "NFC"
    const path = "/repo/café/한국.ts".normalize(one)
    const asked = (text: string): string => text.normalize(other)
    assert.equal(pathKey(path), pathKey(asked(path)))
    assert.ok(matchesPath(asked("한국.ts"), path))
    assert.ok(matchesPath(asked("café/"), path))
    assert.ok(!matchesPath("cafe/", path))
    assert.ok(isWithin(asked("/repo/café"), path))
    assert.ok(matchesGlob(asked("/repo/caf?/**"), path))
    assert.ok(matchesGlob(asked("/repo/café"), path))
  }
})

describe("globs of directories", () => {
  glob("/home/*/secret", "/home/me/secret", true)
  glob("/home/*/secret", "/home/me/secret/below", true)
  glob("/home/*/secret", "/home/me/x/secret", false)
  glob("/home/**/secret", "/home/me/x/secret", true)
  glob("**/secret", "/secret", true)
  glob("/a.b", "/aXb", false)
  glob("/a(b)[c]", "/a(b)[c]", true)
  glob("/r?", "/r1", true)
  glob("/r/**", "/r/a/b", true)
  glob("c:\\Work\\*", "C:/work/x", true)

  function glob(pattern: string, directory: string, expected: boolean): void {
    test(`${pattern} ${expected ? "=" : "≠"} ${directory}`, () =>
      assert.equal(matchesGlob(pattern, directory), expected))
  }
})

describe("absolute paths", () => {
  resolves("/r", "src/a.ts", "/r/src/a.ts")
  resolves("/r", "./a/../b.ts", "/r/b.ts")
  resolves("/r", "../../../a.ts", "/a.ts")
  resolves("/r", "/abs/a.ts", "/abs/a.ts")
  resolves("C:\\r", "a\\b.ts", "C:/r/a/b.ts")
  resolves("/r", "//server/share/a", "//server/share/a")

  function resolves(directory: string, path: string, expected: string): void {
    test(`${path} in ${directory}`, () => assert.equal(resolvePath(directory, path), expected))
  }
})

test("a UNC root keeps its two slashes", () => assert.equal(normalizePath("\\\\srv\\x\\\\y"), "//srv/x/y"))
