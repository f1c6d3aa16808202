import assert from "node:assert/strict"
import { test } from "node:test"
import { inflateRawSync } from "node:zlib"
import * as fc from "fast-check"
import { deflate } from "../../src/storage/deflate.ts"

test("every runtime's deflate is read back by the common inflate", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 5_000 }), (text) => {
      assert.equal(inflateRawSync(deflate(text)).toString(), text.toWellFormed())
    }),
  )
})

test("half of a character becomes the replacement character, as in UTF-8 elsewhere", () => {
  assert.equal(inflateRawSync(deflate("\ud800x\udc00")).toString(), "\uFFFDx\uFFFD")
})

test("a long text comes back whole and much smaller", () => {
  const text = "the quick brown fox 東京 ".repeat(100_000)
  const deflated = deflate(text)
  assert.ok(deflated.length * 20 < text.length)
  assert.equal(inflateRawSync(deflated).toString(), text)
})
