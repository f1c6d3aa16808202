import assert from "node:assert/strict"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { after, test } from "node:test"
import {
  aFolder,
  aMessage,
  ALL,
  anIndex,
  aSession,
  aText,
  aTool,
  found,
  got,
  removeFolders,
  store,
} from "../make.ts"

after(removeFolders)

const TOKEN = `ghp_${"a1B2".repeat(9)}`
const MASKED = "[secret: github token]"

/** Behind an escape sequence the token is no word of its own, so that masking alone would not see it. */
const dressed = `\u001b[31m${TOKEN}\u001b[0m`

/** Names of the index's files that hold these bytes. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder).filter((name) => readFileSync(join(folder, name), "latin1").includes(text))
}

test("no text of a host stands unmasked in the file, wherever it came from", async () => {
  const index = anIndex()
  const directory = `/work/${dressed}`
  const session = aSession("s1", { title: `deploy ${dressed}`, directory })
  const patchText = `*** Update File: ${dressed}/a.ts\n*** Move to: ${dressed}/b.ts\n@@\n-a\n+b`
  const parts = [
    aText(`use ${dressed}`),
    aTool("edit", { filePath: `${dressed}/c.ts` }),
    aTool("apply_patch", { patchText }),
    aTool(dressed, { value: dressed }, { status: "error", error: dressed }),
    { type: "patch", files: [`/work/${dressed}/d.ts`] } as const,
  ]
  await store(index, [[session, [aMessage("m1", parts)]]])
  assert.deepEqual(got(await index.session("s1"))?.title, `deploy ${MASKED}`)
  assert.deepEqual(got(await index.session("s1"))?.directory, `/work/${MASKED}`)
  const folder = dirname(got(await index.status()).file)
  await index.close()
  assert.deepEqual([filesWith(folder, TOKEN), filesWith(folder, "\u001b[31m")], [[], []])
})

test("what was stored before masking was switched on is gone once it is removed and fetched again", async () => {
  const dataDir = aFolder()
  const patchText = `*** Update File: ${TOKEN}/a.ts\n*** Move to: ${TOKEN}/b.ts\n@@\n-a\n+b`
  const parts = [aText(`use ${TOKEN}`), aTool("apply_patch", { patchText })]
  const session = aSession("s1", { title: `deploy ${TOKEN}`, directory: `/work/${TOKEN}` })
  const plain = anIndex(dataDir, { maskSecrets: false, sealUnits: 1 })
  await store(plain, [[session, [aMessage("m1", parts)]]])
  const folder = dirname(got(await plain.status()).file)
  await plain.close()
  assert.deepEqual(filesWith(folder, TOKEN), ["index-v1.sqlite"])
  const masking = anIndex(dataDir, { maskSecrets: true, sealUnits: 1 })
  got(await masking.applyChanges({ fetchedAt: 20_000, removedSessions: ["s1"] }))
  await store(masking, [[session, [aMessage("m1", parts)]]], 30_000)
  assert.deepEqual(await found(masking, ["deploy"]), ["s1"])
  await masking.close()
  assert.deepEqual(filesWith(folder, TOKEN), [])
})

test("a folder with a token in its name is found, and left out, by its real name", async () => {
  const index = anIndex()
  const directory = `/work/${TOKEN}`
  await store(index, [
    [aSession("s1", { directory: `${directory}/app` }), [aMessage("m1", "zebra")]],
    [aSession("s2", { projectID: "p2" }), [aMessage("m2", "zebra")]],
  ])
  assert.deepEqual(got(await index.projectsIn(directory)), ["p1"])
  for (const folder of [directory, `/work/${MASKED}`])
    assert.deepEqual(
      await found(index, ["zebra"], { scope: { kind: "some", directories: [folder] } }),
      ["s1"],
      folder,
    )
  assert.deepEqual(await found(index, ["zebra"], { ...ALL, exclude: [`${directory}/**`] }), ["s2"])
  await index.close()
})

test("without masking a folder is stored as it is", async () => {
  const index = anIndex(undefined, { maskSecrets: false })
  const directory = `/work/${TOKEN}`
  await store(index, [[aSession("s1", { directory }), [aMessage("m1", "zebra")]]])
  assert.equal(got(await index.session("s1"))?.directory, directory)
  assert.deepEqual(got(await index.projectsIn(directory)), ["p1"])
  await index.close()
})
