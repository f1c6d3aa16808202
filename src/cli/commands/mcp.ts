import { serveMcp } from "../../mcp/server.ts"
import { servicesFor } from "../asking.ts"
import type { Context } from "../context.ts"
import { unreadableIndex } from "../index-file.ts"
import { DONE, type Outcome, trouble } from "../outcome.ts"
import { projectAt } from "../project.ts"

// `baton mcp`: the history for other agents and editors, over standard input and output.

export async function mcp(context: Context, version: string): Promise<Outcome> {
  if (process.stdin.isTTY)
    return trouble(
      "`baton mcp` is started by an MCP client and speaks its protocol, not to a person; the README has the entry for a client's configuration",
    )
  await serveMcp({
    version,
    services: { ...servicesFor(context, undefined), options: context.options },
    directory: context.directory,
    signal: context.signal,
    projectOf: async (directory) => {
      const found = await projectAt(context.history(), directory)
      return found.ok ? found.value : undefined
    },
    unreadable() {
      const found = unreadableIndex(context.dataDir)
      return found && `${found.what}; ${found.remedy}`
    },
    input: process.stdin,
    output: process.stdout,
  })
  return DONE
}
