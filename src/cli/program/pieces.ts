import { CommanderError, Option } from "commander"
import { shownValue } from "../../text/printable.ts"
import type { Context } from "../context.ts"
import type { Outcome } from "../outcome.ts"

// Pieces of command definitions. An option's value is checked here, once: commands take it as it is.

/** Calls a command with a context made from the options that every command has. */
export type Run = (command: (context: Context) => Promise<Outcome>) => Promise<void>

/** An option whose value is a whole number of `min..max`; without `max` any from `min` on. */
export function countOption(flags: string, description: string, min: number, max?: number): Option {
  const write = max === undefined ? `a whole number from ${min} on` : `a whole number from ${min} to ${max}`
  const option = new Option(flags, description)
  return option.argParser((text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (!Number.isSafeInteger(value) || value < min || (max !== undefined && value > max))
      throw wrongValue(option, text, write)
    return value
  })
}

/** An option whose value is an address of a server. */
export function addressOption(flags: string, description: string): Option {
  const option = new Option(flags, description)
  return option.argParser((text) => {
    if (!/^https?:/.test(text) || !URL.canParse(text))
      throw wrongValue(option, text, "an address such as http://127.0.0.1:4096")
    return text
  })
}

export function roleOption(description: string): Option {
  return new Option("--role <who>", description).choices(["user", "assistant"])
}

/** Examples behind the help: what is typed, and what it means. */
export function examples(...rows: readonly (readonly [string, string])[]): string {
  const lines = rows.map(([line, meaning]) => `  ${line}${meaning === "" ? "" : `\n      ${meaning}`}`)
  return `\nExamples:\n${lines.join("\n")}`
}

function wrongValue(option: Option, text: string, write: string): CommanderError {
  return new CommanderError(2, "baton.value", `${option.long} is ${shownValue(text)}; write ${write}`)
}
