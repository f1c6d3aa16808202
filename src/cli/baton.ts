import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { enableCompileCache } from "./compile-cache.ts"
import { chooseRuntime, ownRuntimes, tooOld } from "./runtime.ts"

// The entry of the `baton` command: finds a runtime with SQLite, then loads the rest. A process that was already
// started again never starts another one.

const RERUN = "BATON_RERUN"

const choice = chooseRuntime(process.versions)
const rerun = process.env[RERUN] === "1"

if (choice.kind === "here" || (choice.kind === "flag" && rerun)) {
  quietAboutSqlite()
  enableCompileCache()
  const { main } = await import("./main.ts")
  await main()
} else if (choice.kind === "flag") {
  again(process.execPath, [choice.flag])
} else {
  const windows = process.platform === "win32"
  const root = new URL("../", import.meta.url).pathname
  const path = process.env["PATH"] || ""
  const found = rerun
    ? undefined
    : ownRuntimes(decodeURIComponent(root), path, windows ? ";" : ":", windows ? ".exe" : "").find(existsSync)
  if (found === undefined) {
    process.stderr.write(`${tooOld(process.versions)}\n`)
    process.exitCode = 2
  } else again(found, [])
}

/** Runs the same command line under another runtime, on the same terminal. */
function again(runtime: string, flags: readonly string[]): void {
  // Ctrl-C goes to the child; this process waits for how it ends.
  process.on("SIGINT", () => undefined)
  const ended = spawnSync(runtime, [...flags, process.argv[1] || "", ...process.argv.slice(2)], {
    stdio: "inherit",
    env: { ...process.env, [RERUN]: "1" },
  })
  if (ended.error) process.stderr.write(`baton: ${runtime} does not start: ${ended.error.message}\n`)
  process.exitCode = ended.status === null ? 2 : ended.status
}

/** Node says on first use that its SQLite is experimental; among the answers that is noise. */
function quietAboutSqlite(): void {
  const emit = process.emitWarning.bind(process)
  const quiet = (warning: string | Error, ...rest: readonly unknown[]): void => {
    const text = typeof warning === "string" ? warning : warning.message
    if (!text.startsWith("SQLite is an experimental feature"))
      Reflect.apply(emit, process, [warning, ...rest])
  }
  process.emitWarning = quiet
}
