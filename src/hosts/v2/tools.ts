import * as z from "zod/mini"
import { isRecord } from "../../session/from-unknown.ts"
import { SESSION_LIST, SESSION_READ } from "../../tools/definitions/sessions.ts"
import type { Tool } from "../../tools/tool.ts"
import type { Caller, Log } from "../host.ts"
import { field, method, textField, type Call } from "../../session/capability.ts"
import { describe } from "./trouble.ts"

// Tools in V2's form (GA): `{ name, description, input, options, execute }` with a plain JSON Schema, so that
// the model's raw arguments arrive and the tool checks them itself; the answer is `{ content }`.

/** Where Code Mode keeps the host's own session tools. */
export const CODE_MODE_NAMESPACE = "opencode"

const inCodeMode: ReadonlySet<string> = new Set([SESSION_LIST.name, SESSION_READ.name])

export type ToolSetup = {
  readonly transform: Call
  readonly tools: readonly Tool[]
  readonly caller: (run: ToolRun) => Caller
  readonly log: Log
}

/** What the host tells about a call. */
export type ToolRun = {
  readonly sessionID: string
  readonly messageID: string
  /** `id` (GA), `callID` (beta). */
  readonly callID: string
  readonly signal: AbortSignal
}

/** Adds the tools. Two of them go into Code Mode, unless the host has its own of that name there. */
export function addTools(setup: ToolSetup): unknown {
  return setup.transform((editor: unknown) => {
    const add = method(editor, "add")
    if (add === undefined) return setup.log("warn", "tools: this OpenCode has no way to add one")
    for (const tool of setup.tools) {
      try {
        if (inCodeMode.has(tool.name) && hostHas(editor, tool))
          setup.log("info", `tools: OpenCode has a ${tool.name} of its own; ours is not added`)
        else add(definition(tool, setup))
      } catch (error) {
        setup.log("warn", `tools: ${tool.name} was not taken: ${describe(error)}`)
      }
    }
  })
}

function definition(tool: Tool, setup: ToolSetup) {
  const structured = inCodeMode.has(tool.name)
  return {
    name: tool.name,
    description: tool.description,
    input: schemaOf(tool),
    ...(structured ? { output: { type: "object", additionalProperties: true } } : {}),
    options: structured ? { namespace: CODE_MODE_NAMESPACE } : { codemode: false },
    async execute(input: unknown, context: unknown) {
      const content = await answer(tool, input, setup.caller(runOf(context)))
      return structured ? { output: parsed(content), content } : { content }
    },
  }
}

function schemaOf(tool: Tool): Readonly<Record<string, unknown>> {
  const { $schema: _, ...schema } = z.toJSONSchema(z.object(tool.input), { io: "input" })
  return { ...schema, additionalProperties: false }
}

/** The tool's answer. Rejects only when the call is aborted: nobody waits for an answer then. */
async function answer(tool: Tool, input: unknown, caller: Caller): Promise<string> {
  caller.signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(new Error(`${tool.name} was aborted`))
  caller.signal.addEventListener("abort", abort, { once: true })
  try {
    return await Promise.race([tool.run(input, caller), aborted.promise])
  } catch (error) {
    if (caller.signal.aborted) throw error
    return JSON.stringify({ ok: false, error: `${tool.name} failed: ${describe(error)}` })
  } finally {
    caller.signal.removeEventListener("abort", abort)
  }
}

function runOf(context: unknown): ToolRun {
  const signal = field(context, "signal")
  return {
    sessionID: textField(context, "sessionID"),
    messageID: textField(context, "messageID"),
    callID: textField(context, "id") || textField(context, "callID"),
    signal: signal instanceof AbortSignal ? signal : new AbortController().signal,
  }
}

/** The answers of the tools in Code Mode are JSON objects. */
function parsed(content: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(content)
  return isRecord(value) ? value : { value }
}

/** Whether the host, or another plugin, has a tool of that name. Releases that cannot list have none of their own. */
function hostHas(editor: unknown, tool: Tool): boolean {
  const listed = method(editor, "list")?.()
  const entries = Array.isArray(listed) ? listed : isRecord(listed) ? Object.values(listed) : []
  const named = new RegExp(`(?:^|[._/:-])${tool.name}$`)
  return entries.some(
    (entry: unknown) =>
      (named.test(textField(entry, "name")) || named.test(textField(entry, "id"))) &&
      textField(entry, "description") !== tool.description,
  )
}
