import { describe, test } from "node:test"
import assert from "node:assert/strict"
import {
  existsSync,
  mkdirSync,
  openSync,
  closeSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import { LOG_FILE } from "../../src/hosts/v2/log.ts"
import { ask, inHost, RELEASES, said, SLOW, wrote } from "../hosts/v2/asking.ts"
import type { ContractHost } from "../hosts/v2/host.ts"

// The plugin started and ended again, over an index that is there, that grew old meanwhile, or that cannot be used.

const messages = "history-search-messages"
const folderOf = (host: ContractHost) => join(host.dataDir, "history-search")

/** The index file, by whatever name this layout gives it. */
function indexFile(host: ContractHost): string {
  const name = readdirSync(folderOf(host)).find((one) => one.endsWith(".sqlite"))
  assert.ok(name !== undefined, readdirSync(folderOf(host)).join())
  return join(folderOf(host), name)
}

async function askAll(host: ContractHost, caller: string): Promise<readonly string[]> {
  const answers: string[] = []
  for (const name of [messages, "history-search-sessions", "history-search-edits"])
    answers.push((await host.tool(caller, name, { query: "heron" })).content)
  return answers
}

for (const release of RELEASES)
  describe(`started again on ${release}`, () => {
    test(
      "only what changed is fetched, and what was deleted or renamed meanwhile is as the host has it",
      SLOW,
      () =>
        inHost({ release }, async (host, caller) => {
          const at = { time: { created: 1_000, updated: 2_000 } }
          const ids = Array.from({ length: 30 }, (_, number) => {
            const { id } = host.store.put({ title: `Session ${number}`, ...at })
            host.store.write(id, { ...wrote(`heron ${number}`), time: { created: 1_500 } })
            return id
          })
          const [gone = "", renamed = "", grown = ""] = ids
          const first = await host.load()
          await ask(host, caller, messages, { query: "heron", limit: 50 }, /^30 sessions/)
          await first.cleanup()
          host.store.remove(gone)
          host.store.put({ ...host.store.session(renamed), title: "Renamed offline" })
          host.store.write(grown, { ...said("made offline"), time: { created: 2_500 } })
          host.store.put({
            ...host.store.session(grown),
            time: { created: 1_000, updated: 2_000, idle: 3_000 },
          })
          host.store.pages.length = 0
          await host.load()
          await ask(host, caller, messages, { query: '"made offline"' }, new RegExp(grown))
          await ask(
            host,
            caller,
            "history-search-sessions",
            { query: '"Renamed offline"' },
            new RegExp(renamed),
          )
          await ask(host, caller, messages, { query: "heron", limit: 50 }, /^29 sessions/)
          const fetched = new Set(host.store.pages.map((page) => page.split(" ")[0]))
          fetched.delete(caller)
          assert.deepEqual([...fetched], [grown])
          const log = join(host.dataDir, "log", LOG_FILE)
          assert.doesNotMatch(existsSync(log) ? readFileSync(log, "utf8") : "", /history sync/)
        }),
    )

    test("many times: no thread, file or timer of ours is left", SLOW, () =>
      inHost({ release }, async (host, caller) => {
        host.store.write(host.store.put({}).id, wrote("a heron"))
        const counts: { readonly threads: number; readonly files: number }[] = []
        for (let cycle = 0; cycle < 12; cycle++) {
          const instance = await host.load()
          await ask(host, caller, messages, { query: "heron" }, /^1 session/)
          await instance.cleanup()
          counts.push({ threads: threads(), files: openFiles(host) })
        }
        assert.equal(globalThis.opencodeBatonHistorySync1?.size ?? 0, 0)
        assert.equal(host.store.listeners.size, 0)
        const [early, late] = [counts.slice(0, 4), counts.slice(-4)]
        for (const what of ["threads", "files"] as const) {
          const most = Math.max(...early.map((count) => count[what]))
          const last = Math.min(...late.map((count) => count[what]))
          // A leak of one a cycle would be eight.
          assert.ok(last < most + 4, `${what}: ${most} at first, ${last} in the end`)
        }
      }),
    )

    test("a newer layout is left alone, and the tools say so", SLOW, () =>
      inHost({ release }, async (host, caller) => {
        const { id } = host.store.put({})
        host.store.write(id, wrote("a heron"))
        const first = await host.load()
        await ask(host, caller, messages, { query: "heron" }, new RegExp(id))
        await first.cleanup()
        const file = indexFile(host)
        const header = openSync(file, "r+")
        writeSync(header, Uint8Array.of(0, 0, 0, 99), 0, 4, 60)
        closeSync(header)
        const bytes = readFileSync(file)
        const second = await host.load()
        for (const answer of await askAll(host, caller)) assert.match(answer, /newer/)
        // Reading asks the host, not the index.
        await ask(host, caller, "read_session", { sessionId: id }, /a heron/)
        await second.cleanup()
        assert.ok(readFileSync(file).equals(bytes), "the file is as it was")
      }),
    )

    test("a damaged file is moved aside and rebuilt", SLOW, () =>
      inHost({ release }, async (host, caller) => {
        const { id } = host.store.put({})
        host.store.write(id, wrote("a heron"))
        const first = await host.load()
        await ask(host, caller, messages, { query: "heron" }, new RegExp(id))
        await first.cleanup()
        const file = indexFile(host)
        rmSync(`${file}-wal`, { force: true })
        writeFileSync(file, "this is not SQLite ".repeat(1000))
        await host.load()
        await ask(host, caller, messages, { query: "heron" }, new RegExp(id))
        assert.ok(readdirSync(folderOf(host)).some((name) => name.endsWith(".damaged")))
      }),
    )

    test("where no folder can be made the rest works, and the tools say so", SLOW, () =>
      inHost({ release }, async (host, caller) => {
        const { id } = host.store.put({})
        host.store.write(id, wrote("a heron"))
        mkdirSync(host.dataDir, { recursive: true })
        writeFileSync(folderOf(host), "a file in the way")
        await host.load()
        for (const answer of await askAll(host, caller)) assert.match(answer, /history-search/)
        await ask(host, caller, "read_session", { sessionId: id }, /a heron/)
        const made = await host.tool(id, "handoff_session", { prompt: "go on" })
        assert.match(made.content, /"ok": ?true/)
      }),
    )
  })

/** Of this process, on Linux; elsewhere there is nothing to count. */
function threads(): number {
  return existsSync("/proc/self/task") ? readdirSync("/proc/self/task").length : 0
}

function openFiles(host: ContractHost): number {
  if (!existsSync("/proc/self/fd")) return 0
  const names = readdirSync("/proc/self/fd").map((name) => linkOf(`/proc/self/fd/${name}`))
  return names.filter((name) => name.startsWith(host.dataDir)).length
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch (error) {
    // The one that listed the folder is closed by now.
    if (error instanceof Error && "code" in error) return ""
    throw error
  }
}
