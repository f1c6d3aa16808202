import { describe, test } from "node:test"
import assert from "node:assert/strict"
import { clipboardInput, clipboardSequence } from "../../src/cli/interactive/clipboard.ts"
import { markdownHtml } from "../../src/cli/view/markdown-html.ts"

describe("the clipboard", () => {
  test("clip.exe gets UTF-16, other programs UTF-8", () => {
    assert.equal(clipboardInput("clip.exe", "é日").toString("utf16le"), "é日")
    assert.equal(clipboardInput("xclip", "é日").toString("utf8"), "é日")
  })

  test("GNU screen gets the sequence in pieces that it passes on", () => {
    const text = "word ".repeat(1_000)
    const bare = clipboardSequence(text, {})
    const wrapped = clipboardSequence(text, { STY: "1.pts" })
    const pieces = wrapped.split("\u001B\\").slice(0, -1)
    assert.ok(pieces.every((piece) => piece.startsWith("\u001BP") && piece.length <= 768))
    assert.equal(pieces.map((piece) => piece.slice(2)).join(""), bare)
  })

  test("tmux gets it bare and wrapped", () => {
    const bare = clipboardSequence("a", {})
    assert.equal(clipboardSequence("a", { TMUX: "x" }), `${bare}\u001BPtmux;\u001B${bare}\u001B\\`)
  })
})

describe("Markdown in a page", () => {
  shows("```one line``` after", /<code>one line<\/code> after/)
  shows('```ts title="a.ts"\nx\n```', /ts title=&quot;a.ts&quot;<\/p>\n<pre dir="ltr"><code>x\n/)
  shows("<script>x</script>", /&lt;script&gt;x&lt;\/script&gt;/)
  shows("<!-- note -->", /&lt;!-- note --&gt;/)
  shows("[a](javascript:x)", /\[a\]\(javascript:x\)/)
  shows("[a](data:text/html,x)", /\[a\]\(data:text\/html,x\)/)
  shows("[a](https://x.org)", /<a href="https:\/\/x.org">a<\/a>/)
  shows("![cat](https://x.org/a.png)", /\[image: cat\] \(https:\/\/x.org\/a.png\)/)
  shows("[INFO]: started", /\[INFO\]: started/)
  shows("# Title", /<h3 dir="auto">Title<\/h3>/)
  shows("one\ntwo", /<p dir="auto">one<br \/>\s*two/)

  function shows(text: string, expected: RegExp): void {
    test(JSON.stringify(text), () => assert.match(markdownHtml(text), expected))
  }
})
