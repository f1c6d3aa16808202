import type { Hooks, PluginOptions } from "@opencode-ai/plugin"
import { parseOptions } from "../../config/options.ts"
import { definitionsOf } from "../../tools/definitions/index.ts"
import { describe } from "./client.ts"
import { addCommand, putGoal } from "./command.ts"
import type { Input, Instance } from "./instance.ts"
import { hostLog } from "./log.ts"
import { modeOf } from "./mode.ts"
import { addRule } from "./permission.ts"
import { v1Tool } from "./tools.ts"

// The server part on V1, as the host starts it: hooks and definitions, and nothing of what they do, which is
// loaded when it is first needed. Nothing here waits for the host: a call that needs the instance would wait
// for this plugin, and this plugin for the call.

/** What nothing asked for is loaded after this wait, for the sync of the index; the host has started by then. */
export const LOAD_DELAY_MS = 1_000

/** Events that tell of sessions, and the answers of terminals. */
const NEEDED_EVENT = /^(?:session|message)\.|^tui\.command\.execute$/

/** The hooks of one plugin instance. */
export function server(input: Input, rawOptions: PluginOptions | undefined): Hooks {
  const { options, problems, excludeProblem } = parseOptions(rawOptions)
  const log = hostLog(input.client)
  for (const problem of problems) log("warn", problem)
  const mode = modeOf(process.argv)
  const projectID = input.project.id
  const withHandoff = options.tools.includes("handoff")

  let loading: Promise<Instance> | undefined
  let hasEnded = false
  const instance = (): Promise<Instance> => {
    loading ??= import("./instance.ts").then((module) =>
      module.createInstance(input, { options, excludeProblem, mode, log }),
    )
    return loading
  }
  let loaded: Promise<Instance | undefined> | undefined
  /** For hooks, which must not fail: undefined when it cannot be loaded, and one line in the log tells why. */
  const instanceIfAny = (): Promise<Instance | undefined> => {
    loaded ??= instance().catch((error: unknown) => {
      log("error", `not loaded, so it does nothing here: ${describe(error)}`)
      return undefined
    })
    return loaded
  }
  const timer = setTimeout(() => void instanceIfAny(), LOAD_DELAY_MS)
  timer.unref()

  return {
    ...(withHandoff
      ? {
          "command.execute.before": putGoal,
          "chat.message": async (message, output) => {
            await (await instanceIfAny())?.inject(message, output)
          },
        }
      : {}),
    config: async (config) => {
      if (withHandoff && !addCommand(config))
        log("info", "the user's own command `handoff` is kept; the plugin's is not added")
      addRule(config)
    },
    event: async ({ event }) => {
      if (hasEnded || !NEEDED_EVENT.test(event.type)) return
      const current = await instanceIfAny()
      current?.receive(event)
    },
    dispose: async () => {
      hasEnded = true
      clearTimeout(timer)
      if (loading !== undefined) await (await instanceIfAny())?.leave()
    },
    tool: Object.fromEntries(
      definitionsOf(options.tools).map((definition) => {
        const run: Instance["run"] = async (...call) => (await instance()).run(...call)
        return [definition.name, v1Tool(definition, run, { options, mode, projectID, client: input.client })]
      }),
    ),
  }
}
