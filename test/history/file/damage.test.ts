import assert from "node:assert/strict"
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, test } from "node:test"
import type { History } from "../../../src/history/contract.ts"
import { ALL, aFolder, aMessage, anIndex, aSession, aTool, got, removeFolders, store } from "../make.ts"

// A machine damages an index whose answers are known. Every answer is the one of the whole file, or the damage is said
// and the file moved aside: there is no third.

after(removeFolders)

const PAGE = 16 * 1024
const KINDS = ["other page", "zeros", "swapped", "cut", "bit", "torn", "noise"] as const
const DAMAGES = 168

const REQUESTS = [
  (index: History) => index.search({ ...ALL, words: ["shared"], hits: true, limit: 200 }),
  (index: History) => index.search({ ...ALL, words: ["word7x"], hits: true }),
  (index: History) => index.search({ ...ALL, words: ["copied"], hits: true, unit: "message" }),
  (index: History) => index.search({ ...ALL, words: ["title"], excluded: ["word3x"], hits: false }),
  (index: History) => index.projects({ ...ALL, words: ["shared"], limit: 50 }),
  (index: History) => index.edits({ ...ALL, words: [], limit: 300 }),
  (index: History) => index.edits({ ...ALL, words: [], path: "file5.ts", limit: 300 }),
  (index: History) => index.lineage({ scope: { kind: "all" }, limit: 50 }),
  (index: History) => index.messages({ sessionID: "s7", direction: "forward", limit: 500, maxChars: 10_000 }),
  (index: History) =>
    index.messages({ sessionID: "s40", direction: "back", limit: 3, maxChars: 100, role: "user" }),
  (index: History) => index.markers(),
] as const

test("a damaged file answers as the whole one, or the damage is said", { timeout: 300_000 }, async () => {
  const origin = aFolder()
  const whole = await filled(origin)
  const known = await answers(anIndex(origin))
  assert.ok(known.notes.every((note) => !note.includes("damaged")))
  const random = seeded(7)
  const counts = { same: 0, said: 0 }
  for (let at = 0; at < DAMAGES; at++) {
    const kind = KINDS[at % KINDS.length] ?? "bit"
    const dataDir = aFolder()
    const path = join(dataDir, "history-search", "index-v1.sqlite")
    mkdirSync(join(dataDir, "history-search"))
    copyFileSync(whole, path)
    damage(path, kind, random)
    const found = await answers(anIndex(dataDir))
    const said = found.notes.some((note) => note.includes("damaged"))
    if (!said) assert.deepEqual(found.texts, known.texts, `damage ${at}, ${kind}`)
    counts[said ? "said" : "same"]++
    rmSync(dataDir, { recursive: true, force: true })
  }
  assert.ok(counts.said > DAMAGES / 4, JSON.stringify(counts))
  assert.ok(counts.same > 0, JSON.stringify(counts))
})

/** Sessions with copies in forks, edits, titles, subagents and removals; the path of the file. */
async function filled(dataDir: string): Promise<string> {
  const index = anIndex(dataDir, { sealUnits: 40_000 })
  for (let at = 0; at < 60; at++) {
    const messages = Array.from({ length: 30 }, (_, n) => {
      const text = `shared word${at}x number ${n} ${"filler text of some length ".repeat(12)}`
      const edit = aTool("write", { filePath: `/repo/src/file${n}.ts`, content: "x" }, { output: "ok" })
      return n % 3 === 0
        ? aMessage(`m${at}-${n}`, [edit], { role: "assistant", created: at * 1_000 + n })
        : aMessage(`m${at}-${n}`, text, { role: n % 2 ? "user" : "assistant", created: at * 1_000 + n })
    })
    const copied = aMessage("copied", "copied text of a fork", { created: 5 })
    await store(index, [
      [
        aSession(`s${at}`, {
          title: `title ${at}`,
          projectID: `p${at % 5}`,
          created: at * 1_000,
          updated: at * 1_000 + 500,
          ...(at % 9 === 8 ? { parentID: `s${at - 1}` } : {}),
        }),
        at % 4 === 0 ? [copied, ...messages] : messages,
      ],
    ])
  }
  const point = got(await index.beginFetch())
  got(await index.applyChanges({ fetchedAt: point, removedSessions: ["s13"] }))
  const { file } = got(await index.status())
  await index.close()
  return file
}

async function answers(index: History) {
  const texts: string[] = []
  for (const ask of REQUESTS) texts.push(JSON.stringify(await ask(index)))
  const status = await index.status()
  const notes = status.ok ? status.value.notes : [status.fault.message]
  if (status.ok) texts.push(JSON.stringify({ ...status.value, file: "", notes: [] }))
  await index.close()
  return { texts, notes }
}

function damage(path: string, kind: (typeof KINDS)[number], random: (below: number) => number): void {
  let bytes = readFileSync(path)
  const pages = bytes.length / PAGE
  const at = 1 + random(pages - 1)
  const other = 1 + random(pages - 1)
  const page = (number: number) => bytes.subarray(number * PAGE, (number + 1) * PAGE)
  const mine = Buffer.from(page(at))
  const theirs = Buffer.from(page(other))
  if (kind === "other page") theirs.copy(page(at))
  if (kind === "zeros") page(at).fill(0)
  if (kind === "noise") for (let n = 0; n < PAGE; n++) page(at)[n] = random(256)
  if (kind === "torn") theirs.copy(page(at), PAGE / 2, PAGE / 2)
  if (kind === "cut") bytes = bytes.subarray(0, at * PAGE + random(PAGE))
  if (kind === "bit") {
    const place = at * PAGE + random(PAGE)
    bytes[place] = (bytes[place] ?? 0) ^ (1 << random(8))
  }
  if (kind === "swapped") {
    theirs.copy(page(at))
    mine.copy(page(other))
  }
  writeFileSync(path, bytes)
}

/** The same numbers every time, so that a failure can be looked at. */
function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
