// Answers that are text: a head, blocks, notes. Blocks that do not fit under the host's cap are left out and
// counted; head and notes always stay.

import { DEFAULT_ANSWER_BYTES } from "./services.ts"

/** V1 cuts an answer at 2,000 lines as well. */
export const MAX_ANSWER_LINES = 1_900

/** Kept for the line that tells what was left out. */
const LEFT_OUT_BYTES = 200

export type TextAnswer = {
  readonly head: string
  /** One or more lines each. */
  readonly blocks: readonly string[]
  readonly notes: readonly string[]
  /** What a block is, for the count of those left out. */
  readonly unit: string
  readonly maxBytes: number | undefined
  /** The place of a block that always stays. */
  readonly kept?: number | undefined
}

/** The answer as text, never longer than the cap. */
export function textAnswer(answer: TextAnswer): string {
  const maxBytes = answer.maxBytes ?? DEFAULT_ANSWER_BYTES
  let bytes = LEFT_OUT_BYTES + size(answer.head) + answer.notes.reduce((sum, note) => sum + size(note), 0)
  let lines = 2 + answer.notes.length
  const shown: string[] = []
  const kept = answer.kept === undefined ? undefined : answer.blocks[answer.kept]
  const take = (block: string): void => {
    bytes += size(block)
    lines += block.split("\n").length
  }
  if (kept !== undefined) take(kept)
  let isFull = false
  for (const [at, block] of answer.blocks.entries()) {
    if (at === answer.kept) shown.push(block)
    else if (!isFull) {
      take(block)
      isFull = bytes > maxBytes || lines > MAX_ANSWER_LINES
      if (!isFull) shown.push(block)
    }
  }
  const left = answer.blocks.length - shown.length
  const dropped =
    left === 0
      ? []
      : [`${left} more ${answer.unit} left out to keep the answer short; narrow the search or lower limit`]
  return [answer.head, ...shown, ...dropped, ...answer.notes].join("\n")
}

function size(text: string): number {
  return Buffer.byteLength(text) + 1
}
