import type { Command, Option } from "commander"

// What a shell is told of the command line, from the program's own definition, so that no script forgets an option.

export type Known = {
  readonly name: string
  readonly description: string
  readonly options: readonly KnownOption[]
  /** Values of its argument, where it has a few. */
  readonly choices: readonly string[]
  /** Its argument is a path. */
  readonly takesPath: boolean
}

export type KnownOption = {
  /** With its dashes: `--role`. */
  readonly name: string
  readonly description: string
  /** "optional": only as `--color=always`. */
  readonly value: "none" | "required" | "optional"
  readonly choices: readonly string[]
  readonly takesPath: boolean
}

const HELP: KnownOption = {
  name: "--help",
  description: "print help",
  value: "none",
  choices: [],
  takesPath: false,
}

/** The commands, each with its own options. */
export function commandsOf(program: Command): readonly Known[] {
  return program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    options: command.options.filter((option) => !option.hidden).map(knownOption),
    choices: command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
    takesPath: command.registeredArguments.some((argument) => argument.name() === "path"),
  }))
}

/** The options that every command has, help included. */
export function commonOptions(program: Command): readonly KnownOption[] {
  return [...program.options.map(knownOption), HELP]
}

function knownOption(option: Option): KnownOption {
  const name = option.long ?? option.short ?? ""
  return {
    name,
    description: option.description,
    value: option.required ? "required" : option.optional ? "optional" : "none",
    choices: option.argChoices ?? [],
    takesPath: ["--output", "--data-dir", "--opencode"].includes(name),
  }
}
