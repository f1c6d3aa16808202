import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { END_MS, guardGroup } from "./guard.ts"

// An OpenCode server of our own, for as long as the index is brought up to date: on the loopback, behind a password
// that nobody else knows, without plugins.

/** The slowest start that was seen took 12 s, on a machine busy with other work. */
export const START_MS = 60_000

export type Server = { readonly url: string; readonly password: string; stop(): Promise<void> }

export type Started =
  | { readonly ok: true; readonly server: Server }
  | { readonly ok: false; readonly error: string }

type Environment = Readonly<Record<string, string | undefined>>

/** Starts `program serve`. It answers when this resolves. */
export async function startServer(program: string, env: Environment, signal: AbortSignal): Promise<Started> {
  const port = await freePort()
  const password = randomBytes(24).toString("base64url")
  const child = spawn(program, ["serve", "--port", String(port), "--hostname", "127.0.0.1"], {
    cwd: tmpdir(),
    env: {
      ...env,
      OPENCODE_SERVER_PASSWORD: password,
      // What OpenCode 2 asks first.
      OPENCODE_PASSWORD: password,
      OPENCODE_SERVER_USERNAME: "opencode",
      OPENCODE_PURE: "1",
      PWD: tmpdir(),
    },
    // A group of its own: Ctrl-C is for us, and we end it when the last write is done.
    detached: process.platform !== "win32",
    stdio: ["ignore", "pipe", "pipe"],
  })
  const release = child.pid === undefined ? undefined : guardGroup(child.pid)
  const ended = new Promise<string>((resolve) => {
    child.once("close", () => release?.())
    child.once("error", (error) => resolve(startError(program, error)))
    child.once("close", (code) => resolve(`${program} serve ended with code ${code}`))
  })
  const url = `http://127.0.0.1:${port}`
  const reason = await Promise.race([ready(child, url), ended, late(), aborted(signal)])
  if (reason === undefined) return { ok: true, server: { url, password, stop: () => stop(child, ended) } }
  await stop(child, ended)
  return { ok: false, error: reason }
}

function startError(program: string, error: Error): string {
  if ("code" in error && error.code === "ENOENT")
    return `${program} is not installed or not in PATH; write --opencode <program>, or --url <address> of a running server`
  return `${program} does not start: ${error.message}`
}

function ready(child: ChildProcess, url: string): Promise<undefined> {
  return new Promise((resolve) => {
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        if (output === "done") return
        output += chunk.toString()
        if (!output.includes(`listening on ${url}`)) return
        output = "done"
        resolve(undefined)
      })
  })
}

function late(): Promise<string> {
  return new Promise((resolve) => {
    const end = () =>
      resolve(
        `OpenCode did not start within ${START_MS / 1000} s; try \`opencode serve\` and give its address with --url`,
      )
    setTimeout(end, START_MS).unref()
  })
}

function aborted(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve("stopped"), { once: true }))
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  end(child, "SIGTERM")
  const kill = setTimeout(() => end(child, "SIGKILL"), END_MS)
  await ended
  clearTimeout(kill)
}

/** The whole group, where there are groups: a server may have started language servers. */
function end(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(process.platform === "win32" ? child.pid : -child.pid, signal)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once("error", reject)
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      probe.close(() => resolve(port))
    })
  })
}
