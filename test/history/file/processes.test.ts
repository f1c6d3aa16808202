import assert from "node:assert/strict"
import { type ChildProcess, spawn } from "node:child_process"
import { chmodSync, statSync } from "node:fs"
import { join } from "node:path"
import { after, test } from "node:test"
import { fileURLToPath } from "node:url"
import { ALL, aFolder, aMessage, anIndex, aSession, found, got, removeFolders, store } from "../make.ts"

// Several processes on one file: real ones, ended by their own id.

const children = new Set<ChildProcess>()
after(() => {
  for (const child of children) child.kill("SIGKILL")
  removeFolders()
})

const actor = fileURLToPath(new URL("../actor.ts", import.meta.url))

type Actor = {
  readonly child: ChildProcess
  line(text: string): Promise<void>
  readonly ended: Promise<number | null>
  output(): string
}

function start(args: readonly string[], as: { uid?: number } = {}): Actor {
  const child = spawn(process.execPath, [actor, ...args], { stdio: ["ignore", "pipe", "pipe"], ...as })
  children.add(child)
  let output = ""
  let errors = ""
  const waiting = new Map<string, () => void>()
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString()
    for (const [text, resolve] of waiting) if (output.includes(text)) resolve()
  })
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()))
  const ended = new Promise<number | null>((resolve) => child.on("close", (code) => resolve(code)))
  void ended.then(() => children.delete(child))
  const line = (text: string) =>
    new Promise<void>((resolve, reject) => {
      if (output.includes(text)) resolve()
      waiting.set(text, resolve)
      void ended.then(() => (output.includes(text) ? resolve() : reject(new Error(errors))))
    })
  return { child, line, ended, output: () => output }
}

test("three processes fill one index: everything of each is found", { timeout: 60_000 }, async () => {
  const dataDir = aFolder()
  const names = ["one", "two", "three"]
  const actors = names.map((name) => start(["write", dataDir, name, "15"]))
  assert.deepEqual(await Promise.all(actors.map((one) => one.ended)), [0, 0, 0])
  const index = anIndex(dataDir)
  assert.equal((await found(index, ["shared"], { limit: 100 })).length, 45)
  for (const name of names)
    for (const at of [0, 7, 14])
      assert.deepEqual(await found(index, [`${name}word${at}x`]), [`${name}-${at}`])
  assert.equal(got(await index.status()).complete, 45)
  await index.close()
})

test(
  "killed in the middle, everything told as stored is there, and the rest can follow",
  { timeout: 60_000 },
  async () => {
    const dataDir = aFolder()
    const actor = start(["write", dataDir, "k", "400"])
    await actor.line("stored 5\n")
    actor.child.kill("SIGKILL")
    await actor.ended
    const told = actor.output().match(/stored \d+/g)?.length ?? 0
    assert.ok(told >= 6 && told < 400)

    const index = anIndex(dataDir)
    for (const at of [0, told - 1]) assert.deepEqual(await found(index, [`kword${at}x`]), [`k-${at}`])
    // A session whose marker is stored is whole; one that was cut off has none and is fetched again.
    for (const marker of got(await index.markers())) {
      const stored = got(await index.session(marker.sessionID))
      if (marker.marker !== undefined) assert.equal(stored?.messages, 20)
    }
    const whole = Array.from({ length: 20 }, (_, n) =>
      aMessage(`k-${told}-${n}`, `kword${told}x`, { created: n }),
    )
    await store(index, [[aSession(`k-${told}`), whole]])
    assert.deepEqual(await found(index, [`kword${told}x`]), [`k-${told}`])
    await index.close()
  },
)

test("killed while it seals and merges, nothing told as stored is missing", { timeout: 60_000 }, async () => {
  const dataDir = aFolder()
  let stored = 0
  for (const name of ["a", "b", "c", "d"]) {
    const actor = start(["write", dataDir, name, "400", "3000"])
    await actor.line(`stored ${7 + stored}\n`)
    actor.child.kill("SIGKILL")
    await actor.ended
    stored = actor.output().match(/stored \d+/g)?.length ?? 0
    const index = anIndex(dataDir)
    for (const at of [0, Math.floor(stored / 2), stored - 1])
      assert.deepEqual(await found(index, [`${name}word${at}x`]), [`${name}-${at}`])
    await index.close()
  }
})

test(
  "locked by another process, a search answers at once and a write follows the lock",
  { timeout: 60_000 },
  async () => {
    const dataDir = aFolder()
    const index = anIndex(dataDir)
    await store(index, [[aSession("s1"), [aMessage("m1", "zebra")]]])
    const locker = start(["lock", dataDir, got(await index.status()).file, "3000"])
    await locker.line("locked")

    let written = false
    const write = index
      .applyChanges({
        fetchedAt: 20_000,
        sessions: [{ session: aSession("s2"), messages: [aMessage("m2", "lion")] }],
      })
      .then((result) => {
        written = true
        return result
      })
    const begun = performance.now()
    assert.deepEqual(await found(index, ["zebra"]), ["s1"])
    assert.ok(performance.now() - begun < 2_000)
    assert.equal(written, false)
    got(await write)
    assert.match(locker.output(), /locked/)
    assert.deepEqual(await found(index, ["lion"]), ["s2"])
    await locker.ended
    await index.close()
  },
)

test(
  "orders of fetches are one series for all processes, also behind a kill",
  { timeout: 60_000 },
  async () => {
    const dataDir = aFolder()
    const index = anIndex(dataDir)
    const before = got(await index.beginFetch())
    const actor = start(["write", dataDir, "a", "400", "3000"])
    await actor.line("stored 3\n")
    actor.child.kill("SIGKILL")
    await actor.ended
    assert.deepEqual(await found(index, ["aword0x"]), ["a-0"])
    const after = got(await index.beginFetch())
    assert.ok(after > before)
    const late = got(await index.applyChanges({ fetchedAt: before, removedSessions: ["a-0"] }))
    assert.deepEqual(late.stale, ["a-0"])
    got(await index.applyChanges({ fetchedAt: after, removedSessions: ["a-0"] }))
    assert.deepEqual(await found(index, ["aword0x"]), [])
    const back = got(
      await index.applyChanges({ fetchedAt: before, sessions: [{ session: aSession("a-0") }] }),
    )
    assert.deepEqual(back.stale, ["a-0"])
    await index.close()
  },
)

test("a write of another process is seen by the next search", { timeout: 60_000 }, async () => {
  const dataDir = aFolder()
  const index = anIndex(dataDir)
  assert.deepEqual(await found(index, ["shared"]), [])
  assert.equal(await start(["write", dataDir, "other", "2"]).ended, 0)
  assert.deepEqual((await found(index, ["shared"])).toSorted(), ["other-0", "other-1"])
  await index.close()
})

test(
  "a folder that cannot be written to: searches go on or say why, nothing is thrown",
  { timeout: 60_000 },
  async (context) => {
    const nobody = 65_534
    const isRoot = process.getuid?.() === 0
    if (process.platform === "win32") return context.skip("no file modes")
    const dataDir = aFolder()
    const index = anIndex(dataDir)
    await store(index, [[aSession("s1"), [aMessage("m1", "zebra")]]])
    await index.close()
    const folder = join(dataDir, "history-search")
    for (const path of [dataDir, folder]) chmodSync(path, 0o555)
    chmodSync(join(folder, "index-v1.sqlite"), 0o444)
    // Root is stopped by no mode: there the reader is somebody else.
    const reader = start(["search", dataDir, "zebra", "0"], isRoot ? { uid: nobody } : {})
    assert.equal(await reader.ended, 0)
    for (const path of [dataDir, folder]) chmodSync(path, 0o755)
    assert.match(reader.output(), /^not written: (read-only|unavailable)$/m)
    assert.match(reader.output(), /^found s1$|Make its folder writable, or set the dataDir option/m)
  },
)

test("the folder and its files are the user's own", async (context) => {
  if (process.platform === "win32") return context.skip("no file modes")
  const dataDir = aFolder()
  const index = anIndex(dataDir)
  await store(index, [[aSession("s1"), [aMessage("m1", "zebra")]]])
  got(await index.search({ ...ALL, words: ["zebra"] }))
  const folder = join(dataDir, "history-search")
  assert.equal(statSync(folder).mode & 0o777, 0o700)
  for (const end of ["", "-wal", "-shm"])
    assert.equal(statSync(join(folder, `index-v1.sqlite${end}`)).mode & 0o777, 0o600)
  await index.close()
})
