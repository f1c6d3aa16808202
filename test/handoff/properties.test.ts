import assert from "node:assert/strict"
import { describe, test } from "node:test"
import * as fc from "fast-check"
import { buildDraft, findMarker, normaliseFiles } from "../../src/handoff/draft.ts"
import { parseReferences } from "../../src/handoff/references.ts"

const sessionID = fc.stringMatching(/^ses_[A-Za-z0-9]{1,30}$/)
const hardUnit = fc.constantFrom(
  ..."ab1@./\\ \"'`()[]{}#-,;:!?*_~<>|+%$&=^\t\n\r\0\x1b\u00a0\u3000\u200b\u2028。，、）」中カ한é😀\ud83d\u0301".split(
    "",
  ),
)
const path = fc.oneof(
  fc.string({ unit: hardUnit, maxLength: 20 }),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.stringMatching(/^(\.\.?\/)?[a-z@()[\]]{1,9}\/[a-z0-9 ]{1,9}\.(ts|md)(#\d{1,3}-\d{1,3})?$/),
)
const anyText = fc.string({
  unit: fc.oneof(hardUnit, fc.constantFrom("@a.ts", '@"', "```", "~~~", "\n\n")),
  maxLength: 200,
})

describe("a draft", () => {
  test("names exactly its files again, on its own line", () => {
    fc.assert(
      fc.property(sessionID, fc.array(path, { maxLength: 8 }), anyText, (sourceSessionID, list, prompt) => {
        const files = normaliseFiles(list)
        const text = buildDraft({ sourceSessionID, files, prompt })
        const found = parseReferences(text).filter((reference) => reference.onFileLine)
        // With no files the prompt's first line stands there; it may look like a line of files.
        if (files.length === 0) return
        assert.deepEqual(
          found
            .filter((reference) => reference.offset < text.indexOf("\n", text.indexOf("\n") + 2))
            .map(firstPath),
          files,
        )
      }),
    )
  })
  test("is recognised, starts with no command and ends with one line break", () => {
    fc.assert(
      fc.property(sessionID, fc.array(path, { maxLength: 8 }), anyText, (sourceSessionID, list, prompt) => {
        const text = buildDraft({ sourceSessionID, files: normaliseFiles(list), prompt })
        assert.deepEqual(findMarker(text), { sourceSessionID, line: 0 })
        assert.match(text, /^Continuing/)
        assert.match(text, /[^\n]\n$/)
        assert.doesNotMatch(text, /[^\P{Cc}\n\t]|\p{Cs}/u)
      }),
    )
  })
  test("keeps a prompt without control characters as it is", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z$`'"\\!{}(]( ?[a-z$`'"\\!{}(\n]){0,50}$/), (prompt) => {
        const text = buildDraft({ sourceSessionID: "ses_1", files: [], prompt })
        assert.ok(text.endsWith(`\n\n${prompt.trimEnd()}\n`))
      }),
    )
  })
})

test("normaliseFiles gives no blanks, no duplicates and nothing that was not asked for", () => {
  fc.assert(
    fc.property(fc.array(path), (list) => {
      const files = normaliseFiles(list)
      assert.equal(new Set(files).size, files.length)
      for (const file of files) assert.ok(file.trim() === file && file !== "")
      assert.ok(files.length <= list.length)
    }),
  )
})

test("any text: offsets stand on an @, in order, and every reference has a name and a spelling", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      let last = -1
      for (const reference of parseReferences(text)) {
        assert.equal(text[reference.offset], "@")
        assert.ok(reference.offset > last)
        last = reference.offset
        assert.notEqual(reference.name.trim(), "")
        assert.ok(reference.spellings.length > 0)
        for (const spelling of reference.spellings) {
          assert.notEqual(spelling.path, "")
          assert.ok(reference.offset + spelling.length <= text.length)
          assert.doesNotMatch(spelling.path, /\p{Cc}/u)
        }
      }
    }),
    { numRuns: 500 },
  )
})

function firstPath(reference: ReturnType<typeof parseReferences>[number]): string {
  return reference.spellings[0]?.path ?? ""
}
