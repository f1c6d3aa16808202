import { spawn } from "node:child_process"

// A server of ours must not outlive us, however we end: SIGKILL leaves no time for anything. A shell waits on a pipe that
// only we hold; the system closes it with us, and the shell ends the server's group.

/** After this a server that was asked to end is killed. */
export const END_MS = 3_000

export type Guard = {
  /** The process group to end; told once. */
  watch(group: number): void
  /** Leaves the group alone: it has ended. */
  release(): void
}

/** Waits for the group's number, then for the end of the pipe. */
const SCRIPT = `read -r group || exit 0
read -r _
kill -s TERM -- "-$group" 2>/dev/null || exit 0
sleep ${END_MS / 1000}
kill -s KILL -- "-$group" 2>/dev/null`

/** Starts it; undefined on Windows, which has no groups, and where no shell starts: the server then runs unguarded. */
export function startGuard(): Guard | undefined {
  if (process.platform === "win32") return undefined
  // A session of its own: what ends us from the terminal must not end it first.
  const shell = spawn("/bin/sh", ["-c", SCRIPT], { detached: true, stdio: ["pipe", "ignore", "ignore"] })
  if (shell.pid === undefined) {
    shell.once("error", () => undefined)
    return undefined
  }
  shell.unref()
  shell.stdin.on("error", () => undefined)
  return {
    watch: (group) => void shell.stdin.write(`${group}\n`),
    release: () => void shell.kill("SIGKILL"),
  }
}
