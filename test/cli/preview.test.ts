import { after, test } from "node:test"
import assert from "node:assert/strict"
import { messagesAround, passageOf, PREVIEW_UNITS } from "../../src/cli/interactive/preview.ts"
import { START } from "../../src/cli/interactive/state.ts"
import { frameOf } from "../../src/cli/interactive/view.ts"
import { widthOf } from "../../src/cli/layout.ts"
import { makePaint } from "../../src/cli/paint.ts"
import { oneLine } from "../../src/text/printable.ts"
import { clockOf } from "../../src/tools/search/when.ts"
import { aMessage, anIndex, aSession, removeFolders, store } from "../history/make.ts"

after(removeFolders)

const LOOK = {
  output: { columns: 80, textColumns: 80, paint: makePaint(false, false), isTerminal: true },
  clock: clockOf(undefined),
  maskSecrets: true,
  home: "/home/a",
}

test("a copied passage is the text as it was written, without what would steer a terminal", async () => {
  const history = anIndex()
  const text = "one\r\n\ttwo \u0003\u0007 \u001B[31mred\u001B[0m \u202E end"
  await store(history, [[aSession("ses_a"), [aMessage("msg_a", text)]]])
  const found = await history.session("ses_a")
  assert.ok(found.ok && found.value !== undefined)
  const passage = await passageOf(
    history,
    { session: found.value },
    "msg_a",
    true,
    new AbortController().signal,
  )
  assert.equal(passage, "one\n\ttwo  red  end")
  await history.close()
})

test("the preview stands at the hit, however long the message is", async () => {
  const history = anIndex()
  const filler = (count: number) => "some words of a long answer\n".repeat(count)
  const secret = `-----BEGIN RSA PRIVATE KEY-----\n${"MIIEowIBAAKCAQEA0123456789abcdef\n".repeat(150)}-----END RSA PRIVATE KEY-----\n`
  const rows: readonly (readonly [word: string, text: string])[] = [
    ["needle", `${filler(20_000)}the NEEDLE is here\n${filler(1_000)}`],
    ["needle", `${filler(500)}the needle`],
    ["needle", `needle ${filler(500)}`],
    ["needle", `${filler(500)}${secret}a needle behind a secret ${filler(300)}`],
    ["two words", `${"x ".repeat(20_000)}two words${" y".repeat(20_000)}`],
  ]
  for (const [at, [word, text]] of rows.entries()) {
    const id = `ses_${at}`
    await store(history, [[aSession(id), [aMessage(`msg_${at}`, text)]]])
    const found = await history.session(id)
    const start = text.toLowerCase().indexOf(word)
    assert.ok(found.ok && found.value !== undefined)
    const hit = { word, words: [word], where: "message", messageID: `msg_${at}`, excerpt: word } as const
    for (const place of [start, 0]) {
      const item = { session: found.value, hit: { ...hit, at: { start: place, end: place + word.length } } }
      const [message] = await messagesAround(history, item, true, new AbortController().signal)
      assert.ok(message !== undefined)
      assert.ok(message.text.toLowerCase().includes(word), `row ${at}`)
      assert.ok(message.text.length <= PREVIEW_UNITS + 10)
      assert.ok(!message.text.includes("MIIE"))
      const state = { ...START, items: [item], preview: [message], words: [word] }
      for (const columns of [60, 80, 120]) {
        const frame = frameOf(state, { columns, rows: 16 }, LOOK)
        assert.match(frame.lines.join(" ").toLowerCase(), new RegExp(word.replace(" ", "[^]*")))
        assert.ok(frame.lines.every((line) => widthOf(line) <= columns))
      }
    }
  }
  await history.close()
})

test("names from history and lines about them steer no terminal", () => {
  const directory = "/a\b\b\u202E\u009B2Jrm\nx\u200B"
  const session = {
    id: "ses_a",
    title: directory,
    projectID: "p",
    directory,
    created: 0,
    updated: 0,
    messages: 0,
  }
  const state = { ...START, items: [{ session }], notice: `Copied: ${directory}`, query: directory }
  for (const columns of [30, 60, 120])
    for (const line of frameOf(state, { columns, rows: 12 }, LOOK).lines) {
      assert.equal(oneLine(line), line)
      assert.ok(widthOf(line) <= columns)
    }
})
