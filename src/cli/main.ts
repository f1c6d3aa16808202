import { readFileSync } from "node:fs"
import { type Command, CommanderError } from "commander"
import { isRecord } from "../session/from-unknown.ts"
import { withExclusions } from "./arguments.ts"
import { makeContext } from "./context.ts"
import { type Outcome, refusedByMachine, trouble } from "./outcome.ts"
import { endWithReader, makeOutput } from "./output.ts"
import type { ColourWish } from "./paint.ts"
import { type GlobalOptions, makeProgram, refusal } from "./program.ts"

// From the command line to an exit code. The first Ctrl-C lets the command end cleanly, the second one ends it.

export async function main(args: readonly string[] = process.argv.slice(2)): Promise<void> {
  const stop = new AbortController()
  const interrupt = () => {
    if (stop.signal.aborted) process.exit(130)
    stop.abort()
  }
  process.on("SIGINT", interrupt)
  process.on("SIGTERM", interrupt)
  endWithReader(process.stdout)
  // The sync's timers keep nobody alive, as a host wants it; here the command is what lives.
  const alive = setInterval(() => undefined, ALIVE_MS)
  const outcome = await perform(args, stop.signal)
  clearInterval(alive)
  // Who pressed Ctrl-C knows why it ended.
  if (outcome.error !== undefined && !stop.signal.aborted) process.stderr.write(`baton: ${outcome.error}\n`)
  process.exitCode = stop.signal.aborted && outcome.code !== 0 ? 130 : outcome.code
  process.off("SIGINT", interrupt)
  process.off("SIGTERM", interrupt)
}

/** A timer that never matters. */
const ALIVE_MS = 3_600_000

async function perform(args: readonly string[], signal: AbortSignal): Promise<Outcome> {
  let outcome: Outcome = { code: 0 }
  const program = makeProgram(version, async (command) => {
    const options = program.opts<GlobalOptions>()
    const context = makeContext({
      env: process.env,
      directory: process.cwd(),
      output: makeOutput(process, process.env, colourWish(options.color)),
      signal,
      dataDir: options.dataDir,
    })
    try {
      outcome = await command(context)
    } finally {
      await context.close()
    }
  })
  program.configureOutput({ outputError: () => undefined })
  for (const command of program.commands) command.configureOutput({ outputError: () => undefined })
  if (args.length === 0 && !process.stdin.isTTY) {
    program.outputHelp({ error: true })
    return trouble(
      "nothing to do without a terminal to search in; write a command, such as baton search login",
    )
  }
  try {
    await program.parseAsync(withExclusions(args, valueOptions(program)), { from: "user" })
    return outcome
  } catch (error) {
    if (!(error instanceof CommanderError)) return unexpected(error)
    const refused = refusal(error, program)
    return refused === undefined ? { code: 0 } : trouble(refused)
  }
}

/** Whether an option of any command takes a value. */
function valueOptions(program: Command): (option: string) => boolean {
  const options = [program, ...program.commands].flatMap((command) => command.options)
  const names = new Set(options.filter((option) => option.required).map((option) => option.long))
  return (option) => names.has(option)
}

/** What no command expects. Without an answer of ours a runtime would end with 1, which means "nothing found". */
function unexpected(error: unknown): Outcome {
  const refused = refusedByMachine(error)
  if (refused !== undefined) return trouble(refused)
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  return trouble("this is a fault of baton; report it with the lines above")
}

function colourWish(color: GlobalOptions["color"]): ColourWish {
  return color === "always" || color === "never" ? color : color === true ? "always" : "auto"
}

/** The package's version; its manifest is above `dist` and above `src/cli`. */
function version(): string {
  for (const path of ["../package.json", "../../package.json"]) {
    const text = textAt(new URL(path, import.meta.url))
    const manifest: unknown = text === undefined ? undefined : JSON.parse(text)
    if (isRecord(manifest) && typeof manifest["version"] === "string") return manifest["version"]
  }
  return "unknown"
}

function textAt(url: URL): string | undefined {
  try {
    return readFileSync(url, "utf8")
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
    throw error
  }
}
