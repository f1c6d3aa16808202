import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { open } from "node:fs/promises"
import { mkdirSync, renameSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { afterEach, test } from "node:test"
import { planInjection } from "../../src/handoff/injection.ts"
import { isStillAt, openChecked } from "../../src/handoff/open-checked.ts"
import { formatFor } from "../../src/handoff/read-format.ts"
import { defaultRules } from "./default-rules.ts"
import { type Folder, makeFolder, removeFolders } from "./folder.ts"

// A folder swapped for a link between the check of a path and its opening.

afterEach(removeFolders)

const SECRET = "secret of another folder"

function makeSwappable(): Folder {
  return makeFolder({ "repo/dir/a.txt": "inside\n", "outside/a.txt": `${SECRET}\n` })
}

function swap({ path }: Folder): void {
  renameSync(join(path, "repo/dir"), join(path, "repo/aside"))
  symlinkSync(join(path, "outside"), join(path, "repo/dir"))
}

test("a file behind a folder that became a link is not opened", async () => {
  const folder = makeSwappable()
  const real = join(folder.path, "repo/dir/a.txt")
  const before = await openChecked(real)
  assert.ok(before !== undefined)
  await before.close()
  swap(folder)
  assert.equal(await openChecked(real), undefined)
})

test("without /proc the file's number and its path tell it", async () => {
  const folder = makeSwappable()
  const real = join(folder.path, "repo/dir/a.txt")
  const inside = await open(real)
  const outside = await open(join(folder.path, "outside/a.txt"))
  try {
    assert.equal(await isStillAt(inside, real), true)
    assert.equal(await isStillAt(outside, real), false)
    swap(folder)
    assert.equal(await isStillAt(inside, real), false)
    assert.equal(await isStillAt(outside, real), false)
  } finally {
    await inside.close()
    await outside.close()
  }
})

test("while a process swaps the folder, nothing from outside comes in", async () => {
  const folder = makeSwappable()
  const repo = join(folder.path, "repo")
  mkdirSync(join(folder.path, "links"))
  symlinkSync(join(folder.path, "outside"), join(folder.path, "links/dir"))
  const swapper = spawn(process.execPath, ["-e", SWAPPER, repo, join(folder.path, "links/dir")], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const ended = new Promise((resolve) => swapper.once("exit", resolve))
  try {
    await new Promise((resolve) => swapper.stdout.once("data", resolve))
    let included = 0
    for (let round = 0; round < ROUNDS; round++) {
      const injection = await planInjection({
        text: "@dir/a.txt",
        directory: repo,
        worktree: repo,
        limits: { maxFiles: 20, maxBytes: 10_000, maxFileBytes: 10_000 },
        format: formatFor(undefined, "auto"),
        rules: defaultRules(),
        alreadyAttached: new Set(),
      })
      included += injection.files.length
      assert.equal(
        injection.files
          .map((file) => file.body)
          .join("")
          .includes(SECRET),
        false,
      )
    }
    assert.ok(included > 0, "the folder is read while it is one")
  } finally {
    swapper.kill("SIGKILL")
    await ended
  }
})

/** Checks that follow the path once more than they open it let the outside in within a few hundred of these. */
const ROUNDS = 2_000

const SWAPPER = `
const { renameSync } = require("node:fs")
const [repo, link] = process.argv.slice(1)
process.stdout.write("swapping")
for (;;) {
  renameSync(repo + "/dir", repo + "/aside")
  renameSync(link, repo + "/dir")
  renameSync(repo + "/dir", link)
  renameSync(repo + "/aside", repo + "/dir")
}
`
