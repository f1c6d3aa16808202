import assert from "node:assert/strict"
import { after, describe, test } from "node:test"
import { PROMPT_UNITS } from "../../../src/history/search/describe-edit.ts"
import { aMessage, anIndex, aSession, aTool, editsOf, found, removeFolders, store } from "../make.ts"

after(removeFolders)

const edit = (id: string, created: number, filePath: string, given: Parameters<typeof aTool>[2] = {}) =>
  aMessage(id, [aTool("edit", { filePath }, given)], { role: "assistant", created })

describe("edits", () => {
  test("newest first, with the prompt before each and its message", async () => {
    const index = anIndex()
    await store(index, [
      [
        aSession("s1"),
        [
          aMessage("p1", "please fix the login", { created: 1 }),
          edit("e1", 2, "src/auth.ts"),
          aMessage("p2", `long ${"x".repeat(400)}`, { created: 3 }),
          edit("e2", 4, "src/auth.ts"),
        ],
      ],
    ])
    const { edits } = await editsOf(index, { path: "src/auth.ts" })
    assert.deepEqual(
      edits.map((one) => [one.messageID, one.path, one.first, one.prompt?.messageID, one.prompt?.cut]),
      [
        ["e2", "/repo/src/auth.ts", false, "p2", true],
        ["e1", "/repo/src/auth.ts", true, "p1", false],
      ],
    )
    assert.equal(edits[0]?.prompt?.text.length, PROMPT_UNITS)
    assert.equal(edits[1]?.prompt?.text, "please fix the login")
    await index.close()
  })

  test("a path by its name, its end, its whole, its folder; never by part of a name", async () => {
    const index = anIndex()
    await store(index, [
      [aSession("s1"), [edit("e1", 1, "src/a.ts"), edit("e2", 2, "src/data.ts"), edit("e3", 3, "lib/ü.ts")]],
    ])
    for (const [path, expected] of [
      ["a.ts", ["e1"]],
      ["src/a.ts", ["e1"]],
      ["/repo/src/a.ts", ["e1"]],
      ["src/", ["e2", "e1"]],
      ["/repo/", ["e3", "e2", "e1"]],
      ["ü.ts", ["e3"]],
      ["u\u0308.ts", ["e3"]],
      ["u.ts", []],
      ["/src/a.ts", []],
      ["b.ts", []],
    ] as const)
      assert.deepEqual(
        (await editsOf(index, { path })).edits.map((one) => one.messageID),
        expected,
        path,
      )
    await index.close()
  })

  test("a moved file is found by its old and its new path", async () => {
    const index = anIndex()
    const patchText = "*** Update File: old.ts\n*** Move to: new.ts\n@@\n-a\n+b"
    await store(index, [
      [aSession("s1"), [aMessage("e1", [aTool("apply_patch", { patchText })], { role: "assistant" })]],
    ])
    for (const path of ["old.ts", "new.ts"]) {
      const [one] = (await editsOf(index, { path })).edits
      assert.deepEqual([one?.kind, one?.path, one?.movedFrom], ["move", "/repo/new.ts", "/repo/old.ts"])
    }
    await index.close()
  })

  test("failed and empty ones are marked and take no place of the limit", async () => {
    const index = anIndex()
    const failed = edit("e2", 2, "a.ts", { status: "error", error: "no match" })
    const empty = edit("e3", 3, "a.ts", { metadata: { diff: "--- a\n+++ b" } })
    await store(index, [[aSession("s1"), [edit("e1", 1, "a.ts"), failed, empty]]])
    const answer = await editsOf(index, { limit: 1 })
    assert.deepEqual(
      answer.edits.map((one) => [one.messageID, one.status]),
      [
        ["e3", "unchanged"],
        ["e1", "done"],
      ],
    )
    await index.close()
  })

  test("words choose sessions, dates choose edits, the first edit is told before both", async () => {
    const index = anIndex()
    await store(index, [
      [
        aSession("s1"),
        [aMessage("p1", "zebra", { created: 1 }), edit("e1", 2, "a.ts"), edit("e2", 9, "a.ts")],
      ],
      [aSession("s2"), [edit("e3", 5, "a.ts")]],
    ])
    const chosen = async (given: Parameters<typeof editsOf>[1]) =>
      (await editsOf(index, given)).edits.map((one) => `${one.messageID}${one.first ? " first" : ""}`)
    assert.deepEqual(await chosen({ words: ["zebra"] }), ["e2", "e1 first"])
    assert.deepEqual(await chosen({ excluded: ["zebra"] }), ["e3"])
    assert.deepEqual(await chosen({ from: 5 }), ["e2", "e3"])
    assert.deepEqual(await chosen({ from: 2, to: 5 }), ["e3", "e1 first"])
    assert.deepEqual(await chosen({ path: "a.ts", words: ["zebra"], to: 3 }), ["e1 first"])
    assert.equal((await editsOf(index)).knownSince, 2)
    await index.close()
  })

  test("of subagents are shown, of archived sessions and reverted messages counted", async () => {
    const index = anIndex()
    await store(index, [
      [aSession("child", { parentID: "x" }), [edit("e1", 1, "a.ts")]],
      [aSession("old", { archived: 1 }), [edit("e2", 2, "a.ts")]],
      [aSession("back", { revertedFrom: "e3" }), [edit("e3", 3, "a.ts")]],
    ])
    const answer = await editsOf(index)
    assert.deepEqual(
      answer.edits.map((one) => one.messageID),
      ["e1"],
    )
    assert.deepEqual([answer.hidden.archived, answer.hidden.reverted], [1, 1])
    const all = await editsOf(index, { include: ["archived", "reverted"] })
    assert.deepEqual(
      all.edits.map((one) => [one.messageID, one.reverted]),
      [
        ["e3", true],
        ["e2", false],
        ["e1", false],
      ],
    )
    await index.close()
  })

  test("copied by a fork count once", async () => {
    const index = anIndex()
    await store(index, [
      [aSession("s1", { created: 1 }), [edit("e1", 2, "/repo/a.ts")]],
      [aSession("fork", { created: 5 }), [edit("c1", 2, "/repo/a.ts"), edit("f2", 7, "/repo/a.ts")]],
    ])
    const answer = await editsOf(index)
    assert.deepEqual(
      answer.edits.map((one) => [one.messageID, one.alsoInForks]),
      [
        ["f2", 0],
        ["e1", 1],
      ],
    )
    await index.close()
  })

  test("a fork stored before its original leaves it the first edit", async () => {
    const index = anIndex()
    const copied = (id: string) => edit(id, 2, "/repo/a.ts")
    await store(index, [[aSession("fork", { created: 5 }), [copied("c1"), edit("f2", 7, "/repo/a.ts")]]])
    await store(index, [[aSession("s1", { created: 1 }), [copied("e1")]]])
    const { edits } = await editsOf(index)
    assert.deepEqual(
      edits.map((one) => [one.messageID, one.first]),
      [
        ["f2", false],
        ["e1", true],
      ],
    )
    // The original is hidden now: the copy stands for the same edit.
    await store(index, [[aSession("s1", { created: 1, archived: 9 }), [copied("e1")]]], 20_000)
    assert.deepEqual(
      (await editsOf(index)).edits.map((one) => [one.messageID, one.first]),
      [
        ["f2", false],
        ["c1", true],
      ],
    )
    await index.close()
  })

  test("failed ones beyond the limit are told, and hide no edit that happened", async () => {
    const index = anIndex()
    const failed = Array.from({ length: 10 }, (_, at) =>
      edit(`x${at}`, 10 + at, "a.ts", { status: "error", error: "no match" }),
    )
    await store(index, [[aSession("s1"), [edit("e1", 1, "a.ts"), ...failed]]])
    const answer = await editsOf(index, { limit: 3 })
    assert.deepEqual(
      answer.edits.map((one) => one.messageID),
      ["x9", "x8", "x7", "e1"],
    )
    assert.equal(answer.more, true)
    assert.equal((await editsOf(index, { limit: 3, from: 10, to: 12 })).more, false)
    assert.equal((await editsOf(index, { limit: 10 })).more, false)
    await index.close()
  })

  test("edits in other projects are counted only where a search there would show them", async () => {
    const index = anIndex()
    const there = { projectID: "p2", directory: "/other" }
    await store(index, [
      [aSession("s1", there), [aMessage("m1", "zebra"), edit("e1", 5, "src/a.ts")]],
      [aSession("s2", { ...there, parentID: "s1" }), [aMessage("m2", "zebra"), edit("e2", 6, "src/b.ts")]],
      [aSession("s3", there), [aMessage("m3", "zebra")]],
    ])
    const here = { words: ["zebra"], scope: { kind: "some", projects: ["p1"] } } as const
    for (const [given, elsewhere] of [
      [{}, 2],
      [{ path: "nowhere.ts" }, 0],
      [{ path: "src/a.ts" }, 1],
      [{ path: "src/" }, 2],
      [{ from: 6 }, 1],
      [{ to: 4 }, 0],
    ] as const)
      assert.equal(
        (await editsOf(index, { ...here, ...given })).help?.elsewhere,
        elsewhere,
        JSON.stringify(given),
      )
    await index.close()
  })

  test("more than the limit is told", async () => {
    const index = anIndex()
    await store(index, [
      [aSession("s1"), Array.from({ length: 5 }, (_, at) => edit(`e${at}`, at, `f${at}.ts`))],
      [aSession("s2", { archived: 1 }), [edit("old", 0, "f.ts")]],
    ])
    const answer = await editsOf(index, { limit: 3 })
    assert.deepEqual([answer.edits.length, answer.more], [3, true])
    assert.deepEqual([answer.hidden.archived, answer.hidden.uncounted], [0, ["archived"]])
    assert.equal((await editsOf(index, { limit: 5 })).more, false)
    await index.close()
  })

  test("narrow a search for sessions by path; failed ones do not count", async () => {
    const index = anIndex()
    await store(index, [
      [aSession("s1"), [aMessage("m1", "zebra"), edit("e1", 1, "src/a.ts")]],
      [aSession("s2"), [aMessage("m2", "zebra"), edit("e2", 1, "src/a.ts", { status: "error" })]],
      [aSession("s3"), [aMessage("m3", "zebra")]],
    ])
    assert.deepEqual(await found(index, ["zebra"], { path: "src/a.ts" }), ["s1"])
    assert.deepEqual(await found(index, [], { path: "src/a.ts" }), ["s1"])
    await index.close()
  })
})
