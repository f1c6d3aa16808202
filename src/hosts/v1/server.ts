import type { Hooks, PluginInput, PluginOptions } from "@opencode-ai/plugin"
import { type Options, parseOptions } from "../../config/options.ts"
import { excluder } from "../../history/sync/index.ts"
import { v1OlderThan } from "../../reading/cursor.ts"
import { handoffSession } from "../../tools/handoff-session.ts"
import { readSession } from "../../tools/read-session.ts"
import type { Tool } from "../../tools/tool.ts"
import { historyPart } from "../history.ts"
import type { Log, SessionReader } from "../host.ts"
import { addCommand, putGoal } from "./command.ts"
import { draftMaker } from "./draft.ts"
import { v1Feed } from "./feed.ts"
import { injectionHook } from "./inject.ts"
import { hostLog } from "./log.ts"
import { type Mode, modeOf } from "./mode.ts"
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

  const mode = modeOf(process.argv)
  const reader = sessionReader(input.client)
  const feed = v1Feed(input.client)
  const project = { id: input.project.id, directory: input.directory, worktree: input.worktree }
  const history = historyPart({ options, feed, reader, log, project, maxAnswerBytes, olderThan: v1OlderThan })
  const handoff = options.tools.includes("handoff")
    ? handoffPart(input, { options, mode, reader, log })
    : undefined
  const tools = [...(handoff?.tools ?? []), ...(history?.tools ?? [])]

  return {
    ...handoff?.hooks,
    config: async (config) => {
      if (handoff !== undefined && !addCommand(config))
        log("info", "the user's own command `handoff` is kept; the plugin's is not added")
      addRule(config)
    },
    event: async ({ event }) => {
      if (event.type === "tui.command.execute") receive(event.properties.command)
      feed.receive(event)
    },
    dispose: async () => history?.sync.leave(),
    tool: Object.fromEntries(
      tools.map((tool) => [tool.name, v1Tool(tool, { options, mode, projectID: project.id })]),
    ),
  }
}

type Shared = {
  readonly options: Options
  readonly mode: Mode
  readonly reader: SessionReader
  readonly log: Log
}

function handoffPart(input: PluginInput, shared: Shared): { tools: readonly Tool[]; hooks: Hooks } {
  const { client, directory, worktree } = input
  const { options, mode, reader, log } = shared
  const drafts = draftMaker({ client, mode, directory, log })
  return {
    tools: [
      handoffSession({ reader, drafts, log, now: Date.now }),
      readSession({
        reader,
        maxAnswerBytes,
        maskSecrets: options.maskSecrets,
        excluded: excluder(options.exclude),
      }),
    ],
    hooks: {
      "command.execute.before": putGoal,
      "chat.message": injectionHook({
        client,
        reader: sessionReader(client, hookTimeoutMs),
        options,
        directory,
        worktree,
        log,
      }),
    },
  }
}
