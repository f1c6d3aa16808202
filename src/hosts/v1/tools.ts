import type { ToolContext, ToolDefinition } from "@opencode-ai/plugin"
import type { Options } from "../../config/options.ts"
import type { Definition } from "../../tools/tool.ts"
import type { Caller } from "../host.ts"
import { describe, type V1Client } from "./client.ts"
import type { Mode } from "./mode.ts"
import { askOtherProject } from "./permission.ts"

type Setup = {
  readonly options: Options
  readonly mode: Mode
  readonly projectID: string
  readonly client: V1Client
}

/** A question waits for the user anyway: the rules before it have time. */
const RULES_TIMEOUT_MS = 15_000

/** Runs the tool of that name. */
type Run = (name: string, input: unknown, caller: Caller) => Promise<string>

/** A tool in V1's form. V1 hands over the model's raw arguments; the tool checks them itself. */
export function v1Tool(definition: Definition, run: Run, setup: Setup): ToolDefinition {
  const { name, description } = definition
  return {
    description,
    get args() {
      return definition.input
    },
    async execute(input: unknown, context: ToolContext) {
      try {
        return await run(name, input, callerOf(context, setup))
      } catch (error) {
        return JSON.stringify({ ok: false, error: `${name} failed: ${describe(error)}` })
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
        rules: async () => {
          const [{ rulesOf }, { instanceGet, sessionGet }] = await Promise.all([
            import("./rules.ts"),
            import("./session-get.ts"),
          ])
          const get = sessionGet(instanceGet(setup.client, RULES_TIMEOUT_MS))
          const session = await get(context.sessionID, "", {}, context.abort)
          return rulesOf(
            setup.client,
            { agent: context.agent, session: session.ok ? session.value.data : undefined },
            RULES_TIMEOUT_MS,
          )
        },
      }),
  }
}
