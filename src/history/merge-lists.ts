import type { Database } from "../storage/sqlite.ts"
import type { GramLists } from "./grams.ts"
import { appendBlocks, type Cursor, firstEntry, type GramRow, nextEntry } from "./postings.ts"
import { bytesIn, numberIn } from "./rows.ts"
import type { Run } from "./runs.ts"
import { gramKey } from "./schema.ts"

// The grams of several runs as those of one, a slice of them at a time: gram by gram, the blocks of one source behind
// those of the other, with new numbers.

export type Source = {
  readonly run: Run
  /** The number each block gets; -1 for one that is left out. */
  readonly numbers: Int32Array
}

/** Room that is used again for every slice. */
export type Scratch = { blocks: Uint16Array }

/** The lists of a slice of grams, of all sources: block numbers ascend from source to source. */
export function mergedLists(
  database: Database,
  sources: readonly Source[],
  range: { readonly from: number; readonly to: number },
  scratch: Scratch,
): GramLists {
  let bytes = 0
  const cursors: { readonly cursor: Cursor; readonly numbers: Int32Array }[] = []
  for (const { run, numbers } of sources) {
    const rows = rowsOf(database, run, range)
    for (const { body } of rows) bytes += body.length
    const cursor = firstEntry(rows, numbers.length)
    if (cursor !== undefined) cursors.push({ cursor, numbers })
  }
  // A byte of a list is a block at most, one of a bit map eight.
  if (scratch.blocks.length < bytes * 8) scratch.blocks = new Uint16Array(bytes * 8)
  const { blocks } = scratch
  const starts = new Uint32Array(range.to - range.from + 1)
  let used = 0
  for (let gram = 0; gram < starts.length; gram++) {
    starts[gram] = used
    for (const { cursor, numbers } of cursors) {
      if (cursor.gram !== gram) continue
      used = appendBlocks(cursor, numbers, blocks, used)
      nextEntry(cursor)
    }
  }
  return { starts, blocks }
}

function rowsOf(
  database: Database,
  run: Run,
  { from, to }: { readonly from: number; readonly to: number },
): readonly GramRow[] {
  const firstKey = gramKey(run.id, from)
  return database
    .prepare("SELECT id, body FROM grams WHERE id >= ? AND id < ?")
    .all(firstKey, gramKey(run.id, to))
    .map((row) => ({ place: numberIn(row, "id") - firstKey, body: bytesIn(row, "body") }))
}
