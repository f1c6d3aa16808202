import assert from "node:assert/strict"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, test } from "node:test"
import { isPlacedIn, pathNames, realGlob, realPath } from "../../src/history/real-paths.ts"
import { excluder } from "../../src/history/sync/exclude.ts"
import { aMessage, anIndex, aSession, aTool, editsOf, found, removeFolders, store } from "./make.ts"

// Folders and files under a symlink's name and under their own, with real symlinks.

const root = realpathSync(mkdtempSync(join(tmpdir(), "baton-links-")))
const [real, link] = [join(root, "real"), join(root, "link")]
mkdirSync(join(real, "api", "src"), { recursive: true })
symlinkSync(real, link)
symlinkSync(join(real, "api", "src"), join(real, "api", "code"))
symlinkSync(join(root, "gone"), join(root, "dangling"))
symlinkSync(join(root, "loop2"), join(root, "loop1"))
symlinkSync(join(root, "loop1"), join(root, "loop2"))

after(() => {
  removeFolders()
  rmSync(root, { recursive: true })
})

describe("real paths", () => {
  for (const [written, expected] of [
    [link, real],
    [join(link, "api"), join(real, "api")],
    [join(link, "not", "there"), join(real, "not", "there")],
    [join(root, "dangling", "below"), join(root, "gone", "below")],
    [join(root, "loop1"), join(root, "loop1")],
    ["relative/path", "relative/path"],
    [`/${"x".repeat(10_000)}`, `/${"x".repeat(10_000)}`],
    ["/", "/"],
  ] as const)
    test(written.slice(0, 80), () => assert.equal(realPath(written), expected))

  test("globs are resolved before their first star", () => {
    assert.equal(realGlob(`${link}/*/src`), `${real}/*/src`)
    assert.equal(realGlob(`${link}/a?i`), `${real}/a?i`)
    assert.equal(realGlob("**/private"), "**/private")
    assert.equal(realGlob("/*"), "/*")
  })

  test("a folder is in another one by any name, a neighbour is not", () => {
    assert.ok(isPlacedIn(link, join(real, "api")))
    assert.ok(isPlacedIn(real, join(link, "api")))
    assert.ok(!isPlacedIn(link, `${real}istic`))
  })

  test("a relative value keeps its own name alone where no link is below the folder", () => {
    assert.deepEqual(pathNames("src/a.ts", join(link, "api"), []), ["src/a.ts"])
    assert.deepEqual(pathNames("code/a.ts", join(link, "api"), []), ["code/a.ts", `${real}/api/src/a.ts`])
    assert.deepEqual(pathNames("src/a.ts", undefined, []), ["src/a.ts"])
  })
})

describe("an excluded folder", () => {
  for (const [entry, directory, expected] of [
    [link, join(real, "api"), true],
    [`${link}/**`, real, true],
    [real, join(link, "api"), true],
    [`${real}/a*`, join(link, "api"), true],
    [`${link}/a*`, join(real, "api"), true],
    [join(root, "dangling"), join(root, "gone", "x"), true],
    [link, `${real}istic`, false],
  ] as const)
    test(`${entry.slice(root.length)} and ${directory.slice(root.length)}: ${expected}`, () =>
      assert.equal(excluder([entry])({ projectID: "p", directory }), expected))

  test("goes by where the link leads now", async () => {
    const moving = join(root, "moving")
    symlinkSync(join(root, "first"), moving)
    const isExcluded = excluder([moving])
    assert.ok(isExcluded({ projectID: "p", directory: join(root, "first") }))
    rmSync(moving)
    symlinkSync(join(root, "second"), moving)
    await Promise.resolve()
    assert.ok(isExcluded({ projectID: "p", directory: join(root, "second") }))
    assert.ok(!isExcluded({ projectID: "p", directory: join(root, "first") }))
  })
})

test("the index finds sessions and edits by either name", async () => {
  const edit = (id: string) =>
    aMessage(id, [aTool("edit", { filePath: "src/a.ts" })], { role: "assistant", created: 1 })
  const index = anIndex()
  await store(index, [
    [aSession("s1", { directory: join(real, "api") }), [aMessage("m1", "zebra"), edit("e1")]],
    [aSession("s2", { directory: join(link, "api") }), [aMessage("m2", "zebra"), edit("e2")]],
    [aSession("s3", { directory: `${real}istic` }), [aMessage("m3", "zebra"), edit("e3")]],
  ])
  for (const directory of [real, link, join(link, "api")]) {
    const scope = { kind: "some", directories: [directory] } as const
    assert.deepEqual((await found(index, ["zebra"], { scope })).toSorted(), ["s1", "s2"], directory)
    assert.deepEqual(await found(index, ["zebra"], { exclude: [directory] }), ["s3"], directory)
  }
  for (const path of [`${real}/api/src/a.ts`, `${link}/api/code/a.ts`, `${link}/api/`, `${real}/api/src/`]) {
    const { edits } = await editsOf(index, { path })
    assert.deepEqual(edits.map((one) => one.messageID).toSorted(), ["e1", "e2"], path)
  }
  const { edits } = await editsOf(index, { path: "code/a.ts", pathFrom: join(link, "api") })
  assert.deepEqual(edits.map((one) => one.messageID).toSorted(), ["e1", "e2"])
  await index.close()
})
