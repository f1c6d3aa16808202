import assert from "node:assert/strict"
import { after, describe, test } from "node:test"
import * as fc from "fast-check"
import type { History, MessagesRequest } from "../../../src/history/contract.ts"
import { aMessage, anIndex, aSession, aText, aTool, found, got, removeFolders, store } from "../make.ts"

after(removeFolders)

async function page(index: History, given: Partial<MessagesRequest>) {
  const answer = got(
    await index.messages({ sessionID: "s1", direction: "forward", limit: 100, maxChars: 100, ...given }),
  )
  assert.ok(answer.found)
  return answer
}

describe("stored messages", () => {
  test("come page by page, each once, in both directions and for each role", async () => {
    const index = anIndex()
    let fetchedAt = 1_000
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 0, max: 99 }), { maxLength: 25 }),
        fc.integer({ min: 1, max: 7 }),
        fc.constantFrom(undefined, "user" as const, "assistant" as const),
        fc.constantFrom("forward" as const, "back" as const),
        async (numbers, limit, role, direction) => {
          const messages = numbers.map((number) =>
            aMessage(`m${String(number).padStart(2, "0")}`, `text ${number}`, {
              role: number % 3 === 0 ? "user" : "assistant",
              created: Math.floor(number / 4),
            }),
          )
          await store(index, [[aSession("s1"), messages]], fetchedAt++)
          const seen: string[] = []
          let anchor: { messageID: string } | undefined
          for (let pages = 0; pages <= numbers.length; pages++) {
            const found = await page(index, {
              limit,
              direction,
              ...(role ? { role } : {}),
              ...(anchor ? { anchor } : {}),
            })
            const ids = found.messages.map((message) => message.id)
            if (direction === "forward") seen.push(...ids)
            else seen.unshift(...ids)
            const edge = direction === "forward" ? ids.at(-1) : ids[0]
            if (!found.more || edge === undefined) break
            anchor = { messageID: edge }
          }
          const ordered = messages.map((message) => message.id).sort()
          const expected = messages
            .filter((message) => role === undefined || message.role === role)
            .map((message) => message.id)
            .sort()
          assert.deepEqual(seen, expected)
          const whole = await page(index, role ? { role } : {})
          assert.deepEqual(
            whole.messages.map((message) => message.index),
            expected.map((id) => ordered.indexOf(id)),
          )
        },
      ),
      { numRuns: 40 },
    )
    await index.close()
  })

  test("start at an index or a message, with or without it", async () => {
    const index = anIndex()
    await store(index, [[aSession("s1"), [0, 1, 2, 3].map((at) => aMessage(`m${at}`, "x", { created: at }))]])
    const ids = async (given: Partial<MessagesRequest>) =>
      (await page(index, given)).messages.map((message) => message.id)
    assert.deepEqual(await ids({ anchor: { index: 2 }, inclusive: true }), ["m2", "m3"])
    assert.deepEqual(await ids({ anchor: { messageID: "m2" } }), ["m3"])
    assert.deepEqual(await ids({ anchor: { messageID: "m2" }, direction: "back" }), ["m0", "m1"])
    await index.close()
  })

  test("that are missing are told from sessions that are", async () => {
    const index = anIndex()
    await store(index, [[aSession("s1"), [aMessage("m1", "x")]]])
    const ask = (sessionID: string, messageID: string) =>
      index.messages({ sessionID, anchor: { messageID }, direction: "back", limit: 1, maxChars: 1 })
    assert.deepEqual(got(await ask("nobody", "m1")), { found: false, missing: "session" })
    assert.deepEqual(got(await ask("s1", "nobody")), { found: false, missing: "anchor" })
    await index.close()
  })

  test("are cut at maxChars without splitting a pair, and say so", async () => {
    const index = anIndex()
    await store(index, [[aSession("s1"), [aMessage("m1", "ab🚀cd")]]])
    const [three] = (await page(index, { maxChars: 3 })).messages
    assert.deepEqual([three?.text, three?.cut], ["ab", true])
    const [all] = (await page(index, { maxChars: 6 })).messages
    assert.deepEqual([all?.text, all?.cut], ["ab🚀cd", false])
    await index.close()
  })

  test("behind a revert point that is not stored are left out as the search leaves them out", async () => {
    const index = anIndex()
    // A clock that went back: the later id is the earlier message.
    const messages = [
      aMessage("m1", "kept x", { created: 1 }),
      aMessage("m5", "zebra first", { created: 2 }),
      aMessage("m4", "zebra second", { created: 3 }),
    ]
    await store(index, [[aSession("s1", { revertedFrom: "m3" }), messages]])
    const read = await page(index, {})
    assert.deepEqual(
      read.messages.map((one) => one.id),
      ["m1"],
    )
    assert.deepEqual(await found(index, ["zebra"]), [])
    assert.deepEqual(await found(index, ["kept"]), ["s1"])
    await index.close()
  })

  test("that are reverted are left out and counted", async () => {
    const index = anIndex()
    const messages = [1, 2, 3].map((at) => aMessage(`m${at}`, "x", { created: at }))
    await store(index, [[aSession("s1", { revertedFrom: "m2" }), messages]])
    const visible = await page(index, {})
    assert.deepEqual([visible.messages.length, visible.reverted, visible.total], [1, 2, 3])
    assert.equal((await page(index, { includeReverted: true })).messages.length, 3)
    await index.close()
  })
})

test("of the kinds asked for only: what tools were asked is told apart from what they answered", async () => {
  const index = anIndex()
  const tool = aTool("bash", { command: "ls" }, { output: "file-a" })
  await store(index, [
    [aSession("s1"), [aMessage("m1", [aText("before"), tool, aText("after")], { role: "assistant" })]],
  ])
  const read = async (kinds: MessagesRequest["kinds"], maxChars = 100) => {
    const { messages } = await page(index, { maxChars, ...(kinds && { kinds }) })
    return messages.map(({ text, cut, pieces }) => [text, cut, pieces?.map((piece) => piece.kind).join(" ")])
  }
  const leftOut = async (kinds: MessagesRequest["kinds"]) =>
    (await page(index, { maxChars: 100, ...(kinds && { kinds }) })).messages[0]?.leftOut
  assert.deepEqual(await read(undefined), [
    ["before\nbash\ncommand: ls\nfile-a\nafter", false, "assistant tool tool assistant"],
  ])
  assert.deepEqual(await read(["assistant"]), [["before\nafter", false, "assistant assistant"]])
  assert.deepEqual(await read(["tool"]), [["file-a", false, "tool"]])
  assert.deepEqual(await read(["tool-input"], 4), [["bash", true, "tool"]])
  assert.deepEqual(await read(["user"]), [["", false, ""]])
  assert.deepEqual(await leftOut(["assistant"]), ["tool-input", "tool"])
  assert.equal(await leftOut(undefined), undefined)
  await index.close()
})
