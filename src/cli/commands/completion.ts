import type { Command } from "commander"
import { bashScript } from "../completion/bash.ts"
import { fishScript } from "../completion/fish.ts"
import { commandsOf, commonOptions } from "../completion/known.ts"
import { zshScript } from "../completion/zsh.ts"
import type { Context } from "../context.ts"
import { DONE, type Outcome } from "../outcome.ts"

// `baton completion`: a script for a shell. The scripts call nothing: completing a word costs no start of the command.

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

export async function completion(
  context: Context,
  shell: keyof typeof SCRIPTS,
  program: Command,
): Promise<Outcome> {
  await context.output.write(SCRIPTS[shell](commandsOf(program), commonOptions(program)))
  return DONE
}
