import type { DocumentKind } from "./contract.ts"
import type { Segment } from "./documents.ts"

// The documents of a stored text in one short column: a letter and the length of each (`u120,t4000`).

const LETTERS: Readonly<Record<DocumentKind, string>> = {
  user: "u",
  assistant: "a",
  reasoning: "r",
  tool: "t",
  summary: "s",
}
const KINDS = new Map<string, DocumentKind>([
  ["u", "user"],
  ["a", "assistant"],
  ["r", "reasoning"],
  ["t", "tool"],
  ["s", "summary"],
])

export function writeSegments(segments: readonly Segment[]): string {
  return segments.map((segment) => LETTERS[segment.kind] + (segment.end - segment.start)).join(",")
}

export function readSegments(column: string): readonly Segment[] {
  if (column === "") return []
  let start = 0
  return column.split(",").map((piece) => {
    const end = start + Number(piece.slice(1))
    const segment = { kind: KINDS.get(piece.charAt(0)) ?? "tool", start, end }
    start = end + 1
    return segment
  })
}

/** The kind of the document that holds this place. */
export function kindAt(segments: readonly Segment[], at: number): DocumentKind | undefined {
  return segments.find((segment) => at < segment.end)?.kind ?? segments.at(-1)?.kind
}
