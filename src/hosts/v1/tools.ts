import type { ToolContext, ToolDefinition } from "@opencode-ai/plugin"
import type { Options } from "../../config/options.ts"
import type { Tool } from "../../tools/tool.ts"
import type { Caller } from "../host.ts"
import { describe } from "./client.ts"
import type { Mode } from "./mode.ts"
import { askOtherProject } from "./permission.ts"

type Setup = { readonly options: Options; readonly mode: Mode; readonly projectID: string }

/** A tool in V1's form. V1 hands over the model's raw arguments; the tool checks them itself. */
export function v1Tool(tool: Tool, setup: Setup): ToolDefinition {
  return {
    description: tool.description,
    args: tool.input,
    async execute(input: unknown, context: ToolContext) {
      try {
        return await tool.run(input, callerOf(context, setup))
      } catch (error) {
        return JSON.stringify({ ok: false, error: `${tool.name} failed: ${describe(error)}` })
      }
    },
  }
}

function callerOf(context: ToolContext, setup: Setup): Caller {
  return {
    sessionID: context.sessionID,
    messageID: context.messageID,
    directory: context.directory,
    projectID: setup.projectID,
    signal: context.abort,
    askOtherProject: (target) =>
      askOtherProject({
        ask: (input) => context.ask(input),
        target,
        choice: setup.options.otherProjects,
        mode: setup.mode,
      }),
  }
}
