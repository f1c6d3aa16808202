import { describe, test } from "node:test"
import assert from "node:assert/strict"
import * as fc from "fast-check"
import { DATA_KEPT_BYTES, readBody, TEXT_MAX_BYTES, withoutData } from "../../src/hosts/v2/body.ts"

/** The text as it is kept when it arrives in pieces of these sizes, over and over. */
function kept(text: string, sizes: readonly number[] = [text.length + 1]): string {
  const bytes = Buffer.from(text)
  const drop = withoutData()
  const pieces: Buffer[] = []
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = Math.max(1, sizes[turn % sizes.length] ?? 1)
    // What was given back must stay as it is when the piece it came in is used again.
    const chunk = Buffer.from(bytes.subarray(at, at + size))
    pieces.push(...drop(chunk).map((piece) => Buffer.from(piece)))
    chunk.fill(0)
    at += size
  }
  return Buffer.concat([...pieces, ...drop(undefined)]).toString("utf8")
}

const long = "QUJD".repeat(DATA_KEPT_BYTES)

describe("attachments are dropped while they arrive", () => {
  test("of a long one its beginning is left, and all around it", () => {
    const page = (data: string) =>
      JSON.stringify({
        data: [{ id: "msg_1", files: [{ data, name: "é.png", mime: "image/png" }], text: "ü" }],
      })
    for (const sizes of [[1], [7], [DATA_KEPT_BYTES], [1_000_000]])
      assert.equal(kept(page(long), sizes), page(long.slice(0, DATA_KEPT_BYTES)))
  })

  const whole: readonly [string, unknown][] = [
    ["a short one", { data: "QUJD" }],
    ["a long text under another name", { text: long, datas: long, xdata: long }],
    ["a long text that says so itself", { text: `"data":"${long}` }],
    ["a long text that is no base64", { data: `It reads: ${long}` }],
    ["a list of that name", { data: [long] }],
  ]
  for (const [name, value] of whole)
    test(`${name} stays whole`, () => {
      const text = JSON.stringify(value)
      for (const sizes of [[1, 3], [text.length]]) assert.equal(kept(text, sizes), text)
    })

  test("where it stops being base64 it is kept again", () => {
    const text = JSON.stringify({ data: `${long}"quoted"\nand more`, after: 1 })
    const parsed: unknown = JSON.parse(kept(text))
    assert.deepEqual(parsed, { data: `${long.slice(0, DATA_KEPT_BYTES)}"quoted"\nand more`, after: 1 })
  })

  test("whatever JSON comes in whatever pieces, the rest is as it was", () => {
    const base64 = fc.nat({ max: 3 }).map((times) => "QUJDREVG".repeat(times * 600))
    const key = fc.constantFrom("data", "text", 'a"data', "files")
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.string({ unit: "grapheme" }),
        base64,
        fc.constant('"data":"'),
        fc.array(tie("node"), { maxLength: 3 }),
        fc.dictionary(key, tie("node"), { maxKeys: 3 }),
      ),
    })).node
    fc.assert(
      fc.property(
        value,
        fc.array(fc.integer({ min: 1, max: 6_000 }), { minLength: 1, maxLength: 5 }),
        (json, sizes) => {
          assert.equal(kept(JSON.stringify(json), sizes), JSON.stringify(json, cut))
        },
      ),
    )
  })
})

/** What is to be left of a value. */
function cut(name: string, value: unknown): unknown {
  const isBase64 = typeof value === "string" && /^[A-Za-z0-9+/=]*$/.test(value)
  return /(?:^|")data$/.test(name) && isBase64 ? value.slice(0, DATA_KEPT_BYTES) : value
}

describe("an answer", () => {
  test("is its text, and the bytes that came", async () => {
    const text = JSON.stringify({ data: long, é: "ü" })
    const body = await readBody(new Response(text))
    assert.deepEqual(body, { text: kept(text), bytes: Buffer.byteLength(text) })
    assert.deepEqual(await readBody(new Response(null)), { text: "", bytes: 0 })
  })

  test("of 400 MB of attachments takes the memory of its text", { timeout: 60_000 }, async () => {
    const data = Buffer.alloc(4 * 1024 * 1024, "QUJD")
    const pieces = function* () {
      yield Buffer.from('{"data":[')
      for (let at = 0; at < 100; at++) {
        yield Buffer.from(`${at === 0 ? "" : ","}{"id":"msg_${at}","text":"word ${at}","files":[{"data":"`)
        yield data
        yield Buffer.from('","name":"a.png"}]}')
      }
      yield Buffer.from("]}")
    }
    const before = process.memoryUsage().rss
    let peak = before
    const source = pieces()
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        const next = source.next()
        if (next.done === true) return controller.close()
        controller.enqueue(new Uint8Array(next.value))
        peak = Math.max(peak, process.memoryUsage().rss)
      },
    })
    const { text = "", bytes } = await readBody(new Response(stream))
    assert.ok(bytes > 400 * 1024 * 1024)
    assert.ok(text.length < 100 * (DATA_KEPT_BYTES + 200), `${text.length}`)
    assert.match(text, /"text":"word 99"/)
    const grown = Math.round((peak - before) / 1024 / 1024)
    assert.ok(grown < 200, `${grown} MiB more than before`)
  })

  test("longer than the bound is not read to its end", async () => {
    const piece = Buffer.alloc(1024 * 1024, "a b")
    let sent = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += piece.length
        controller.enqueue(piece)
      },
    })
    const { text, bytes } = await readBody(new Response(endless))
    assert.equal(text, undefined)
    assert.ok(bytes <= TEXT_MAX_BYTES + 2 * piece.length, `${bytes}`)
    assert.ok(sent <= bytes + 4 * piece.length, `${sent}`)
  })
})
