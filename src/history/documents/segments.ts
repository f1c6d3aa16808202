import type { DocumentKind } from "../contract.ts"
import type { Segment } from "./documents.ts"

// The documents of a stored text in one short column: a letter and the length of each (`u120,i80,t4000`).

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

/** The letter of what a tool was asked; its kind is "tool" as that of the answer. */
const INPUT = "i"

export function writeSegments(segments: readonly Segment[]): string {
  return segments
    .map(({ kind, input, start, end }) => (input ? INPUT : LETTERS[kind]) + (end - start))
    .join(",")
}

export function readSegments(column: string): readonly Segment[] {
  if (column === "") return []
  let start = 0
  return column.split(",").map((piece) => {
    const end = start + Number(piece.slice(1))
    const letter = piece.charAt(0)
    const segment: Segment = {
      kind: KINDS.get(letter) ?? "tool",
      ...(letter === INPUT ? { input: true } : {}),
      start,
      end,
    }
    start = end + 1
    return segment
  })
}

/** The kind of the document that holds this place. */
export function kindAt(segments: readonly Segment[], at: number): DocumentKind | undefined {
  return segments.find((segment) => at < segment.end)?.kind ?? segments.at(-1)?.kind
}
