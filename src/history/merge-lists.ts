import type { Database } from "../storage/sqlite.ts"
import type { GramLists } from "./grams.ts"
import { appendPostings } from "./postings.ts"
import { bytesIn, numberIn } from "./rows.ts"
import type { Run } from "./runs.ts"
import { gramKey } from "./schema.ts"

// The grams of several runs as those of one: read a slice at a time, block numbers changed, sorted by gram again.

export type Source = {
  readonly run: Run
  /** The number each block gets; -1 for one that is left out. */
  readonly numbers: Int32Array
}

/** The lists of a slice of grams, of all sources: block numbers ascend from source to source. */
export function mergedLists(
  database: Database,
  sources: readonly Source[],
  range: { readonly from: number; readonly to: number },
  scratch: { postings: Uint32Array },
): GramLists {
  let used = 0
  for (const { run, numbers } of sources) {
    const firstKey = gramKey(run.id, range.from)
    const rows = database
      .prepare("SELECT id, body FROM grams WHERE id >= ? AND id < ?")
      .all(firstKey, gramKey(run.id, range.to))
    for (const row of rows) {
      const body = bytesIn(row, "body")
      // A byte of a list is a block at most, one of a bit map eight.
      if (used + body.length * 8 > scratch.postings.length) {
        const larger = new Uint32Array(Math.max(scratch.postings.length * 2, used + body.length * 8))
        larger.set(scratch.postings)
        scratch.postings = larger
      }
      used = appendPostings(body, numberIn(row, "id") - firstKey, numbers, scratch.postings, used)
    }
  }
  return sortBySlice(scratch.postings, used, range.to - range.from)
}

/** Counting sort by the grams above 16 bits; the blocks of each are in order already. */
function sortBySlice(postings: Uint32Array, used: number, gramCount: number): GramLists {
  const starts = new Uint32Array(gramCount + 1)
  for (let at = 0; at < used; at++) {
    const next = ((postings[at] ?? 0) >>> 16) + 1
    starts[next] = (starts[next] ?? 0) + 1
  }
  for (let gram = 1; gram <= gramCount; gram++) starts[gram] = (starts[gram] ?? 0) + (starts[gram - 1] ?? 0)
  const next = starts.slice()
  const blocks = new Uint16Array(used)
  for (let at = 0; at < used; at++) {
    const posting = postings[at] ?? 0
    const place = next[posting >>> 16] ?? 0
    next[posting >>> 16] = place + 1
    blocks[place] = posting & 0xffff
  }
  return { starts, blocks }
}
