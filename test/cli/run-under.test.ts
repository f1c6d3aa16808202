import { test } from "node:test"
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

// A command that was started again under another runtime is one command to whoever started it.

const timeout = { timeout: 30_000 }
const module = fileURLToPath(new URL("../../src/cli/run-under.ts", import.meta.url))

/** A process that runs `command` under another one. */
function under(runtime: string, ...args: readonly string[]) {
  const code = `const { runUnder } = await import(${JSON.stringify(module)})
    runUnder(${JSON.stringify(runtime)}, ${JSON.stringify(args)}, process.env)`
  const flags = process.versions["bun"] === undefined ? ["--input-type=module"] : []
  return spawn(process.execPath, [...flags, "-e", code], { stdio: ["ignore", "pipe", "pipe"] })
}

test("it ends as the other one does", timeout, async () => {
  assert.deepEqual((await once(under("sh", "-c", "exit 7"), "close"))[0], 7)
})

test("a signal that ends it reaches the other one, which ends as it likes", timeout, async () => {
  const parent = under("sh", "-c", "trap 'exit 5' TERM; echo up; while :; do sleep 0.05; done")
  await once(parent.stdout, "data")
  parent.kill("SIGTERM")
  assert.deepEqual(await once(parent, "exit"), [5, null])
})

test("a runtime that does not start is told", timeout, async () => {
  const parent = under("/nowhere/node")
  let told = ""
  parent.stderr.on("data", (chunk: Buffer) => (told += chunk.toString()))
  assert.equal((await once(parent, "close"))[0], 2)
  assert.match(told, /^baton: \/nowhere\/node does not start: .*\n$/)
})
