// A tool's input as the text it stands for: strings as they are, one field a line, nested fields by their
// dotted name. Code typed by the agent is then found by exactly that code, not by its JSON spelling.

/** Fields of one input that are written out; a generated list of a million entries is not a text. */
export const MAX_INPUT_FIELDS = 2_000

/** Nesting that is followed; hosts nest three levels at most, and a cycle must end. */
export const MAX_INPUT_DEPTH = 8

export type InputText = {
  readonly text: string
  /** UTF-16 units of the values behind the last field that is written out. */
  readonly lost: number
}

/** The input's text. Never throws, whatever the host delivered. */
export function toolInputText(input: Readonly<Record<string, unknown>>): InputText {
  const lines: string[] = []
  let lost = 0
  for (const [name, value] of Object.entries(input)) write(name, value, 1)
  return { text: lines.join("\n"), lost }

  function write(name: string, value: unknown, depth: number): void {
    if (value === null || value === undefined) return
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
      if (lines.length < MAX_INPUT_FIELDS) lines.push(`${name}: ${value}`)
      else lost += String(value).length
      return
    }
    if (typeof value !== "object" || depth >= MAX_INPUT_DEPTH) return
    for (const [key, inner] of Object.entries(value)) write(`${name}.${key}`, inner, depth + 1)
  }
}
