import { spawn } from "node:child_process"
import { groupMembers } from "./process-table.ts"
import { waitUntil } from "./wait.ts"

// Started programs and their end. Each leads a process group of its own, and only that group is signalled.

/** OpenCode ends in well under a second after SIGTERM; past this it is killed. */
export const TERM_GRACE_MS = 3_000

/** After a program ended, for output still in the pipe; a child of it may hold the pipe open for ever. */
const DRAIN_MS = 500

export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

export type Program = {
  readonly pid: number
  readonly exited: Promise<Exit>
  running(): boolean
  stdout(): string
  stderr(): string
  /** Ends the whole group: the signal, then SIGKILL for what is left. Resolves when nothing is left. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

export type Launch = {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Written to its standard input, which is then closed. */
  readonly stdin?: string
}

/** Starts a program as the leader of a new process group. Rejects when it cannot be started. */
export async function startProgram(
  command: string,
  args: readonly string[],
  launch: Launch,
): Promise<Program> {
  const child = spawn(command, args, { cwd: launch.cwd, env: launch.env, detached: true, stdio: "pipe" })
  const output = { stdout: "", stderr: "" }
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (output.stdout += chunk))
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (output.stderr += chunk))
  // A program that ends before it has read its input is a result, not an error.
  child.stdin.on("error", () => undefined)
  const exited = new Promise<Exit>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal }))
    child.once("exit", (code, signal) => setTimeout(() => resolve({ code, signal }), DRAIN_MS).unref())
  })
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve)
    child.once("error", (error) => reject(new Error(`cannot start ${command}: ${error.message}`)))
  })
  const pid = child.pid
  if (pid === undefined) throw new Error(`cannot start ${command}: no pid`)
  child.stdin.end(launch.stdin ?? "")
  return {
    pid,
    exited,
    running: () => child.exitCode === null && child.signalCode === null,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    async stop(signal) {
      await endGroup(pid, signal)
      await exited
    },
  }
}

/** Ends a process group: `signal`, then SIGKILL. Resolves when no process of it is left. */
export async function endGroup(pgid: number, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (groupMembers(pgid).length === 0) return
  signalPid(-pgid, signal)
  if (await gone(pgid)) return
  signalPid(-pgid, "SIGKILL")
  if (await gone(pgid)) return
  throw new Error(`processes ${groupMembers(pgid).join(", ")} survive SIGKILL`)
}

/** Sends a signal; one that finds nobody is fine. */
export function signalPid(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error
  }
}

function gone(pgid: number): Promise<boolean> {
  return waitUntil(
    () => (groupMembers(pgid).length === 0 ? true : undefined),
    () => "still there",
    TERM_GRACE_MS,
  ).catch(() => false)
}
