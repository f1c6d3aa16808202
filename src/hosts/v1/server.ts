import type { Hooks, PluginInput, PluginOptions } from "@opencode-ai/plugin"
import { parseOptions } from "../../config/options.ts"
import { handoffSession } from "../../tools/handoff-session.ts"
import { readSession } from "../../tools/read-session.ts"
import { addCommand, putGoal } from "./command.ts"
import { draftMaker } from "./draft.ts"
import { injectionHook } from "./inject.ts"
import { hostLog } from "./log.ts"
import { modeOf } from "./mode.ts"
import { addRule } from "./permission.ts"
import { sessionReader } from "./reader.ts"
import { receive } from "./signals.ts"
import { v1Tool } from "./tools.ts"

// The server part on V1. Nothing here waits for the host: a call that needs the instance would wait for this
// plugin, and this plugin for the call.

/** A hook holds the user's message while it waits for the host; a tool call may wait longer. */
const hookTimeoutMs = 2000

/** V1 cuts a tool's answer over 50 KiB, and of an answer on one line it keeps nothing. */
const maxAnswerBytes = 48 * 1024

/** The hooks of one plugin instance. */
export function server(input: PluginInput, rawOptions: PluginOptions | undefined): Hooks {
  const { options, problems } = parseOptions(rawOptions)
  const log = hostLog(input.client)
  for (const problem of problems) log("warn", problem)

  if (!options.tools.includes("handoff")) return {}

  const mode = modeOf(process.argv)
  const setup = { options, mode, projectID: input.project.id }
  const reader = sessionReader(input.client)
  const drafts = draftMaker({ client: input.client, mode, directory: input.directory, log })
  const tools = [
    handoffSession({ reader, drafts, log, now: Date.now }),
    readSession({ reader, maxAnswerBytes, maskSecrets: options.maskSecrets }),
  ]

  return {
    config: async (config) => {
      if (!addCommand(config))
        log("info", "the user's own command `handoff` is kept; the plugin's is not added")
      addRule(config)
    },
    "command.execute.before": putGoal,
    "chat.message": injectionHook({
      client: input.client,
      reader: sessionReader(input.client, hookTimeoutMs),
      options,
      directory: input.directory,
      worktree: input.worktree,
      log,
    }),
    event: async ({ event }) => {
      if (event.type === "tui.command.execute") receive(event.properties.command)
    },
    tool: Object.fromEntries(tools.map((tool) => [tool.name, v1Tool(tool, setup)])),
  }
}
