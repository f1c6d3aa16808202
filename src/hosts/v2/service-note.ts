import type { Tool } from "../../tools/tool.ts"

// Releases without a session list of their own are read through the service. A search that cannot reach it still
// answers from the index, and says why the index does not grow.

/** The tool with a last line while there is no service; `missing` gives the reason then. */
export function withServiceNote(tool: Tool, missing: () => string | undefined): Tool {
  return {
    ...tool,
    async run(input, caller) {
      const answer = await tool.run(input, caller)
      const reason = missing()
      return reason === undefined
        ? answer
        : `${answer}\nOpenCode's sessions cannot be listed now: its service is not reachable: ${reason}`
    },
  }
}
