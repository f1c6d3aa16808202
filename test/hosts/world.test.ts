import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { describe, test } from "node:test"
import * as z from "zod"
import { alive } from "./process-table.ts"
import { serve } from "./serve.ts"
import { terminal } from "./terminal.ts"
import { waitUntil } from "./wait.ts"
import { makeWorld } from "./world.ts"

// What a world leaves: nothing.

/** Two cold starts on a busy machine. */
const TEST_MS = 120_000

describe("the end of a world", () => {
  test("leaves no process and no folder", { timeout: TEST_MS }, async () => {
    const world = await makeWorld({ plugins: [] })
    const [host, ui] = await Promise.all([serve(world), terminal(world)])
    const pids = world.processes()
    assert.ok(pids.includes(host.pid) && pids.includes(ui.pid))
    await world.stop()
    assert.deepEqual(pids.filter(alive), [])
    assert.ok(!existsSync(world.root))
    await world.stop()
  })

  test("also comes when the test process is told to end", { timeout: TEST_MS }, async () => {
    const script = `
      const { makeWorld } = await import(${JSON.stringify(new URL("./world.ts", import.meta.url).href)})
      const { serve } = await import(${JSON.stringify(new URL("./serve.ts", import.meta.url).href)})
      const world = await makeWorld({ plugins: [] })
      await serve(world)
      console.log(JSON.stringify({ root: world.root, pids: world.processes() }))
    `
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    const line = await new Promise<string>((resolve) =>
      child.stdout.once("data", (data) => resolve(String(data))),
    )
    const { root, pids } = z.object({ root: z.string(), pids: z.array(z.number()) }).parse(JSON.parse(line))
    assert.ok(pids.length > 0 && pids.every(alive))
    child.kill("SIGTERM")
    await once(child, "exit")
    // A killed process takes some milliseconds to go.
    await waitUntil(
      () => (pids.some(alive) ? undefined : true),
      () => `processes ${pids.filter(alive).join(", ")} are still there`,
    )
    assert.ok(!existsSync(root))
  })
})
