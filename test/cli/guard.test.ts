import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { waitUntil } from "../hosts/wait.ts"

// A server that a command started ends with the command, also when that is killed and can do nothing about it.

const folder = mkdtempSync(join(tmpdir(), "baton-guard-"))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Says that it listens, as `opencode serve` does, and stays. */
function aServer(): { readonly program: string; readonly pidFile: string } {
  const program = join(folder, "opencode")
  const pidFile = join(folder, "pid")
  writeFileSync(
    program,
    `#!/bin/sh\necho $$ > "${pidFile}"\necho "listening on http://127.0.0.1:$3"\nexec sleep 600\n`,
  )
  chmodSync(program, 0o755)
  return { program, pidFile }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test("a killed command takes its server along", { timeout: 60_000 }, async (context) => {
  if (process.platform === "win32") return context.skip("no process groups")
  const { program, pidFile } = aServer()
  const script = join(folder, "start.mjs")
  writeFileSync(
    script,
    `const { startServer } = await import(${JSON.stringify(join(import.meta.dirname, "../../src/cli/host/server.ts"))})
     const started = await startServer(${JSON.stringify(program)}, process.env, new AbortController().signal)
     console.log(started.ok ? "started" : started.error)
     setInterval(() => {}, 1000)`,
  )
  const command = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] })
  const said = await new Promise<string>((resolve) =>
    command.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString().trim())),
  )
  assert.equal(said, "started")
  assert.ok(existsSync(pidFile))
  const server = Number(readFileSync(pidFile, "utf8"))
  assert.ok(isAlive(server))
  command.kill("SIGKILL")
  await waitUntil(
    () => (isAlive(server) ? undefined : true),
    () => "the server lives on",
  )
})
