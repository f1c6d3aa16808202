import type { Readable, Writable } from "node:stream"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { nearest } from "../text/nearest.ts"
import { shownValue } from "../text/printable.ts"
import type { HistoryServices } from "../tools/search/services.ts"
import { type CallScope, callScope, type ProjectOf } from "./scope.ts"
import { answerOf, mcpTools } from "./tools.ts"

// The history for other agents and editors, over the Model Context Protocol on standard input and output. Nothing else
// may be written to standard output while it runs.

export type McpSetup = {
  readonly version: string
  /** Services of the folder the server runs in; a call's own project replaces `project`. */
  readonly services: HistoryServices
  readonly directory: string
  readonly signal: AbortSignal
  projectOf: ProjectOf
  /** Why the index cannot be read now, in one line; it may be made while the server runs. */
  unreadable(): string | undefined
  readonly input: Readable
  readonly output: Writable
}

/** Serves until the client closes its end or the signal is given. */
export async function serveMcp(setup: McpSetup): Promise<void> {
  const made = mcpTools(setup.services)
  const server = new Server(
    { name: "opencode-baton", version: setup.version },
    { capabilities: { tools: {} } },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: made.map((one) => one.tool) }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const one = made.find((known) => known.tool.name === params.name)
    if (one === undefined)
      return failed(
        unknownTool(
          params.name,
          made.map((known) => known.tool.name),
        ),
      )
    const unreadable = setup.unreadable()
    if (unreadable !== undefined) return failed(unreadable)
    const scope: CallScope = await callScope(
      {
        otherProjects: setup.services.options.otherProjects ?? "ask",
        directory: setup.directory,
        projectOf: setup.projectOf,
      },
      params.arguments?.["project"],
      signal,
    )
    if (!scope.ok) return failed(`${params.name}: ${scope.error}`)
    const services = { ...setup.services, project: scope.project }
    const call = { services, caller: scope.caller, all: scope.all, args: params.arguments }
    return { content: [{ type: "text", text: await answerOf(one, call) }] }
  })
  const ended = new Promise<void>((resolve) => {
    setup.input.once("end", resolve)
    setup.signal.addEventListener("abort", () => resolve(), { once: true })
  })
  await server.connect(new StdioServerTransport(setup.input, setup.output))
  await ended
  await server.close()
}

function failed(text: string) {
  return { content: [{ type: "text" as const, text }], isError: true }
}

function unknownTool(name: string, names: readonly string[]): string {
  const close = nearest(name, names)
  return `there is no tool ${shownValue(name)}; ${close === undefined ? `the tools are ${names.join(", ")}` : `did you mean ${close}?`}`
}
