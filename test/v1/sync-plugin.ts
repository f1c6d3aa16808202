import { appendFileSync } from "node:fs"
import { join } from "node:path"
import type { Hooks, PluginInput } from "@opencode-ai/plugin"
import { createEngine } from "../../src/history/engine.ts"
import { excluder, joinSync } from "../../src/history/sync/index.ts"
import { v1Feed } from "../../src/hosts/v1/feed.ts"
import { hostLog } from "../../src/hosts/v1/log.ts"

// A plugin that does nothing but keep the index in step, and catches up when a test asks for it.

export const CATCH_UP = "sync-test.catch-up"

/** One line for every instance the host starts: its directory. */
export const STARTS = "sync-test-starts.txt"

export default {
  id: "sync-test",
  async server(input: PluginInput): Promise<Hooks> {
    const dataDir = join(process.env["XDG_DATA_HOME"] ?? "", "opencode")
    appendFileSync(join(dataDir, STARTS), `${input.directory}\n`)
    const feed = v1Feed(input.client)
    const member = joinSync({
      key: dataDir,
      open: () => createEngine({ dataDir, maskSecrets: true, sliceMs: 10, runs: "in-process" }),
      feed,
      excluded: excluder([join(dataDir, "..", "..", "work", "private")]),
      log: hostLog(input.client),
    })
    return {
      event: async ({ event }) => {
        feed.receive(event)
        if (event.type === "tui.command.execute" && event.properties.command === CATCH_UP)
          await member.catchUp()
      },
      dispose: () => member.leave(),
    }
  },
}
