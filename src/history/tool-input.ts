// A tool's input as the text it stands for: strings as they are, one field a line, nested fields by their
// dotted name. Code typed by the agent is then found by exactly that code, not by its JSON spelling.

/** Fields of one input that are written out; a generated list of a million entries is not a text. */
export const MAX_INPUT_FIELDS = 2_000

/** Nesting that is followed; hosts nest three levels at most, and a cycle must end. */
export const MAX_INPUT_DEPTH = 8

/** The input's text. Never throws, whatever the host delivered. */
export function toolInputText(input: Readonly<Record<string, unknown>>): string {
  const lines: string[] = []
  for (const [name, value] of Object.entries(input)) write(name, value, 1, lines)
  return lines.join("\n")
}

function write(name: string, value: unknown, depth: number, lines: string[]): void {
  if (lines.length >= MAX_INPUT_FIELDS || value === null || value === undefined) return
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    lines.push(`${name}: ${value}`)
    return
  }
  if (typeof value !== "object" || depth >= MAX_INPUT_DEPTH) return
  for (const [key, inner] of Object.entries(value)) write(`${name}.${key}`, inner, depth + 1, lines)
}
