// Lines of a prompt with the ones inside code fences marked. A fence may be indented, quoted or the first
// thing in a list item; one that is never closed runs to the end, as it is rendered.

export type PromptLine = {
  /** Without its line break, LF or CRLF. */
  readonly text: string
  /** Index of the line's first UTF-16 unit in the prompt. */
  readonly start: number
  /** True for the fence lines themselves too. */
  readonly fenced: boolean
}

const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})([^]*)/

/** Every line of `text` in order; an empty text has one empty line. */
export function promptLines(text: string): PromptLine[] {
  const lines: PromptLine[] = []
  let open: string | undefined
  let start = 0
  for (const raw of text.split("\n")) {
    const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw
    const [, mark, info = ""] = FENCE.exec(line) ?? []
    const fenced = open !== undefined || (mark !== undefined && opens(mark, info))
    lines.push({ text: line, start, fenced })
    if (open === undefined) open = fenced ? mark : undefined
    else if (mark !== undefined && closes(mark, info, open)) open = undefined
    start += raw.length + 1
  }
  return lines
}

/** Three backticks with another backtick behind them on the line are inline code. */
function opens(mark: string, info: string): boolean {
  return mark.startsWith("~") || !info.includes("`")
}

function closes(mark: string, info: string, open: string): boolean {
  return mark.startsWith(open) && info.trim() === ""
}
