import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { markerSentence } from "../../src/handoff/draft.ts"
import {
  MAX_BARE_UNITS,
  MAX_REFERENCES,
  MAX_TOKEN_UNITS,
  parseReferences,
} from "../../src/handoff/references.ts"
import { MAX_INNER_CUTS, MAX_STRIP_STEPS, type Spelling } from "../../src/handoff/spellings.ts"

const FENCE = "```"

describe("which text is a reference", () => {
  const cases: [text: string, names: readonly string[]][] = [
    ["@src/a.ts", ["src/a.ts"]],
    ["@./src/a.ts", ["./src/a.ts"]],
    ["@../a.ts @~/a.ts @/abs/a.ts", ["../a.ts", "~/a.ts", "/abs/a.ts"]],
    ['@"src/a b.ts"', ["src/a b.ts"]],
    ["@src/a.ts#10-40", ["src/a.ts#10-40"]],
    ["(see @src/a.ts)", ["src/a.ts"]],
    ["请看@src/a.ts。", ["src/a.ts"]],
    ["请看@src/a.ts。然后再看@src/b.ts，谢谢", ["src/a.ts", "src/b.ts"]],
    ["看@src/a.ts文件", ["src/a.ts"]],
    ["파일@src/a.ts을 ファイル@b.ts", ["src/a.ts", "b.ts"]],
    ["（见@src/a.ts）、「@b.ts」", ["src/a.ts", "b.ts"]],
    ["❤️@src/a.ts", ["src/a.ts"]],
    ["**@src/a.ts** __@b.ts__ ~~@c.ts~~ *@d.ts*", ["src/a.ts", "b.ts", "c.ts", "d.ts"]],
    ["[x](@a.ts) [@b.ts] [@c.ts](http://x) <@d.ts>", ["a.ts", "b.ts", "c.ts", "d.ts"]],
    ["\"@a.ts\" '@b.ts' “@c.ts” @d.ts's", ["a.ts", "b.ts", "c.ts", "d.ts"]],
    ["@a.ts, @b.ts; @c.ts: @d.ts! @e.ts? @f.ts...", ["a.ts", "b.ts", "c.ts", "d.ts", "e.ts", "f.ts"]],
    ["@a.ts,@b.ts", ["a.ts", "b.ts"]],
    ["@app/(group)/[id]/page.tsx", ["app/(group)/[id]/page.tsx"]],
    ["(@app/(group)/[id]/page.tsx).", ["app/(group)/[id]/page.tsx"]],
    ["@docs/(draft)", ["docs/(draft)"]],
    ["@.github/workflows/ci.yml", [".github/workflows/ci.yml"]],
    ["@中文/文件.md @😀.md @a+b.ts", ["中文/文件.md", "😀.md", "a+b.ts"]],
    ["@src\\a.ts @C:\\x\\a.ts", ["src\\a.ts", "C:\\x\\a.ts"]],
    ["@app/@modal/page.tsx", ["app/@modal/page.tsx"]],
    ["> quoted @a.ts\n- list @b.ts\n    indented @c.ts", ["a.ts", "b.ts", "c.ts"]],
    ["line\r\n@a.ts\r\n@b.ts", ["a.ts", "b.ts"]],
    ["`x` @a.ts `y`", ["a.ts"]],
    ["a lone ` and @a.ts", ["a.ts"]],
    ["``a ` @x.ts`` @y.ts", ["y.ts"]],
    ["a`b @x.ts c`d @y.ts", ["y.ts"]],
    [`@a.ts\n${FENCE}ts\n@Component() @x.ts\n${FENCE}\n@b.ts`, ["a.ts", "b.ts"]],
    [`~~~\n@x.ts\n${FENCE}\n@y.ts\n~~~\n@b.ts`, ["b.ts"]],
    [`1. x\n   ${FENCE}\n   @x.ts\n   ${FENCE}\n> ${FENCE}\n> @y.ts\n> ${FENCE}\n@b.ts`, ["b.ts"]],
    [`${FENCE}\n@x.ts`, []],
    ["a@b.com <x.y@z.org> mailto:a@b.co", []],
    ["почта@пример.рф ελλ@παρ.gr é@x.ts e\u0301@x.ts", []],
    ["1@a.ts a_@b.ts", []],
    ["`@x.ts` `@y.ts #1-2`", []],
    ["`unclosed `@x.ts", []],
    ["https://x.com/@user/post.html see x/@y.ts", []],
    ["git@github.com:a/b.git npm i pkg@1.2.3", []],
    ['@ @. @.. @... @/ @@ @# @) @"" @" "', []],
    ["", []],
  ]
  for (const [text, names] of cases)
    test(`${JSON.stringify(text)} names ${JSON.stringify(names)}`, () => {
      assert.deepEqual(
        parseReferences(text).map((reference) => reference.name),
        names,
      )
    })
})

describe("what a reference may mean, in order", () => {
  const cases: [text: string, spellings: readonly string[]][] = [
    ["@a.ts", ["a.ts", "?@a.ts"]],
    ["@a.ts.", ["a.ts.", "a.ts", "?@a.ts"]],
    ["@a(1).ts).", ["a(1).ts).", "a(1).ts)", "a(1).ts", "?a", "?@a(1).ts"]],
    [
      "@a.ts!!!!!!!!",
      ["a.ts!!!!!!!!", "a.ts!!!!!!!", "a.ts!!!!!!", "a.ts!!!!!", "a.ts!!!!", "a.ts", "?@a.ts"],
    ],
    ["@src/a.ts。好", ["src/a.ts。好", "?src/a.ts", "?@src/a.ts。好"]],
    ["@a.ts#10-40", ["a.ts#10-40", "a.ts 10-40", "?a.ts", "?@a.ts#10-40", "?@a.ts 10-40"]],
    ["@a.ts#10", ["a.ts#10", "a.ts 10-", "?a.ts", "?@a.ts#10", "?@a.ts 10-"]],
    ["@a.ts#L3-L5", ["a.ts#L3-L5", "a.ts 3-5", "?a.ts", "?@a.ts#L3-L5", "?@a.ts 3-5"]],
    ["@a.ts#40-10", ["a.ts#40-10", "a.ts 40-", "?a.ts", "?@a.ts#40-10", "?@a.ts 40-"]],
    ["@a.ts#0-2", ["a.ts#0-2", "a.ts 1-2", "?a.ts", "?@a.ts#0-2", "?@a.ts 1-2"]],
    ["@a.ts:42", ["a.ts:42", "a.ts 42-", "?a.ts", "?@a.ts:42", "?@a.ts 42-"]],
    ["@a.ts:10-12", ["a.ts:10-12", "a.ts 10-12", "?a.ts", "?@a.ts:10-12", "?@a.ts 10-12"]],
    ["@a.ts:10:5", ["a.ts:10:5", "a.ts 10-", "?a.ts:10", "?a.ts", "?@a.ts:10:5", "?@a.ts 10-"]],
    ["@a.ts#L3C5-L5C2", ["a.ts#L3C5-L5C2", "a.ts 3-5", "?a.ts", "?@a.ts#L3C5-L5C2", "?@a.ts 3-5"]],
    ['@"a b":3-4', ["a b 3-4"]],
    ['@"a b"', ["a b"]],
    ['@"a b"#3-4', ["a b 3-4"]],
    ['@"a b#3-4"', ["a b#3-4", "a b 3-4"]],
    ['@"a\\"b\\\\c"', ['a"b\\c', 'a\\"b\\\\c']],
    ['@"\\\\srv\\x y"', ["\\srv\\x y", "\\\\srv\\x y"]],
    ['@"src\\" x', ["src\\"]],
    ["@app/(g)/p.tsx", ["app/(g)/p.tsx", "?@app/(g)/p.tsx"]],
  ]
  for (const [text, spellings] of cases)
    test(`${text} is ${JSON.stringify(spellings)}`, () => {
      assert.deepEqual(parseReferences(text)[0]?.spellings.map(shown), spellings)
    })

  function shown(spelling: Spelling): string {
    const range = spelling.range === undefined ? "" : ` ${spelling.range.start}-${spelling.range.end ?? ""}`
    return `${spelling.guess ? "?" : ""}${spelling.path}${range}`
  }
})

describe("which unresolved reference is reported as missing", () => {
  const named = [
    "@src/a.ts",
    "@a.ts",
    "@README.md",
    "@./x",
    "@../x",
    "@/etc/x",
    "@~/x",
    "@a/b/c",
    "@x#10",
    "@src/x#10-40",
    '@"any words"',
    "@.env",
    "@.github/x",
    "@packages/.npmrc",
    "@src/Makefile",
    "@Dockerfile",
    "@a.ts:42:7",
    "@C:\\x\\a",
    "@src\\a.ts",
    "@src/app.controller.spec.ts",
    "@x/y.unknown",
    "@src/a.ts文件",
  ]
  const silent = [
    "@decorator",
    "@here?",
    "@scope/package",
    "@scope/package,",
    "@scope/pkg@1.2.3",
    "@types/node",
    "@user",
    "@latest",
    "@Component({selector:'x.y'})",
    '@app.route("/x/y/z")',
    "@pytest.fixture",
    "@functools.cache",
    "@example.com",
    "@1.18.34",
    "@media",
    "@param {string} x",
    "@Test(timeout=10)",
    "@nn.Module",
    "@babel/core@next",
  ]
  for (const text of named)
    test(`${text} is reported`, () => assert.equal(parseReferences(text)[0]?.meantAsFile, true))
  for (const text of silent)
    test(`${text} is only text`, () => assert.equal(parseReferences(text)[0]?.meantAsFile, false))
})

describe("the line of files", () => {
  const marker = markerSentence("ses_1")
  const cases: [name: string, text: string, flags: readonly boolean[]][] = [
    ["follows the marker", `${marker}\n\n@scope/pkg @"a b"#3 @x\n\n@y`, [true, true, true, false]],
    ["may name a Windows folder", `${marker}\n\n@"C:\\my dir\\" @x\n`, [true, true]],
    ["may have moved up", `${marker}\n@scope/pkg\n@y`, [true, false]],
    ["is below the user's own text", `@me\n${marker}\r\n\r\n@scope/pkg\r\n`, [false, true]],
    ["holds nothing but files", `${marker}\n\n@here please look\n`, [false]],
    ["starts with a file", `${marker}\n\nsee @x\n`, [false]],
    ["needs a marker", "x\n\n@y", [false]],
  ]
  for (const [name, text, flags] of cases)
    test(name, () => {
      const references = parseReferences(text)
      assert.deepEqual(
        references.map((reference) => reference.onFileLine),
        flags,
      )
      for (const reference of references) if (reference.onFileLine) assert.equal(reference.meantAsFile, true)
    })
})

test("at most MAX_REFERENCES are looked at", () => {
  assert.equal(parseReferences("@a.ts ".repeat(MAX_REFERENCES + 10)).length, MAX_REFERENCES)
  assert.equal(parseReferences("@a.ts\n".repeat(MAX_REFERENCES + 10)).length, MAX_REFERENCES)
})

test("a token has a bounded length and a bounded number of readings", () => {
  const only = (text: string) => {
    const [reference] = parseReferences(text)
    assert.ok(reference !== undefined)
    return reference
  }
  assert.equal(only(`@${"a".repeat(5000)}`).spellings[0]?.path.length, MAX_BARE_UNITS)
  assert.equal(only(`@"${"a".repeat(MAX_TOKEN_UNITS - 2)}"`).quoted, true)
  assert.equal(only(`@"${"a".repeat(MAX_TOKEN_UNITS - 1)}"`).quoted, false)
  const guesses = only(`@a${",b".repeat(50)}`).spellings.filter((spelling) => spelling.guess)
  assert.equal(guesses.length, MAX_INNER_CUTS + 1)
  const stripped = only(`@a${"!".repeat(50)}`).spellings.filter((spelling) => !spelling.guess)
  assert.equal(stripped.length, MAX_STRIP_STEPS + 2)
})
