import assert from "node:assert/strict"
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { after, describe, test } from "node:test"
import { LAYOUT_VERSION } from "../../../src/history/file/schema.ts"
import type { Message } from "../../../src/session/model.ts"
import {
  aFolder,
  aMessage,
  anIndex,
  aSession,
  aTool,
  editsOf,
  found,
  got,
  removeFolders,
  store,
} from "../make.ts"

after(removeFolders)

/** Writes the layout version where SQLite keeps it: at byte 60 of the file. */
function setLayout(path: string, version: number): void {
  const bytes = readFileSync(path)
  bytes.writeUInt32BE(version, 60)
  writeFileSync(path, bytes)
}

/** True when the bytes are anywhere in the index's folder. */
function isOnDisk(dataDir: string, text: string): boolean {
  const folder = join(dataDir, "history-search")
  return readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes(text))
}

describe("forgetting", () => {
  test("a session leaves no byte of it, while the index stays open", async () => {
    const dataDir = aFolder()
    const index = anIndex(dataDir)
    const kept = Array.from(
      { length: 50 },
      (_, at) => [aSession(`k${at}`), [aMessage(`k${at}`, `kept words ${at}`)]] as const,
    )
    const tool = aTool("write", { filePath: "/repo/xylograph-plan.ts", content: "quixotic-content" })
    const messages = [aMessage("m1", "zephyrine-secret-text"), aMessage("m2", [tool], { role: "assistant" })]
    await store(index, [...kept, [aSession("s1", { title: "palimpsest-title" }), messages]])
    const words = [
      "zephyrine-secret-text",
      "palimpsest-title",
      "xylograph-plan",
      "quixotic-content",
      "zephyrine",
    ]
    for (const word of words) assert.ok(isOnDisk(dataDir, word), word)

    const answer = got(await index.forget({ kind: "session", sessionID: "s1" }))
    assert.deepEqual([answer.sessions, answer.messages, answer.erased], [1, 2, true])
    for (const word of words) assert.ok(!isOnDisk(dataDir, word), word)
    assert.deepEqual(await found(index, ["zephyrine"]), [])
    assert.equal((await found(index, ["kept words"])).length, 50)
    await index.close()
  })

  test("a session stays forgotten after a later backfill", async () => {
    const index = anIndex()
    await store(index, [[aSession("s1"), [aMessage("m1", "zebra")]]])
    got(await index.forget({ kind: "session", sessionID: "s1" }))
    const again = got(
      await index.applyChanges({
        fetchedAt: Date.now() + 1_000,
        sessions: [{ session: aSession("s1"), messages: [aMessage("m1", "zebra")] }],
      }),
    )
    assert.deepEqual(again.forgotten, ["s1"])
    assert.deepEqual(await found(index, ["zebra"]), [])
    await index.close()
  })

  const rebuilt: readonly (readonly [name: string, spoil: (path: string) => void])[] = [
    ["deleted", (path) => rmSync(path)],
    ["damaged", (path) => writeFileSync(path, "noise ".repeat(10_000))],
    ["of an older layout", (path) => setLayout(path, LAYOUT_VERSION - 1)],
  ]
  for (const [name, spoil] of rebuilt)
    test(`what is forgotten stays so in an index that is rebuilt because it is ${name}`, async () => {
      const dataDir = aFolder()
      const first = anIndex(dataDir)
      await store(first, [[aSession("s1"), [aMessage("m1", "zebra")]]])
      got(await first.forget({ kind: "session", sessionID: "s1" }))
      got(await first.forget({ kind: "project", projectID: "p2" }))
      got(await first.forget({ kind: "dates", from: 100, to: 200 }))
      await first.close()
      const folder = join(dataDir, "history-search")
      // A line that a killed process did not finish hides no other.
      appendFileSync(join(folder, "forgotten.jsonl"), '{"kind":"sess')
      spoil(join(folder, "index-v1.sqlite"))

      const second = anIndex(dataDir)
      await store(
        second,
        [
          [aSession("s1"), [aMessage("m1", "zebra")]],
          [aSession("s2", { projectID: "p2" }), [aMessage("m2", "zebra")]],
          [aSession("s3"), [aMessage("m3", "zebra", { created: 150 }), aMessage("m4", "lion")]],
        ],
        Date.now() + 1_000,
      )
      assert.deepEqual([await found(second, ["zebra"]), await found(second, ["lion"])], [[], ["s3"]])
      assert.equal(got(await second.status()).forgotten, 3)
      got(await second.forget({ kind: "session", sessionID: "s3" }))
      await second.close()
      const lines = readFileSync(join(folder, "forgotten.jsonl"), "utf8")
      assert.match(lines, /\n\{"kind":"session","value":"s3",.*\}\n$/)
      assert.equal(statSync(join(folder, "forgotten.jsonl")).mode & 0o777, 0o600)
    })

  test("a project takes its sessions, also those that were not indexed yet; new work in it is indexed", async () => {
    const index = anIndex()
    const now = Date.now()
    await store(index, [
      [aSession("s1", { projectID: "p1" }), [aMessage("m1", "zebra")]],
      [aSession("s2", { projectID: "p2" }), [aMessage("m2", "zebra")]],
    ])
    got(await index.forget({ kind: "project", projectID: "p1" }))
    await store(index, [[aSession("s3", { projectID: "p1" }), [aMessage("m3", "zebra")]]], now + 1_000)
    assert.deepEqual(await found(index, ["zebra"]), ["s2"])
    await store(
      index,
      [
        [
          aSession("s4", { projectID: "p1", created: now + 60_000, updated: now + 60_000 }),
          [aMessage("m4", "lion")],
        ],
      ],
      now + 2_000,
    )
    assert.deepEqual(await found(index, ["lion"]), ["s4"])
    await index.close()
  })

  test("a range of dates takes its messages and the sessions within, and stays forgotten", async () => {
    const dataDir = aFolder()
    const index = anIndex(dataDir)
    const across: Message[] = [
      aMessage("m1", "early-zebra", { created: 150 }),
      aMessage("m2", "late-lion", { created: 500 }),
    ]
    const sessions = [
      [
        aSession("inside", { title: "inside-title", created: 110, updated: 190 }),
        [aMessage("m0", "inside-text", { created: 120 })],
      ],
      [aSession("across", { title: "across-title", created: 150, updated: 500 }), across],
    ] as const
    await store(index, sessions)
    got(await index.forget({ kind: "dates", from: 100, to: 200 }))
    await store(index, sessions, 20_000)
    for (const word of ["inside-text", "inside-title", "early-zebra", "across-title"]) {
      assert.deepEqual(await found(index, [word]), [], word)
      assert.ok(!isOnDisk(dataDir, word), word)
    }
    assert.deepEqual(await found(index, ["late-lion"]), ["across"])
    await index.close()
  })

  test("a range of dates leaves no wrong count to a session that began before it", async () => {
    const index = anIndex()
    const messages = [50, 150, 500].map((created) => aMessage(`m${created}`, "zebra", { created }))
    await store(index, [[aSession("s1", { created: 50, updated: 500 }), messages]])
    assert.equal(got(await index.session("s1"))?.messages, 3)
    got(await index.forget({ kind: "dates", from: 100, to: 200 }))
    assert.equal(got(await index.session("s1"))?.messages, 2)
    await index.close()
  })

  test("takes the copy of a damaged index with it", async () => {
    const dataDir = aFolder()
    const index = anIndex(dataDir)
    await store(index, [[aSession("s1"), [aMessage("m1", "zebra")]]])
    const copy = join(dataDir, "history-search", "index-v1.sqlite.damaged")
    writeFileSync(copy, "old text")
    got(await index.forget({ kind: "session", sessionID: "s1" }))
    assert.ok(!existsSync(copy))
    await index.close()
  })
})

test("a masked secret is in no byte of the index", async () => {
  const dataDir = aFolder()
  const index = anIndex(dataDir)
  const token = `ghp_${"a1B2".repeat(9)}`
  const tool = aTool("bash", { command: `export T=${token}` }, { output: token })
  await store(index, [
    [aSession("s1", { title: `use ${token}` }), [aMessage("m1", [tool], { role: "assistant" })]],
  ])
  assert.ok(!isOnDisk(dataDir, token.slice(0, 16)))
  await index.close()
})

test("deleting half of the sessions makes the file smaller", async () => {
  const dataDir = aFolder()
  const index = anIndex(dataDir)
  const text = (at: number) =>
    Array.from({ length: 3_000 }, (_, n) => `w${(at * 7_919 + n * 104_729) % 99_991}`).join(" ")
  const sessions = Array.from(
    { length: 400 },
    (_, at) => [aSession(`s${at}`), [aMessage(`m${at}`, text(at))]] as const,
  )
  await store(index, sessions)
  const file = join(dataDir, "history-search", "index-v1.sqlite")
  const before = statSync(file).size + got(await index.status()).logBytes
  got(
    await index.applyChanges({
      fetchedAt: 20_000,
      removedSessions: sessions.slice(0, 200).map(([session]) => session.id),
    }),
  )
  await index.close()
  const afterwards = statSync(file).size
  assert.ok(afterwards < before * 0.8, `${afterwards} of ${before}`)
})

test("a removed session's edits and paths are gone", async () => {
  const index = anIndex()
  const edit = aMessage("m1", [aTool("write", { filePath: "/repo/a.ts" })], { role: "assistant" })
  await store(index, [[aSession("s1"), [edit]]])
  got(await index.applyChanges({ fetchedAt: 20_000, removedSessions: ["s1"] }))
  assert.deepEqual((await editsOf(index)).edits, [])
  await index.close()
})
