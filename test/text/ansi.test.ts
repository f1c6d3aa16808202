import assert from "node:assert/strict"
import { describe, test } from "node:test"
import * as fc from "fast-check"
import { stripAnsi } from "../../src/text/ansi.ts"
import { cpuMs } from "../growth.ts"

describe("what is taken out and what is kept", () => {
  strips("plain", "plain")
  strips("\u001b[31mred\u001b[0m", "red")
  strips("\u001b[1;38;5;196mbold\u001b[m", "bold")
  strips("\u001b[38:2::255:0:0mcolon", "colon")
  strips("\u001b[2J\u001b[Hhome", "home")
  strips("\u001b[?25lhidden\u001b[?25h", "hidden")
  strips("a\u001b[10Cb", "ab")
  strips("\u001b]0;title\u0007text", "text")
  strips("\u001b]8;;https://example.com\u001b\\link\u001b]8;;\u001b\\", "link")
  strips("\u001bP1$r0m\u001b\\dcs", "dcs")
  strips("\u001b_private\u001b\\apc", "apc")
  strips("\u001b(Bcharset", "charset")
  strips("\u001b7saved\u001b8", "saved")
  strips("\u001bcreset", "reset")
  strips("\u009b31mc1\u009b0m", "c1")
  strips("\u009d0;t\u009cc1 osc", "c1 osc")
  strips("\u001b[31m中文 🚀\u001b[0m", "中文 🚀")
  strips("unfinished \u001b[", "unfinished ")
  strips("unfinished \u001b[31\ntext", "unfinished 31\ntext")
  strips("\u001b]0;never ended\nnext line", "0;never ended\nnext line")
  strips("\u001b]0;one\u001b[31mtwo\u0007", "0;onetwo\u0007")
  strips("\u001b", "")
  strips("\u001b\u001b[31m[31m", "[31m")
  strips("[31m is text", "[31m is text")

  function strips(text: string, expected: string): void {
    test(JSON.stringify(text), () => assert.equal(stripAnsi(text), expected))
  }
})

const units = fc.string({
  unit: fc.constantFrom(
    "\u001b",
    "[",
    "]",
    "\\",
    "\u0007",
    "\u009b",
    "\u009d",
    "\u009c",
    "P",
    "3",
    ";",
    "m",
    "\n",
    "a",
    " ",
  ),
})

const INTRODUCERS = ["\u001b", "\u0090", "\u0098", "\u009b", "\u009c", "\u009d", "\u009e", "\u009f"]
const holdsIntroducer = (text: string) => INTRODUCERS.some((introducer) => text.includes(introducer))

test("no introducer is left, doing it twice changes nothing", () => {
  fc.assert(
    fc.property(units, (text) => {
      const stripped = stripAnsi(text)
      assert.ok(!holdsIntroducer(stripped))
      assert.equal(stripAnsi(stripped), stripped)
    }),
  )
})

test("text without introducers comes back as it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      fc.pre(!holdsIntroducer(text))
      assert.equal(stripAnsi(text), text)
    }),
  )
})

test("hostile text of 8 MB takes linear time", async () => {
  for (const piece of ["\u001b]", "\u009d", "\u001bP", "\u001b[1", "\u001b[", "\u001b]8;;x"]) {
    const text = piece.repeat(8_000_000 / piece.length)
    // A quadratic scan would take hours; the bound only has to tell the two apart.
    assert.ok((await cpuMs(() => stripAnsi(text))) < 10_000, JSON.stringify(piece))
  }
})
