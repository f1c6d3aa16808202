import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { enableCompileCache } from "./compile-cache.ts"
import { runUnder } from "./run-under.ts"
import { otherRuntimes, SQLITE_FLAG, sqliteIn, tooOld } from "./runtime.ts"

// The entry of the `baton` command: finds a runtime with what the index needs, then loads the rest. A process that
// was already started again never starts another one.

const RERUN = "BATON_RERUN"

const wasRerun = process.env[RERUN] === "1"
// What this process starts is nobody's second start.
delete process.env[RERUN]

const sqlite = sqliteIn(process.versions)
if (sqlite === "yes" || (sqlite === "behind the flag" && hasFlag())) {
  quietAboutSqlite()
  enableCompileCache(process.env)
  const { main } = await import("./main.ts")
  await main()
} else {
  const found = wasRerun ? undefined : sqlite === "no" ? otherRuntime() : process.execPath
  if (found === undefined) {
    process.stderr.write(`${tooOld(process.versions)}\n`)
    process.exitCode = 2
  } else {
    const flags = sqlite === "no" ? [] : [SQLITE_FLAG]
    const args = [...flags, process.argv[1] || "", ...process.argv.slice(2)]
    runUnder(found, args, { ...process.env, [RERUN]: "1" })
  }
}

function hasFlag(): boolean {
  return [...process.execArgv, ...(process.env["NODE_OPTIONS"] || "").split(" ")].includes(SQLITE_FLAG)
}

function otherRuntime(): string | undefined {
  const windows = process.platform === "win32"
  const root = fileURLToPath(new URL("..", import.meta.url))
  return otherRuntimes(root, process.env["PATH"] || "", windows ? ";" : ":", windows ? ".exe" : "").find(
    existsSync,
  )
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
