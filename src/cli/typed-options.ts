import type * as z from "zod"
import { parseInput, type ParsedInput } from "../tools/input.ts"

/** A command's options as values. The error is one line and names them as they are typed: `--limit`. */
export function typedOptions<Shape extends z.ZodRawShape>(shape: Shape, raw: object): ParsedInput<Shape> {
  const parsed = parseInput(shape, raw, { tool: "baton" })
  if (parsed.ok) return parsed
  return {
    ok: false,
    error: parsed.error
      .replace(/^baton: /, "")
      .replaceAll(/`([\w-]+)`/g, (_, name: string) => `--${dashed(name)}`),
  }
}

/** `dryRun` is `--dry-run`. */
function dashed(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
