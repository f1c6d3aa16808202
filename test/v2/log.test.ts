import { after, before, test } from "node:test"
import assert from "node:assert/strict"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileLog, LOG_FILE, LOG_MAX_BYTES } from "../../src/hosts/v2/log.ts"

let folder = ""
before(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-log-"))
})
after(() => rmSync(folder, { recursive: true, force: true }))

test("lines are written in order, each one JSON, for nobody else to read", async () => {
  const log = fileLog(join(folder, "a"), () => 0)
  for (let at = 0; at < 20; at++) log("info", `line\n${at}`, { at })
  await log.written()
  const file = join(folder, "a", "log", LOG_FILE)
  const lines = readFileSync(file, "utf8").trim().split("\n")
  assert.deepEqual(
    lines.map((line): unknown => JSON.parse(line)),
    Array.from({ length: 20 }, (_, at) => ({
      time: "1970-01-01T00:00:00.000Z",
      level: "info",
      service: "baton",
      message: `line\n${at}`,
      at,
    })),
  )
  assert.equal(statSync(file).mode & 0o777, 0o600)
})

test("a long one is moved aside", async () => {
  const file = join(folder, "b", "log", LOG_FILE)
  mkdirSync(join(file, ".."), { recursive: true })
  writeFileSync(file, "x".repeat(LOG_MAX_BYTES + 1))
  const log = fileLog(join(folder, "b"))
  log("warn", "next")
  await log.written()
  assert.ok(existsSync(`${file}.1`))
  assert.match(readFileSync(file, "utf8"), /^\{.*next/)
})

test("where nothing can be written nothing is thrown", async () => {
  writeFileSync(join(folder, "c"), "a file where the folder should be")
  const log = fileLog(join(folder, "c"))
  log("error", "lost")
  await log.written()
})

test("creating one touches nothing", () => {
  fileLog(join(folder, "d"))
  assert.equal(existsSync(join(folder, "d")), false)
})
