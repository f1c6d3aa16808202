import assert from "node:assert/strict"
import { after, describe, test } from "node:test"
import { TOMBSTONE_FETCHES } from "../../../src/history/store/remove.ts"
import type { Message } from "../../../src/session/model.ts"
import { aMessage, anIndex, aSession, aText, aTool, found, got, removeFolders, store } from "../make.ts"

after(removeFolders)

const session = aSession("s1")

describe("a write older than what is stored is refused", () => {
  test("of a message", async () => {
    const index = anIndex()
    await write(index, 20, [aMessage("m1", "newer")])
    const late = await write(index, 10, [aMessage("m1", "older")])
    assert.deepEqual([late.written, late.stale], [0, ["s1"]])
    assert.deepEqual([await found(index, ["newer"]), await found(index, ["older"])], [["s1"], []])
    await index.close()
  })

  test("of a title; what else it brings is kept", async () => {
    const index = anIndex()
    got(
      await index.applyChanges({
        fetchedAt: 20,
        sessions: [{ session: aSession("s1", { title: "renamed" }) }],
      }),
    )
    await write(index, 10, [aMessage("m1", "zebra")])
    assert.equal(got(await index.session("s1"))?.title, "renamed")
    assert.deepEqual(await found(index, ["zebra"]), ["s1"])
    await index.close()
  })

  test("of a removed message; a later one brings it back", async () => {
    const index = anIndex()
    await write(index, 10, [aMessage("m1", "zebra")])
    got(await index.applyChanges({ fetchedAt: 20, sessions: [{ session, removedMessages: ["m1"] }] }))
    await write(index, 15, [aMessage("m1", "zebra")])
    assert.deepEqual(await found(index, ["zebra"]), [])
    await write(index, 30, [aMessage("m1", "zebra")])
    assert.deepEqual(await found(index, ["zebra"]), ["s1"])
    await index.close()
  })

  test("of a removed session; a later one brings it back", async () => {
    const index = anIndex()
    await write(index, 10, [aMessage("m1", "zebra")])
    got(await index.applyChanges({ fetchedAt: 20, removedSessions: ["s1"] }))
    const late = await write(index, 15, [aMessage("m1", "zebra")])
    assert.deepEqual(late.stale, ["s1"])
    assert.equal(got(await index.session("s1")), undefined)
    await write(index, 30, [aMessage("m1", "zebra")])
    assert.deepEqual(await found(index, ["zebra"]), ["s1"])
    await index.close()
  })

  test("of a removed session, for a day", async () => {
    const index = anIndex()
    const remove = async (id: string, fetchedAt: number) =>
      void got(await index.applyChanges({ fetchedAt, removedSessions: [id] }))
    await remove("s1", 20)
    await remove("other", 20 + TOMBSTONE_FETCHES)
    assert.deepEqual((await write(index, 15, [aMessage("m1", "zebra")])).stale, ["s1"])
    await remove("other", 21 + TOMBSTONE_FETCHES)
    assert.deepEqual((await write(index, 15, [aMessage("m1", "zebra")])).stale, [])
    await index.close()
  })

  test("also when it is a removal", async () => {
    const index = anIndex()
    await write(index, 30, [aMessage("m1", "zebra")])
    const late = got(await index.applyChanges({ fetchedAt: 20, removedSessions: ["s1"] }))
    assert.deepEqual([late.removed, late.stale], [0, ["s1"]])
    assert.deepEqual(await found(index, ["zebra"]), ["s1"])
    await index.close()
  })

  test("a whole session fetched before a live message leaves that message", async () => {
    const index = anIndex()
    await write(index, 20, [aMessage("m2", "live", { created: 2 })])
    got(
      await index.applyChanges({
        fetchedAt: 10,
        sessions: [{ session, messages: [aMessage("m1", "old")], complete: true }],
      }),
    )
    assert.deepEqual([await found(index, ["live"]), await found(index, ["old"])], [["s1"], ["s1"]])
    await index.close()
  })
})

describe("a complete write", () => {
  test("removes what the host no longer has", async () => {
    const index = anIndex()
    await store(index, [[session, [aMessage("m1", "zebra"), aMessage("m2", "lion")]]], 10)
    await store(index, [[session, [aMessage("m2", "lion")]]], 20)
    assert.deepEqual([await found(index, ["zebra"]), await found(index, ["lion"])], [[], ["s1"]])
    assert.equal(got(await index.session("s1"))?.messages, 1)
    await index.close()
  })

  test("of the same content writes nothing", async () => {
    const index = anIndex()
    const messages = [
      aMessage("m1", "zebra"),
      aMessage("m2", [aTool("edit", { filePath: "a" })], { role: "assistant" }),
    ]
    await store(index, [[session, messages]], 10)
    const again = got(
      await index.applyChanges({ fetchedAt: 20, sessions: [{ session, messages, complete: true }] }),
    )
    assert.deepEqual([again.written, again.unchanged, again.removed], [0, 2, 0])
    await index.close()
  })

  test("replaces a text: the old one is not found, the new one is", async () => {
    const index = anIndex()
    await store(index, [[session, [aMessage("m1", "zebra go")]]], 10)
    await store(index, [[session, [aMessage("m1", "giraffe ts")]]], 20)
    for (const [word, expected] of [
      ["zebra", []],
      ["go", []],
      ["giraffe", ["s1"]],
      ["ts", ["s1"]],
    ] as const)
      assert.deepEqual(await found(index, [word]), expected)
    await index.close()
  })

  test("stores its marker; another fetch without one leaves it", async () => {
    const index = anIndex()
    got(
      await index.applyChanges({
        fetchedAt: 10,
        sessions: [{ session, messages: [], complete: true, marker: "one" }],
      }),
    )
    got(await index.applyChanges({ fetchedAt: 20, sessions: [{ session }] }))
    const [marker] = got(await index.markers())
    // Behind the serial of the file, which is random.
    assert.deepEqual([marker?.marker, (marker?.fetchedAt ?? 0) % 2 ** 42], ["one", 20])
    await index.close()
  })
})

test("duplicate message ids in one fetch are tolerated: the last one counts", async () => {
  const index = anIndex()
  await store(index, [[session, [aMessage("m1", "zebra"), aMessage("m1", "lion")]]])
  assert.deepEqual([await found(index, ["zebra"]), await found(index, ["lion"])], [[], ["s1"]])
  assert.equal(got(await index.session("s1"))?.messages, 1)
  await index.close()
})

test(
  "a session of many messages is written in several transactions and found whole",
  { timeout: 30_000 },
  async () => {
    const index = anIndex()
    const messages = Array.from({ length: 450 }, (_, at) => aMessage(`m${at}`, `word${at}x`, { created: at }))
    await store(index, [[session, messages]])
    for (const at of [0, 199, 200, 449]) assert.deepEqual(await found(index, [`word${at}x`]), ["s1"])
    const page = got(await index.messages({ sessionID: "s1", direction: "back", limit: 2, maxChars: 10 }))
    assert.ok(page.found)
    assert.deepEqual(
      page.messages.map((message) => [message.id, message.index]),
      [
        ["m448", 448],
        ["m449", 449],
      ],
    )
    await index.close()
  },
)

test(
  "appending to a session of 2,000 messages costs the message, not the session",
  { timeout: 60_000 },
  async () => {
    const index = anIndex()
    const text = "the quick brown fox jumps over the lazy dog ".repeat(60)
    const small = aSession("small")
    const big = aSession("big")
    const messages = (count: number): Message[] =>
      Array.from({ length: count }, (_, at) => aMessage(`m${at}`, `${text}${at}`, { created: at }))
    await store(index, [
      [small, messages(10)],
      [big, messages(2_000)],
    ])
    const append = async (to: typeof big, at: number): Promise<number> => {
      const start = performance.now()
      got(
        await index.applyChanges({
          fetchedAt: 20_000 + at,
          sessions: [
            { session: to, messages: [aMessage(`n${at}`, `${text}${at}`, { created: 5_000 + at })] },
          ],
        }),
      )
      return performance.now() - start
    }
    const smalls: number[] = []
    const bigs: number[] = []
    for (let at = 0; at < 15; at++) {
      smalls.push(await append(small, at))
      bigs.push(await append(big, at))
    }
    // The fastest of each says what the work is; a factor of 200 in size may not show as a factor of 10.
    assert.ok(
      Math.min(...bigs) < 10 * Math.min(...smalls) + 2,
      `${Math.min(...bigs)} ms against ${Math.min(...smalls)} ms`,
    )
    await index.close()
  },
)

test("broken data stops nothing: odd numbers, empty parts, lone surrogates in titles", async () => {
  const index = anIndex()
  const odd = aSession("s1", { title: "lone \ud800 title\0", created: 1.5, updated: 2.5 })
  await store(index, [
    [odd, [aMessage("m1", []), aMessage("m2", [aText("")]), aMessage("m3", "zebra", { created: 3.5 })]],
  ])
  assert.deepEqual(await found(index, ["zebra"]), ["s1"])
  assert.equal(got(await index.session("s1"))?.title, "lone \uFFFD title\uFFFD")
  await index.close()
})

async function write(index: ReturnType<typeof anIndex>, fetchedAt: number, messages: readonly Message[]) {
  return got(await index.applyChanges({ fetchedAt, sessions: [{ session, messages }] }))
}
