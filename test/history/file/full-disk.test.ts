import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, test } from "node:test"
import { aFolder, aMessage, anIndex, aSession, found, got, removeFolders, store } from "../make.ts"

// A disk that fills up under the index: a small file system of its own, which needs root to be mounted.

const mounted: string[] = []
after(() => {
  for (const folder of mounted) execFileSync("umount", [folder])
  removeFolders()
})

function smallDisk(): string | undefined {
  const folder = join(aFolder(), "disk")
  mkdirSync(folder)
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=3m", "tmpfs", folder], { stdio: "pipe" })
  } catch {
    return undefined
  }
  mounted.push(folder)
  return folder
}

const disk = process.platform === "linux" ? smallDisk() : undefined

test(
  "a full disk is a fault of the write; what is stored is found, and writing goes on once there is room",
  { skip: disk === undefined ? "mounting a small file system needs root on Linux" : false },
  async () => {
    assert.ok(disk !== undefined)
    const ballast = join(disk, "ballast")
    const index = anIndex(disk)
    await store(index, [[aSession("ses_first"), [aMessage("msg_first", "the first needle")]]])

    writeFileSync(ballast, Buffer.alloc(1024 * 1024))
    const text = (at: number) => `${at} ${Math.sin(at)} `.repeat(4_000)
    let fault: string | undefined
    let stored = 0
    for (let at = 0; fault === undefined && at < 100; at++) {
      const session = aSession(`ses_${at}`)
      const change = { session, messages: [aMessage(`msg_${at}`, text(at))], complete: true, marker: "m" }
      const applied = await index.applyChanges({ fetchedAt: 10_000 + at, sessions: [change] })
      if (applied.ok) stored = at + 1
      else fault = applied.fault.message
    }
    assert.match(fault ?? "", /full|disk/i, `after ${stored} sessions`)
    assert.deepEqual(await found(index, ["first needle"]), ["ses_first"])

    rmSync(ballast)
    await store(index, [[aSession("ses_later"), [aMessage("msg_later", "the later needle")]]], 20_000)
    assert.deepEqual(await found(index, ["later needle"]), ["ses_later"])
    assert.deepEqual(await found(index, ["first needle"]), ["ses_first"])
    got(await index.status())
    await index.close()
  },
)
