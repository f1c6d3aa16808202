import type { Database } from "../../storage/sqlite.ts"
import { gramsOf, isExact } from "../runs/grams.ts"
import { readBlocks } from "../runs/postings.ts"
import { bytesOf } from "../file/rows.ts"
import { checkRow } from "../file/sums.ts"
import { gramsAt } from "../runs/gram-rows.ts"
import type { Run } from "../runs/runs.ts"

// Which blocks of a run may hold a word, by its grams: rarest first, and no further than it narrows.

export type LookUp = {
  /** The run's blocks that may hold the word, as bits; undefined for none. */
  blocksOf(run: Run): Uint8Array | undefined
  /** Blocks that hold it for certain unless a text of them was changed, as bits; undefined for none known. */
  sureBlocksOf(run: Run): Uint8Array | undefined
  /** True for a word whose blocks hold it for certain, all of them. */
  readonly exact: boolean
  /** The part of the blocks looked at so far that may hold the word. */
  share(): number
}

/** Once so few blocks are left in a run they are read, but not before LEAST_GRAMS: a block costs more than a gram. */
const FEW_BLOCKS = 2
const LEAST_GRAMS = 4

/**
 * When most blocks are left behind so many grams, it is a common word: it is found wherever one looks. In the first run
 * all are looked up, which tells what is rarest: a slip of the pen may be in any part of a word.
 */
const COMMON_GRAMS = 4

/** The part of the blocks a gram is thought to be in before it was looked up. */
const UNKNOWN_SHARE = 0.02

export function createLookUp(database: Database, folded: string): LookUp {
  const grams = gramsOf(folded).map((gram) => ({ gram, share: UNKNOWN_SHARE }))
  const known = new Map<number, Uint8Array | undefined>()
  const total = { blocks: 0, candidates: 0 }
  const exact = isExact(folded)

  const read = (run: Run): Uint8Array | undefined => {
    const blocks = run.count
    const isFirst = total.blocks === 0
    let left: Uint8Array | undefined
    let count = 0
    for (const [at, one] of grams.entries()) {
      const row = (one.gram >> run.shift) << run.shift
      const bits = new Uint8Array(Math.ceil(blocks / 8))
      const held = readBlocks(gramsAt(database, run, row), one.gram - row, blocks, bits)
      one.share = held / blocks
      count = left === undefined ? held : intersect(bits, left)
      left = bits
      if (count === 0) break
      if (count <= FEW_BLOCKS && at + 1 >= LEAST_GRAMS) break
      if (count * 2 > blocks && at + 1 >= COMMON_GRAMS && !isFirst) break
    }
    grams.sort((one, other) => one.share - other.share)
    total.blocks += blocks
    total.candidates += count
    return count === 0 ? undefined : left
  }

  const blocksOf = (run: Run): Uint8Array | undefined => {
    if (known.has(run.id)) return known.get(run.id)
    const bits = read(run)
    known.set(run.id, bits)
    return bits
  }

  return {
    exact,
    blocksOf,
    sureBlocksOf: (run) => (exact ? blocksOf(run) : commonBlocks(database, run, folded)),
    share: () => (total.blocks === 0 ? 1 : total.candidates / total.blocks),
  }
}

/** Blocks with a common word that holds the word itself. */
function commonBlocks(database: Database, run: Run, folded: string): Uint8Array | undefined {
  const rows = database
    .prepare("SELECT * FROM common WHERE run = ? AND instr(word, ?) > 0")
    .values(run.id, folded)
  if (rows.length === 0) return undefined
  const bits = new Uint8Array(Math.ceil(run.count / 8))
  for (const row of rows) {
    checkRow("common", row)
    bytesOf(row[2], "bits").forEach((byte, at) => (bits[at] = (bits[at] ?? 0) | byte))
  }
  return bits
}

/** Clears in `bits` what is not in `other`; how many are left. */
function intersect(bits: Uint8Array, other: Uint8Array): number {
  let count = 0
  for (let at = 0; at < bits.length; at++) {
    const both = (bits[at] ?? 0) & (other[at] ?? 0)
    bits[at] = both
    for (let rest = both; rest !== 0; rest &= rest - 1) count++
  }
  return count
}
