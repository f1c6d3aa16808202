import type { Database } from "../../storage/sqlite.ts"
import { appendBlocks, firstEntry, nextEntry } from "./cursor.ts"
import { joinBlocks, type Part } from "./join.ts"
import { gramsBetween } from "./gram-rows.ts"
import { NO_GRAMS, putBlocks } from "./postings.ts"
import type { Run } from "./runs.ts"
import { putNumber } from "./varint.ts"

// The grams of several runs as those of one, a slice of them at a time: gram by gram, the blocks of one source behind
// those of the other, with new numbers.

export type Source = {
  readonly run: Run
  /** The number each block gets; -1 for one that is left out. */
  readonly numbers: Int32Array
  /** The number of the first block where all follow in their order and none is left out. */
  readonly base: number | undefined
}

export type Merged = { readonly blockCount: number; readonly shift: number }

/** Room that is used again for every slice. */
export type Scratch = { readonly blocks: Uint16Array; readonly body: Uint8Array }

/** Room for merging to a run. */
export function mergeScratch({ blockCount, shift }: Merged): Scratch {
  // No gram takes more than its bit map and two numbers.
  const rowBytes = (Math.ceil(blockCount / 8) + 8) << shift
  return { blocks: new Uint16Array(blockCount), body: new Uint8Array(rowBytes) }
}

/** Gives all rows of a slice of grams that begins and ends with a row of the merged run. */
export function mergeRows(
  database: Database,
  sources: readonly Source[],
  slice: { readonly from: number; readonly to: number },
  merged: Merged,
  { blocks, body }: Scratch,
  put: (firstGram: number, body: Uint8Array) => void,
): void {
  const parts = sources.flatMap(({ run, numbers, base }): MergedPart[] => {
    const cursor = firstEntry(gramsBetween(database, run, slice), numbers.length)
    return cursor === undefined ? [] : [{ cursor, numbers, base: base ?? -1 }]
  })
  const mapBytes = Math.ceil(merged.blockCount / 8)
  const holding: MergedPart[] = []
  /** Rows before this place are put. */
  let filled = 0
  const fillTo = (place: number): void => {
    for (; filled < place; filled += 1 << merged.shift) put(slice.from + filled, NO_GRAMS)
  }
  const putRow = (place: number, grams: Uint8Array): void => {
    fillTo(place)
    put(slice.from + place, grams)
    filled += 1 << merged.shift
  }
  let row = 0
  let used = 0
  let before = 0
  for (let gram = nextGram(parts); gram < Number.POSITIVE_INFINITY; gram = nextGram(parts)) {
    if (gram >> merged.shift !== row >> merged.shift || used === 0) {
      if (used > 0) putRow(row, body.slice(0, used))
      row = (gram >> merged.shift) << merged.shift
      used = 0
      before = row
    }
    holding.length = 0
    for (const part of parts) if (part.cursor.gram === gram) holding.push(part)
    const start = putNumber(body, used, gram - before)
    let end = joinBlocks(holding, mapBytes, body, start)
    if (end < 0) {
      let count = 0
      for (const { cursor, numbers } of holding) count = appendBlocks(cursor, numbers, blocks, count)
      end = count === 0 ? start : putBlocks(body, start, mapBytes, blocks, 0, count)
    }
    // Behind a gram that only blocks left out held, the distance is written anew.
    if (end > start) {
      used = end
      before = gram
    }
    for (const { cursor } of holding) nextEntry(cursor)
  }
  if (used > 0) putRow(row, body.slice(0, used))
  fillTo(slice.to - slice.from)
}

type MergedPart = Part & { readonly numbers: Int32Array }

/** The lowest gram the parts are at. */
function nextGram(parts: readonly MergedPart[]): number {
  let least = Number.POSITIVE_INFINITY
  for (const { cursor } of parts) if (cursor.gram < least) least = cursor.gram
  return least
}
