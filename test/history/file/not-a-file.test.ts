import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { after, describe, test } from "node:test"
import { unreadableIndex } from "../../../src/cli/index-file.ts"
import { sqliteDriver } from "../../../src/storage/sqlite.ts"
import { openIndexFile } from "../../../src/history/file/file.ts"
import { aFolder, removeFolders } from "../make.ts"

after(removeFolders)

const driver = await sqliteDriver()

const MAKERS = {
  pipe: (path: string) => execFileSync("mkfifo", [path]),
  folder: (path: string) => mkdirSync(path),
}

describe("an index file that is not a regular file is named, and not opened", { timeout: 20_000 }, () => {
  for (const [kind, make] of Object.entries(MAKERS))
    for (const end of ["", "-wal", "-shm"])
      test(`a ${kind} as index${end}`, { skip: process.platform === "win32" }, () => {
        assert.ok(driver)
        const dataDir = aFolder()
        mkdirSync(join(dataDir, "history-search"))
        const path = join(dataDir, "history-search", `index-v1.sqlite${end}`)
        make(path)
        const result = openIndexFile(driver, dataDir)
        assert.ok(!result.ok)
        assert.match(result.message, /is not a regular file/)
        assert.ok(result.message.includes(path))
        assert.equal(unreadableIndex(dataDir)?.what, `${path} is not a regular file`)
      })
})
