import { spawn } from "node:child_process"

// A server of ours must not outlive us, however we end: SIGKILL leaves no time for anything. A shell waits on a pipe that
// only we hold; the system closes it with us, and the shell ends the server's group.

/** After this a server that was asked to end is killed. */
export const END_MS = 3_000

/** Waits for the end of the pipe, on which nothing is ever written. */
const SCRIPT = `read -r _
kill -s TERM -- "-$1" 2>/dev/null || exit 0
sleep ${END_MS / 1000}
kill -s KILL -- "-$1" 2>/dev/null`

/**
 * Ends the process group with this process, until the function that is returned is called: then it has ended. The group
 * is started before, so that it cannot inherit our end of the pipe. Does nothing on Windows, which has no groups, and
 * where no shell starts.
 */
export function guardGroup(group: number): () => void {
  if (process.platform === "win32") return () => undefined
  // A session of its own: what ends us from the terminal must not end it first.
  const shell = spawn("/bin/sh", ["-c", SCRIPT, "baton-guard", String(group)], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  })
  shell.on("error", () => undefined)
  shell.stdin.on("error", () => undefined)
  shell.unref()
  return () => void shell.kill("SIGKILL")
}
