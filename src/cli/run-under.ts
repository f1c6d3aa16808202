import { spawn } from "node:child_process"

// The same command line in another process, on the same terminal. Written for the oldest Node that has modules.

/** What ends this process from outside ends the other one: nobody knows that there are two. */
const PASSED_ON = ["SIGTERM", "SIGHUP"] as const

/** Runs it; this process ends as it does, with 2 when it does not start or is killed. */
export function runUnder(runtime: string, args: readonly string[], env: NodeJS.ProcessEnv): void {
  // Before there are two. A terminal gives Ctrl-C to both.
  process.on("SIGINT", () => undefined)
  for (const signal of PASSED_ON) process.on(signal, () => child.kill(signal))
  const child = spawn(runtime, args, { stdio: "inherit", env })
  child.once("error", (error) => {
    process.stderr.write(`baton: ${runtime} does not start: ${error.message}\n`)
    process.exitCode = 2
  })
  child.once("close", (code) => {
    process.exitCode = code === null || code < 0 ? 2 : code
  })
}
