import { widthOf, wrap } from "../layout.ts"

// Markdown on a screen: long lines of prose are broken between words, further lines below where the first one's text
// begins. Code and tables stay as they are, for people copy them.

/** The lines in at most `columns`, as far as they are prose. */
export function proseLines(lines: readonly string[], columns: number): readonly string[] {
  let fence = ""
  return lines.flatMap((line) => {
    const mark = FENCE.exec(line)?.[1] ?? ""
    if (fence !== "") {
      if (mark.startsWith(fence)) fence = ""
      return [line]
    }
    fence = mark
    if (mark !== "" || CODE.test(line) || widthOf(line) <= columns) return [line]
    const lead = LEAD.exec(line)?.[0] ?? ""
    const room = columns - widthOf(lead)
    if (room < MIN_ROOM) return wrap(line, columns)
    return wrap(line.slice(lead.length), room).map((piece, at) =>
      at === 0 ? lead + piece : continued(lead) + piece,
    )
  })
}

/** Narrower columns of text are harder to read than no indentation. */
const MIN_ROOM = 20

const FENCE = /^\s*(`{3,}|~{3,})/

/** Indented code and rows of a table. */
const CODE = /^(?: {4}|\t|\s*\|)/

/** What stands before a line's text: indentation, quote marks, the mark of a list. */
const LEAD = /^\s*(?:>\s?)*(?:[-*+]\s+|\d+[.)]\s+)?/

/** Quote marks go on; everything else becomes spaces. */
function continued(lead: string): string {
  return lead.replaceAll(/[^>\s]/g, " ")
}
