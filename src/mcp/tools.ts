import * as z from "zod/mini"
import type { Caller } from "../hosts/host.ts"
import { everywhere } from "../query/parse.ts"
import { isRecord } from "../session/from-unknown.ts"
import { historyRead } from "../tools/history-read.ts"
import { historySearchEdits } from "../tools/history-search-edits.ts"
import { historySearchMessages } from "../tools/history-search-messages.ts"
import { historySearchSessions } from "../tools/history-search-sessions.ts"
import type { HistoryServices } from "../tools/search/services.ts"
import { sessionList } from "../tools/session-list.ts"
import { sessionRead } from "../tools/session-read.ts"
import type { Tool } from "../tools/tool.ts"

// The read-only tools as an MCP client sees them: the same names, arguments and answers as in OpenCode, and the
// project of each call beside them.

export type McpTool = {
  readonly name: string
  readonly description: string
  readonly inputSchema: { readonly type: "object"; readonly [key: string]: unknown }
}

type Made = {
  readonly tool: McpTool
  readonly make: (services: HistoryServices) => Tool
  readonly required: readonly string[]
  readonly takesQuery: boolean
}

/** Arguments that an OpenCode session stands for: without one they have to be written. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = { "history-read": ["sessionID"] }

const PROJECT = {
  type: "string",
  description: "Folder of the project, or all",
}

const MAKERS = [
  historySearchMessages,
  historySearchSessions,
  historySearchEdits,
  historyRead,
  sessionList,
  sessionRead,
]

/** Every tool with what makes it. The definitions are read before there is an index. */
export function mcpTools(services: HistoryServices): readonly Made[] {
  return MAKERS.map((make) => {
    const { name, description, input } = make(services)
    const schema = z.toJSONSchema(z.object(input), { io: "input" })
    const required = REQUIRED[name] ?? []
    const inputSchema = {
      type: "object" as const,
      properties: { project: PROJECT, ...schema.properties },
      required: ["project", ...(schema.required ?? []), ...required],
    }
    return { make, required, takesQuery: "query" in input, tool: { name, description, inputSchema } }
  })
}

export type Call = {
  readonly services: HistoryServices
  readonly caller: Caller
  /** The call is about every project. */
  readonly all: boolean
  readonly args: unknown
}

/** The answer of a tool as text. What a client leaves out of a call's arguments is said in one line. */
export async function answerOf(made: Made, call: Call): Promise<string> {
  const { project: _, ...rest } = isRecord(call.args) ? call.args : {}
  const absent = made.required.find((name) => rest[name] === undefined || rest[name] === null)
  if (absent !== undefined) return `${made.tool.name}: \`${absent}\` is required; write the id of a session`
  return made.make(call.services).run(call.all ? inAllProjects(made, rest) : rest, call.caller)
}

/** A search of all projects says so in its query, unless the query names projects itself. */
function inAllProjects(
  made: Made,
  args: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const query = args["query"] ?? ""
  return made.takesQuery && typeof query === "string" ? { ...args, query: everywhere(query) } : args
}
