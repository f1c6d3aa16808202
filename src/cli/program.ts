import { Command, CommanderError, Option } from "commander"
import { nearest } from "../text/nearest.ts"
import { shownValue } from "../text/printable.ts"
import { reading } from "./index-file.ts"
import { addFinding } from "./program/finding.ts"
import { addCompletion, addKeeping, addMcp } from "./program/keeping.ts"
import type { Run } from "./program/pieces.ts"

// What the command line takes: help and shell completion are made from it. The code of a command is loaded when it
// is called.

export type GlobalOptions = { readonly dataDir?: string; readonly color?: string | true }

export function makeProgram(version: () => string, run: Run): Command {
  const program = new Command("baton")
  program
    .description(
      "Finds and reads what was said and done in OpenCode sessions. Without a command: search as you type.",
    )
    .option("-V, --version", "print the version")
    .on("option:version", () => {
      program.configureOutput().writeOut?.(`${version()}\n`)
      throw new CommanderError(0, "commander.version", "")
    })
    .helpOption("-h, --help", "print this help")
    .helpCommand(false)
    // Also in narrow terminals words stay whole; that commands have options goes without saying.
    .configureHelp({ minWidthToWrap: 16, subcommandTerm })
    .addOption(
      new Option("--data-dir <folder>", "OpenCode's data folder, where the index is").env("BATON_DATA_DIR"),
    )
    .addOption(new Option("--color [when]", "colours").choices(["auto", "always", "never"]).preset("always"))
    .showSuggestionAfterError(true)
    .exitOverride()
  program.action(() =>
    reading(run)(async (context) => (await import("./commands/interactive.ts")).interactive(context, "")),
  )
  addFinding(program, run)
  addKeeping(program, run)
  addMcp(program, run, version)
  addCompletion(program, run, () => makeProgram(version, run))
  for (const command of program.commands) command.exitOverride().showHelpAfterError(false)
  return program
}

function subcommandTerm(command: Command): string {
  const args = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? "..." : ""}`
    return argument.required ? `<${name}>` : `[${name}]`
  })
  return [command.name(), ...args].join(" ")
}

/** What the parser refused, as one line with the way to the help; undefined when it was only asked for help. */
export function refusal(error: CommanderError, program: Command): string | undefined {
  if (error.exitCode === 0) return undefined
  const names = program.commands.map((command) => command.name())
  const [first] = program.args
  const command = names.find((name) => name === first)
  if (command === undefined && first !== undefined && !first.startsWith("-")) {
    const close = nearest(first, names)
    return `there is no command ${shownValue(first)}${close === undefined ? "" : `, did you mean ${close}?`}; see baton --help`
  }
  const reason = error.message
    .replace(/^error: /, "")
    .replaceAll(/(?<!\s)\s*\n\s*/g, " ")
    .replace(/\.$/, "")
  return `${reason}; see baton ${command === undefined ? "" : `${command} `}--help`
}
