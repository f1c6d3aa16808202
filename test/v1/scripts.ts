import { call, text, type Reply } from "../hosts/reply.ts"
import { lastUserTexts, toolResults, type ModelRequest } from "../hosts/request.ts"
import type { Model, ScriptFunction } from "../hosts/model.ts"

// Models for the V1 tests, and how their requests are read.

/** Calls a tool when the user's text asks for it, once a turn; otherwise says "done". */
export function callsWhenAsked(
  wanted: string,
  tool: string,
  input: Readonly<Record<string, unknown>>,
): ScriptFunction {
  return (request): Reply => {
    const last = request.body.messages.at(-1)
    if (last?.role === "user" && lastUserTexts(request).join("\n").includes(wanted)) return call(tool, input)
    return text("done")
  }
}

/** The newest answer of a tool that the model was given, parsed. */
export function lastToolAnswer(model: Model, tool: string): Record<string, unknown> {
  const results = model.requests().flatMap((request) => toolResults(request))
  const output = results.findLast((result) => result.tool === tool)?.output
  if (output === undefined) throw new Error(`the model never got an answer of ${tool}`)
  const parsed: unknown = JSON.parse(output)
  if (typeof parsed !== "object" || parsed === null) throw new Error(`${tool} answered ${output}`)
  return { ...parsed }
}

/** The first request whose newest user message starts with `start`. */
export function requestFor(model: Model, start: string): ModelRequest {
  const found = model.requests().find((request) => lastUserTexts(request).join("\n").startsWith(start))
  if (found === undefined) throw new Error(`no request starts with ${start}`)
  return found
}

/** A draft as the tool writes it. */
export function draftText(source: string, files: string, prompt = "Go on."): string {
  const marker = `Continuing work from session ${source}. Use read_session if you need details not included here.`
  return [marker, ...(files === "" ? [] : [files]), prompt].join("\n\n") + "\n"
}
