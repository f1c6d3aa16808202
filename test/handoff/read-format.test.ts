import assert from "node:assert/strict"
import { join } from "node:path"
import { afterEach, describe, test } from "node:test"
import { readLines } from "../../src/handoff/read-file.ts"
import { formatFor, MAX_LINES, MAX_LINE_UNITS, type ReadFormat } from "../../src/handoff/read-format.ts"
import type { LineRange } from "../../src/handoff/spellings.ts"
import { makeFolder, removeFolders } from "./folder.ts"

afterEach(removeFolders)

/** The body for a file, with its absolute path written ABS. */
async function body(
  format: ReadFormat,
  content: string,
  range?: LineRange,
  scanBytes = 1e9,
): Promise<string> {
  const path = join(makeFolder({ a: content }).path, "a")
  const ranged = range === undefined ? {} : { range }
  const read = await readLines(path, { name: path, style: format, maxBytes: 1e9, scanBytes, ...ranged })
  assert.ok(read.kind === "page", read.kind)
  const text = format.body(path, read.page)
  assert.ok(
    Buffer.byteLength(text) <= roomOf(format, path, read.page.lines, read.page.first),
    "within its budget",
  )
  return text.replaceAll(path, "ABS")
}

function roomOf(format: ReadFormat, path: string, lines: readonly string[], first: number): number {
  const sizes = lines.map((line, index) => format.prefixBytes(first + index) + Buffer.byteLength(line) + 1)
  return sizes.reduce((sum, size) => sum + size, format.frameBytes(path))
}

const counted = (count: number): string =>
  Array.from({ length: count }, (_, index) => `l${index + 1}\n`).join("")

describe("formatFor", () => {
  const cases: [version: string | undefined, name: ReadFormat["name"]][] = [
    ["1.1.11", "classic"],
    ["1.1.58", "classic"],
    ["1.1.65", "tagged-1.1"],
    ["1.2.1", "tagged-1.1"],
    ["1.3.0", "tagged-1.3"],
    ["1.3.2", "tagged-1.3"],
    ["1.14.34", "tagged"],
    ["1.18.33", "tagged"],
    ["v1.18.34-beta.1", "tagged"],
    ["1.19.0", "tagged"],
    ["2.0.16", "tagged"],
    ["local", "tagged"],
    ["", "tagged"],
    ["1.18", "tagged"],
    ["0.0.0-dev-202601010000", "tagged"],
    [undefined, "tagged"],
  ]
  for (const [version, name] of cases)
    test(`${version} reads ${name}`, () => {
      assert.equal(formatFor(version, "auto").name, name)
      assert.equal(formatFor(version, "numbered").name, "classic")
    })
})

describe("the body of a file with one line", () => {
  const cases: [version: string, text: string][] = [
    ["1.1.58", "<file>\n00001| alpha\n00002| \n\n(End of file - total 2 lines)\n</file>"],
    [
      "1.1.65",
      "<path>ABS</path>\n<type>file</type>\n<content>1: alpha\n2: \n\n(End of file - total 2 lines)\n</content>",
    ],
    [
      "1.3.0",
      "<path>ABS</path>\n<type>file</type>\n<content>1: alpha\n\n(End of file - total 1 lines)\n</content>",
    ],
    [
      "1.18.33",
      "<path>ABS</path>\n<type>file</type>\n<content>\n1: alpha\n\n(End of file - total 1 lines)\n</content>",
    ],
  ]
  for (const [version, text] of cases)
    test(`on ${version}`, async () => assert.equal(await body(formatFor(version, "auto"), "alpha\n"), text))
})

describe("how the newest format ends", () => {
  const format = formatFor(undefined, "auto")
  const frame = (lines: string, ending: string): string =>
    `<path>ABS</path>\n<type>file</type>\n<content>\n${lines}\n\n${ending}\n</content>`

  test("an empty file", async () => {
    assert.equal(await body(format, ""), frame("", "(End of file - total 0 lines)"))
  })
  test("two lines, the last without a line break", async () => {
    assert.equal(
      await body(format, "alpha\nbeta"),
      frame("1: alpha\n2: beta", "(End of file - total 2 lines)"),
    )
  })
  test("a range", async () => {
    assert.equal(
      await body(format, counted(50), { start: 9, end: 10 }),
      frame("9: l9\n10: l10", "(Showing lines 9-10 of 50. Use offset=11 to continue.)"),
    )
  })
  test("more than 2,000 lines", async () => {
    const text = await body(format, counted(MAX_LINES + 500))
    assert.ok(
      text.endsWith(
        "\n2000: l2000\n\n(Showing lines 1-2000 of 2500. Use offset=2001 to continue.)\n</content>",
      ),
    )
  })
  test("more than 2,000 lines of an unknown number", async () => {
    const text = await body(format, counted(MAX_LINES + 500), undefined, 12_000)
    assert.ok(text.endsWith("\n\n(Showing lines 1-2000. Use offset=2001 to continue.)\n</content>"))
  })
  test("more than 50 KB", async () => {
    const text = await body(format, `${"c".repeat(99)}\n`.repeat(600))
    assert.ok(
      text.endsWith(
        "\n\n(Output capped at 50 KB. Showing lines 1-512. Use offset=513 to continue.)\n</content>",
      ),
    )
  })
  test("a line of more than 2,000 units is cut where the host cuts it", async () => {
    const text = await body(format, `${"x".repeat(MAX_LINE_UNITS - 1)}😀`)
    assert.ok(text.includes(`x\ud83d... (line truncated to 2000 chars)\n`))
  })
})

describe("numbered", () => {
  const format = formatFor("1.18.33", "numbered")

  test("shows a file as in the classic form", async () => {
    assert.equal(
      await body(format, 'import { foo } from "./bar"\n'),
      '<file>\n00001| import { foo } from "./bar"\n00002| \n\n(End of file - total 2 lines)\n</file>',
    )
  })
  test("shows an empty file", async () => {
    assert.equal(await body(format, ""), "<file>\n00001| \n\n(End of file - total 1 lines)\n</file>")
  })
  test("shows no more than 2,000 lines, whatever the range", async () => {
    const ending =
      "\n02000| l2000\n\n(File has more lines. Use 'offset' parameter to read beyond line 2000)\n</file>"
    for (const range of [undefined, { start: 1, end: 2500 }])
      assert.ok((await body(format, counted(MAX_LINES + 500), range)).endsWith(ending))
  })
  test("numbers of more than five digits stay whole", async () => {
    assert.ok(
      (await body(format, "\n".repeat(100_000), { start: 99_999, end: 100_000 })).startsWith(
        "<file>\n99999| \n100000| \n",
      ),
    )
  })
  test("cuts a line of more than 2,000 units, never inside a character", async () => {
    assert.ok(
      (await body(format, "x".repeat(MAX_LINE_UNITS + 1))).startsWith(
        `<file>\n00001| ${"x".repeat(MAX_LINE_UNITS)}...\n`,
      ),
    )
    assert.ok(
      (await body(format, `${"x".repeat(MAX_LINE_UNITS - 1)}😀`)).startsWith(
        `<file>\n00001| ${"x".repeat(MAX_LINE_UNITS - 1)}...\n`,
      ),
    )
  })
  test("has no cap of 50 KB", async () => {
    const text = await body(format, `${"c".repeat(99)}\n`.repeat(600))
    assert.ok(text.endsWith("(End of file - total 601 lines)\n</file>"))
  })
})

test("the classic form of an old host has the cap of 50 KB", async () => {
  const text = await body(formatFor("1.1.58", "auto"), `${"c".repeat(99)}\n`.repeat(600))
  assert.ok(
    text.endsWith(
      "\n\n(Output truncated at 51200 bytes. Use 'offset' parameter to read beyond line 512)\n</file>",
    ),
  )
})

describe("header", () => {
  const cases: [version: string, option: "auto" | "numbered", range: LineRange | undefined, input: string][] =
    [
      ["1.18.33", "auto", undefined, '{"filePath":"/a b.ts"}'],
      ["1.18.33", "auto", { start: 3, end: 5 }, '{"filePath":"/a b.ts","offset":3,"limit":3}'],
      ["1.18.33", "auto", { start: 3 }, '{"filePath":"/a b.ts","offset":3}'],
      ["1.18.33", "numbered", { start: 3, end: 5 }, '{"filePath":"/a b.ts","offset":3,"limit":3}'],
      ["1.1.58", "auto", { start: 3, end: 5 }, '{"filePath":"/a b.ts","offset":2,"limit":3}'],
    ]
  for (const [version, option, range, input] of cases)
    test(`${version} ${option} ${input}`, () => {
      assert.equal(
        formatFor(version, option).header("/a b.ts", range),
        `Called the Read tool with the following input: ${input}`,
      )
    })
  test("is JSON for any path", () => {
    assert.ok(
      formatFor(undefined, "auto").header('C:\\a"b\n', undefined).endsWith('{"filePath":"C:\\\\a\\"b\\n"}'),
    )
  })
})
