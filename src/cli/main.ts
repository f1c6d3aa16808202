import { readFileSync } from "node:fs"
import { type Command, CommanderError } from "commander"
import { isRecord } from "../session/from-unknown.ts"
import { guarded } from "../text/printable.ts"
import { withExclusions } from "./arguments.ts"
import { makeContext } from "./context.ts"
import { type Outcome, refusedByMachine, trouble } from "./outcome.ts"
import { listenForEnd } from "./ending.ts"
import { makeOutput, watchStream, written } from "./output.ts"
import type { ColourWish } from "./paint.ts"
import { type GlobalOptions, makeProgram, refusal } from "./program.ts"
import { cannotWrite, writeToFile } from "./write-all.ts"

// From the command line to an exit code. The first signal lets the command end cleanly, the second one ends it.

export async function main(args: readonly string[] = process.argv.slice(2)): Promise<void> {
  const ending = listenForEnd((error) => `baton: ${unexpected(error).error ?? ""}`)
  // Without its listeners a stream that cannot be written would end the process with a stack.
  const stdout = watchStream(process.stdout, () => ending.stop())
  watchStream(process.stderr, () => undefined)
  // The sync's timers keep nobody alive, as a host wants it; here the command is what lives.
  const alive = setInterval(() => undefined, ALIVE_MS)
  const outcome = await perform(args, ending.signal)
  await written(process.stdout)
  clearInterval(alive)
  ending.release()
  const failed = stdout.failed()
  if (failed !== undefined) {
    // Nobody reads any more: that is how `baton search … | head` is meant to end.
    if (failed.code === "EPIPE") process.exit(0)
    return end({ code: 2, error: cannotWrite(failed) })
  }
  const code = ending.code()
  // Who ended it knows why.
  if (code === undefined) end(outcome)
  else process.exitCode = outcome.code === 0 ? 0 : code
}

function end({ code, error }: Outcome): void {
  if (error !== undefined) process.stderr.write(`baton: ${error}\n`)
  process.exitCode = code
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
  const output = {
    outputError: () => undefined,
    writeOut(text: string): void {
      if (!writeToFile(process.stdout, text)) process.stdout.write(text)
    },
  }
  program.configureOutput(output)
  for (const command of program.commands) command.configureOutput(output)
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
  process.stderr.write(
    guarded(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`),
  )
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
