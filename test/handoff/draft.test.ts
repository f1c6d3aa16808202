import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { buildDraft, findMarker, markerSentence, normaliseFiles } from "../../src/handoff/draft.ts"

const MARK = "Continuing work from session ses_1. Use read_session if you need details not included here."

describe("buildDraft", () => {
  const draft = (files: readonly string[], prompt: string) =>
    buildDraft({ sourceSessionID: "ses_1", files, prompt })

  test("is the marker, the files, the prompt and a final newline", () => {
    assert.equal(draft(["src/a.ts", "b.md"], "Do it."), `${MARK}\n\n@src/a.ts @b.md\n\nDo it.\n`)
  })
  test("leaves the line of files out when there are none", () => {
    assert.equal(draft([], "Do it."), `${MARK}\n\nDo it.\n`)
  })

  const prompts: [prompt: string, out: string][] = [
    ["a\r\nb\rc", "a\nb\nc"],
    ["a\tb", "a\tb"],
    ["a\0b\x1b[0m\x7f\x9bc", "ab[0mc"],
    ["\n \n  indented", "  indented"],
    ["text \n\n", "text"],
    ["half \ud83d", "half \ufffd"],
    ["😀 你好", "😀 你好"],
    ["`a` $HOME $1 !`id` \\n", "`a` $HOME $1 !`id` \\n"],
  ]
  for (const [prompt, out] of prompts)
    test(`prompt ${JSON.stringify(prompt)} arrives as ${JSON.stringify(out)}`, () => {
      assert.equal(draft([], prompt), `${MARK}\n\n${out}\n`)
    })

  const files: [path: string, written: string][] = [
    ["src/a.ts", "@src/a.ts"],
    ["src/a b.ts", '@"src/a b.ts"'],
    ["app/(group)/[id]/page.tsx", "@app/(group)/[id]/page.tsx"],
    [".github/workflows/ci.yml", "@.github/workflows/ci.yml"],
    ["a+b.ts", "@a+b.ts"],
    ["中文.md", "@中文.md"],
    ["😀.md", "@😀.md"],
    ["a#10-40", "@a#10-40"],
    ["what?", '@"what?"'],
    ["中文。", '@"中文。"'],
    ["a`b", '@"a`b"'],
    ['say "hi".md', '@"say \\"hi\\".md"'],
    ["src\\a b.ts", '@"src\\\\a b.ts"'],
    ["src\\a.ts", "@src\\a.ts"],
    ["@scope/a.ts", '@"@scope/a.ts"'],
    ["---", '@"---"'],
    ["a\nb\x1b.ts", "@ab.ts"],
  ]
  for (const [path, written] of files)
    test(`file ${JSON.stringify(path)} is written ${written}`, () => {
      assert.equal(draft([path], "x"), `${MARK}\n\n${written}\n\nx\n`)
    })

  for (const prompt of ["/undo", "!rm -rf /", "see @src/a.ts", "see @src/"])
    test(`${JSON.stringify(prompt)} neither runs nor opens a completion`, () => {
      const text = draft([], prompt)
      assert.match(text, /^[^/!]/)
      assert.match(text, /\n$/)
    })
})

describe("normaliseFiles", () => {
  const cases: [files: readonly string[], out: readonly string[]][] = [
    [
      ["b", "a"],
      ["b", "a"],
    ],
    [["@a.ts", " a.ts ", "a.ts"], ["a.ts"]],
    [["", " ", "@", "\0"], []],
    [['@"a b.ts"', '"a b.ts"'], ["a b.ts"]],
    [['@"a b.ts"#3-4'], ["a b.ts#3-4"]],
    [['@"say \\"hi\\""'], ['say "hi"']],
    [["@@scope/a.ts"], ["@scope/a.ts"]],
    [["app/@modal/p.tsx"], ["app/@modal/p.tsx"]],
    [['"half'], ['"half']],
    [["a\nb"], ["ab"]],
  ]
  for (const [files, out] of cases)
    test(`${JSON.stringify(files)} is ${JSON.stringify(out)}`, () => {
      assert.deepEqual(normaliseFiles(files), out)
    })
})

describe("findMarker", () => {
  const found: [name: string, text: string, line: number][] = [
    ["alone", MARK, 0],
    ["with a draft", `${MARK}\n\n@a.ts\n\nx\n`, 0],
    ["below the user's own text", `Be brief.\n\n${MARK}\n\nx`, 2],
    ["with spaces behind it", `${MARK} \t\nx`, 0],
    ["with CRLF", `hi\r\n${MARK}\r\n`, 1],
    ["below a closed fence", `\`\`\`\ncode\n\`\`\`\n${MARK}`, 3],
    ["below inline code of three backticks", `\`\`\`x\`\`\`\n${MARK}`, 1],
    ["after a quoted one", `> ${MARK}\n${MARK}`, 1],
  ]
  for (const [name, text, line] of found)
    test(`is found ${name}`, () => {
      assert.deepEqual(findMarker(text), { sourceSessionID: "ses_1", line })
    })

  const none: [name: string, text: string][] = [
    ["in an empty text", ""],
    ["quoted", `> ${MARK}`],
    ["indented", `  ${MARK}`],
    ["indented by a tab", `\t${MARK}`],
    ["in a fence", `\`\`\`\n${MARK}\n\`\`\``],
    ["in a tilde fence", `~~~md\n${MARK}\n~~~`],
    ["in a longer fence around a shorter one", `\`\`\`\`\n\`\`\`\n${MARK}\n\`\`\`\``],
    ["in a fence that is never closed", `\`\`\`\n${MARK}`],
    ["in a fence of a list", `- \`\`\`\n${MARK}`],
    ["in inline code", `\`${MARK}\``],
    ["with text before it", `So: ${MARK}`],
    ["with text behind it", `${MARK} ok`],
    ["without an id", markerSentence("")],
    ["with a blank in the id", markerSentence("ses_1 x")],
    ["with a line break in it", MARK.replace(". Use", ".\nUse")],
    ["in a list", `- ${MARK}`],
  ]
  for (const [name, text] of none)
    test(`is not found ${name}`, () => {
      assert.equal(findMarker(text), undefined)
    })
})
