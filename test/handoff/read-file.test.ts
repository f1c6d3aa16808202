import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { appendFileSync, chmodSync, symlinkSync, truncateSync, unlinkSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, test } from "node:test"
import { MAX_CONTROL_SHARE, SAMPLE_BYTES } from "../../src/handoff/binary.ts"
import { CHUNK_BYTES, readLines, type ReadOutcome, type ReadRequest } from "../../src/handoff/read-file.ts"
import { formatFor, HOST_CAP_BYTES } from "../../src/handoff/read-format.ts"
import type { LineRange } from "../../src/handoff/spellings.ts"
import { makeFolder, removeFolders } from "./folder.ts"

afterEach(removeFolders)

const skipForRoot = process.getuid?.() === 0 ? { skip: "root may read everything" } : {}
const style = formatFor(undefined, "auto")
const roomy: Omit<ReadRequest, "name"> = { style, maxBytes: 1e9, scanBytes: 1e9 }

async function read(content: string | Uint8Array, request: Partial<ReadRequest> = {}): Promise<ReadOutcome> {
  const name = request.name ?? "a.txt"
  const folder = makeFolder({ [name]: content })
  return readLines(join(folder.path, name), { ...roomy, ...request, name })
}

/** One line for a page: its lines, "first", "of total", and where it ends. */
function summary(outcome: ReadOutcome): string {
  if (outcome.kind !== "page") return outcome.kind
  const { lines, first, total, end } = outcome.page
  const shown = lines.length > 4 ? `${lines.length} lines` : JSON.stringify(lines)
  return `${shown} from ${first} of ${total ?? "?"}, ${end}`
}

const bytes = (...parts: (string | readonly number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))))
const counted = (count: number): string =>
  Array.from({ length: count }, (_, index) => `l${index + 1}\n`).join("")
const PNG = [137, 80, 78, 71, 13, 10, 26, 10]

describe("readLines", () => {
  const cut = "... (line truncated to 2000 chars)"
  const cases: [name: string, content: string | Uint8Array, summary: string, range?: LineRange][] = [
    ["an empty file", "", "[] from 1 of 0, file"],
    ["one line without a line break", "one", '["one"] from 1 of 1, file'],
    ["a final line break adds no line", "a\nb\n", '["a","b"] from 1 of 2, file'],
    ["CRLF and lone CR", "a\r\nb\rc", '["a","b","c"] from 1 of 3, file'],
    ["blank lines", "\n\n", '["",""] from 1 of 2, file'],
    ["a byte order mark", "\ufeffa\n", '["a"] from 1 of 1, file'],
    ["only a byte order mark", "\ufeff", "[] from 1 of 0, file"],
    ["CJK and emoji", "你好\n👩‍💻\n", '["你好","👩‍💻"] from 1 of 2, file'],
    ["tabs", "\ta\tb", '["\\ta\\tb"] from 1 of 1, file'],
    ["3,000 lines", counted(3000), "2000 lines from 1 of 3000, limit"],
    ["2,000 lines", counted(2000), "2000 lines from 1 of 2000, file"],
    ["invalid UTF-8", bytes("a", [0xff, 0xe9], "b\n"), '["a\ufffd\ufffdb"] from 1 of 1, file'],
    ["a character cut off by the end", bytes("ok\n", [0xe4, 0xbd]), '["ok"] from 1 of 1, file'],
    ["a range", counted(50), '["l10","l11"] from 10 of 50, limit', { start: 10, end: 11 }],
    ["a range to the end", counted(12), '["l10","l11","l12"] from 10 of 12, file', { start: 10 }],
    ["a range over the end", counted(11), '["l10","l11"] from 10 of 11, file', { start: 10, end: 40 }],
    [
      "a range of more than 2,000 lines",
      counted(3000),
      "2500 lines from 1 of 3000, limit",
      { start: 1, end: 2500 },
    ],
    ["a range behind the end", counted(9), "past the end", { start: 10 }],
    ["a range in an empty file", "", "past the end", { start: 2 }],
    ["the start of an empty file", "", "[] from 1 of 0, file", { start: 1 }],
    ["a NUL byte in the sample", bytes("abc", [0]), "binary"],
    [
      "a NUL byte behind the sample",
      bytes("a".repeat(4096), [0]),
      `["${"a".repeat(2000)}${cut}"] from 1 of 1, file`,
    ],
    ["UTF-16", Buffer.from("\ufeffhello", "utf16le"), "binary"],
    [
      "31 % control bytes",
      bytes(
        "a".repeat(69),
        Array.from({ length: 31 }, () => 1),
      ),
      "binary",
    ],
    [
      "30 % control bytes",
      bytes(
        "a".repeat(70),
        Array.from({ length: 30 }, () => 1),
      ),
      `["${"a".repeat(70)}${"\\u0001".repeat(30)}"] from 1 of 1, file`,
    ],
    ["ANSI colours", "\x1b[31mred\x1b[0m\n", '["\\u001b[31mred\\u001b[0m"] from 1 of 1, file'],
    ["a picture under another name", bytes(PNG, "x"), "binary"],
    ["a PDF under another name", "%PDF-1.4\n", "binary"],
    ["WebP under another name", "RIFFxxxxWEBPx", "binary"],
    ["a word that starts like a bitmap", "BMW\n", '["BMW"] from 1 of 1, file'],
  ]
  for (const [name, content, expected, range] of cases)
    test(name, async () => {
      assert.equal(summary(await read(content, range === undefined ? {} : { range })), expected)
    })

  for (const name of [
    "a.zip",
    "A.ZIP",
    "a.so",
    "a.dat",
    "a.docx",
    "a.png",
    "a.jpeg",
    "a.gif",
    "a.webp",
    "a.pdf",
  ])
    test(`${name} is binary by its ending`, async () => {
      assert.deepEqual(await read("text", { name }), { kind: "binary", size: 4, scanned: 4 })
    })
  for (const name of ["a.svg", "a.bmp", "a.ico", "zip", ".dat", "a.zip.txt"])
    test(`${name} is read`, async () => assert.equal((await read("text", { name })).kind, "page"))
  test("an empty file with a binary ending is binary", async () => {
    assert.equal((await read("", { name: "a.bin" })).kind, "binary")
  })
  test("the size of a binary is the file's", async () => {
    assert.deepEqual(await read(Buffer.alloc(200_000), { name: "a.bin" }), {
      kind: "binary",
      size: 200_000,
      scanned: CHUNK_BYTES,
    })
  })

  test("control bytes are counted in the sample only, up to their share", async () => {
    const most = Math.floor(SAMPLE_BYTES * MAX_CONTROL_SHARE)
    const sample = (controls: number) => "\x01".repeat(controls) + "a".repeat(SAMPLE_BYTES - controls)
    assert.equal((await read(sample(most))).kind, "page")
    assert.equal((await read(sample(most + 1))).kind, "binary")
    assert.equal((await read(sample(most) + "\x01".repeat(SAMPLE_BYTES))).kind, "page")
  })

  test("a line of 2,001 units is cut, one of 2,000 is not", async () => {
    assert.equal(summary(await read("x".repeat(2000))), `["${"x".repeat(2000)}"] from 1 of 1, file`)
    assert.equal(summary(await read("x".repeat(2001))), `["${"x".repeat(2000)}${cut}"] from 1 of 1, file`)
  })
  test("10 MB in one line are read to the end and shown as 2,000 units", async () => {
    const size = 10 * 1024 * 1024
    const outcome = await read(Buffer.alloc(size, "x"))
    assert.equal(summary(outcome), `["${"x".repeat(2000)}${cut}"] from 1 of 1, file`)
    assert.equal(outcome.scanned, size)
  })
  test("characters and CRLF across two chunks stay whole", async () => {
    const content = `${"x".repeat(CHUNK_BYTES - 1)}\r\n${"y".repeat(CHUNK_BYTES - 3)}\n😀\n`
    const outcome = await read(content)
    assert.ok(outcome.kind === "page")
    assert.equal(outcome.page.lines.length, 3)
    assert.equal(outcome.page.lines[2], "😀")
  })

  describe("limits", () => {
    test("the host's cap counts line breaks between lines", async () => {
      const line = `${"c".repeat(1023)}\n`
      assert.equal(summary(await read(line.repeat(50))), "50 lines from 1 of 50, file")
      assert.equal(summary(await read(`${line.repeat(50)}d`)), "50 lines from 1 of 51, cap")
      assert.ok(HOST_CAP_BYTES === 50 * 1024)
    })
    test("the host's cap counts bytes, not characters", async () => {
      assert.equal(summary(await read(`${"你".repeat(341)}\n`.repeat(60))), "50 lines from 1 of ?, cap")
    })
    test("the budget counts prefixes and cuts between lines; the total stays known", async () => {
      const outcome = await read("12345\n".repeat(100), { maxBytes: 27 })
      assert.equal(summary(outcome), '["12345","12345","12345"] from 1 of 100, budget')
      assert.equal(summary(await read("12345\n", { maxBytes: 8 })), "over the budget")
      assert.equal(summary(await read("12345\n", { maxBytes: 9 })), '["12345"] from 1 of 1, file')
    })
    test("the total is unknown behind the bytes that may be scanned", async () => {
      assert.equal(summary(await read(counted(3000), { scanBytes: 12_000 })), "2000 lines from 1 of ?, limit")
      assert.equal(summary(await read("ab\ncd\nef\n", { scanBytes: 4 })), '["ab"] from 1 of ?, limit')
      assert.equal(summary(await read("abcd", { scanBytes: 2 })), "over the budget")
      assert.equal(summary(await read("a\nb\nc\n", { scanBytes: 2, range: { start: 3 } })), "past the end")
    })
    test("no more than allowed is read from the file", async () => {
      assert.equal((await read(counted(30_000), { scanBytes: 100_000 })).scanned, 100_000)
    })
  })

  describe("what may have become of the file", () => {
    test("vanished", async () => {
      const folder = makeFolder()
      assert.equal((await readLines(join(folder.path, "x"), { ...roomy, name: "x" })).kind, "missing")
    })
    test("replaced by a folder, a link or a FIFO", async () => {
      const folder = makeFolder({ "dir/a": "", a: "x" })
      symlinkSync("a", join(folder.path, "link"))
      execFileSync("mkfifo", [join(folder.path, "pipe")])
      const kind = async (name: string) => (await readLines(join(folder.path, name), { ...roomy, name })).kind
      assert.equal(await kind("dir"), "not a regular file")
      assert.equal(await kind("link"), "unreadable")
      assert.equal(await kind("pipe"), "not a regular file")
    })
    test("locked", skipForRoot, async () => {
      const folder = makeFolder({ a: "x" })
      chmodSync(join(folder.path, "a"), 0)
      assert.equal((await readLines(join(folder.path, "a"), { ...roomy, name: "a" })).kind, "unreadable")
    })
    const changes: [name: string, change: (path: string) => void][] = [
      ["growing", (path) => appendFileSync(path, "more\n".repeat(10))],
      ["shrinking", (path) => truncateSync(path, 10)],
      ["vanishing", (path) => unlinkSync(path)],
    ]
    for (const [name, change] of changes)
      test(`${name} while it is read`, async () => {
        const folder = makeFolder({ a: "12345678\n".repeat(CHUNK_BYTES) })
        const path = join(folder.path, "a")
        const reading = readLines(path, { ...roomy, name: "a" })
        await new Promise((next) => setImmediate(next))
        change(path)
        const outcome = await reading
        assert.ok(["page", "missing"].includes(outcome.kind), outcome.kind)
      })
  })

  test("the event loop runs on between chunks", async () => {
    // On a busy machine a turn may see several chunks; without waiting there would be one turn, for the opening.
    const folder = makeFolder({ a: "x\n".repeat(CHUNK_BYTES * 32) })
    let turns = 0
    let reading = true
    const turn = (): void => {
      turns++
      if (reading) setImmediate(turn)
    }
    setImmediate(turn)
    await readLines(join(folder.path, "a"), { ...roomy, name: "a" })
    reading = false
    assert.ok(turns >= 4, `${turns} turns for 64 chunks`)
  })
})
