import type { Config, Hooks } from "@opencode-ai/plugin"
import { commandDescription, commandName, commandText, hostTemplate } from "../../handoff/template.ts"

// `/handoff` on V1. The host holds a template without the goal; the goal joins it in the hook that runs after
// the host has expanded and executed what a template may hold, so that the goal is text and nothing else.

/** Adds the command, unless the user has one of that name: theirs is kept, and false is returned. */
export function addCommand(config: Config): boolean {
  const commands = (config.command ??= {})
  if (commands[commandName] !== undefined && commands[commandName].template !== hostTemplate) return false
  commands[commandName] = { template: hostTemplate, description: commandDescription }
  return true
}

type CommandHook = NonNullable<Hooks["command.execute.before"]>

/** Puts the goal into the prompt that our own template made. Other commands are left alone. */
export const putGoal: CommandHook = async (input, output) => {
  if (input.command !== commandName) return
  const expanded = hostTemplate.slice(0, hostTemplate.lastIndexOf("$"))
  const part = output.parts.find((part) => part.type === "text" && part.text.trim() === expanded.trim())
  if (part?.type === "text") part.text = commandText(input.arguments)
}
