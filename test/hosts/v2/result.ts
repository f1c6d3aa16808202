import type { Tool } from "./registry.ts"
import { invalid, json, shape, text } from "./strict.ts"

// What a tool may answer.

export type ToolResult = { readonly content: string; readonly output: unknown }

/** Longer answers reach the model without their middle. */
export function isOverBound(content: string): boolean {
  return Buffer.byteLength(content) > 50 * 1024 || content.split("\n").length > 2_000
}

/** The result in its form; refuses any other. */
export function resultOf(tool: Tool, value: unknown): ToolResult {
  const result = shape("result", value, [], ["output", "content", "metadata"])
  json("result", result)
  if ((result["output"] !== undefined) !== tool.structured)
    throw invalid("output without its schema, or none")
  return { content: text("result.content", result["content"]), output: result["output"] }
}
