import type { Role } from "../../session/model.ts"
import type { Database } from "../../storage/sqlite.ts"
import { gramsOf } from "../grams.ts"
import { createMatcher, type Matcher } from "../matcher.ts"
import { hasBit, readBlocks } from "../postings.ts"
import { bytesIn } from "../rows.ts"
import type { Places, Run, Stretch } from "../runs.ts"
import { gramKey } from "../schema.ts"

// Per word: which stretches of a session may hold it. Runs are asked one by one, only those that hold a
// session the search comes to, and each only once; no text is read.

export type Candidates = Matcher & {
  /** False only when no text of the session holds the word. */
  mayBeIn(key: number, role?: Role): boolean
  /** Every text of the session that holds the word is in one of these; a replaced text may be in two. */
  stretchesIn(key: number, role?: Role): readonly Stretch[]
  /** True only when a text of the session holds the word; asks no text, and is often false for rarer words. */
  isSurelyIn(key: number, role?: Role): boolean
  /** The part of the blocks looked at so far that may hold the word. */
  share(): number
}

/** Looks a gram up no further once so few blocks are left in a run. */
const FEW_BLOCKS = 2

/** The candidates of a folded word of any length. */
export function openCandidates(database: Database, places: Places, folded: string): Candidates {
  const grams = gramsOf(folded).map((gram) => ({ gram, found: 0 }))
  const looked = new Map<number, Uint8Array | undefined>()
  const sure = new Map<number, { readonly bits: Uint8Array | undefined }>()
  const total = { blocks: 0, candidates: 0 }

  /** The run's blocks that have all grams, as bits; undefined for none. */
  const lookUp = (run: Run): Uint8Array | undefined => {
    const blocks = run.blocks.length
    const bytes = Math.ceil(blocks / 8)
    let left: Uint8Array | undefined
    let count = 0
    for (const one of grams) {
      const row = (one.gram >> run.shift) << run.shift
      const found = database.prepare("SELECT body FROM grams WHERE id = ?").get(gramKey(run.id, row))
      const bits = new Uint8Array(bytes)
      const held = found ? readBlocks(bytesIn(found, "body"), one.gram - row, blocks, bits) : 0
      one.found += held / blocks
      count = left === undefined ? held : intersect(bits, left)
      left = bits
      if (count <= FEW_BLOCKS) break
    }
    // Grams that were rare here come first in the next run.
    grams.sort((one, other) => one.found - other.found)
    total.blocks += blocks
    total.candidates += count
    return count === 0 ? undefined : left
  }

  const bitsOf = (run: Run): Uint8Array | undefined => {
    if (looked.has(run.id)) return looked.get(run.id)
    const bits = lookUp(run)
    looked.set(run.id, bits)
    return bits
  }

  /** Blocks with a common word that holds the word itself. */
  const sureBitsOf = (run: Run): Uint8Array | undefined => {
    const known = sure.get(run.id)
    if (known) return known.bits
    const rows = database
      .prepare("SELECT bits FROM common WHERE run = ? AND instr(word, ?) > 0")
      .all(run.id, folded)
    const bits = rows.length === 0 ? undefined : new Uint8Array(Math.ceil(run.blocks.length / 8))
    for (const row of rows)
      bytesIn(row, "bits").forEach((byte, at) => bits && (bits[at] = (bits[at] ?? 0) | byte))
    sure.set(run.id, { bits })
    return bits
  }

  return {
    ...createMatcher(folded),
    mayBeIn: (key, role) => {
      if (places.tailOf(key).some((stretch) => isOf(stretch, role))) return true
      for (const { run, from, to } of places.spansOf(key)) {
        const bits = bitsOf(run)
        if (bits === undefined) continue
        for (let block = from; block < to; block++)
          if (hasBit(bits, block) && isOf(run.blocks[block], role)) return true
      }
      return false
    },
    stretchesIn: (key, role) => {
      const stretches = places.tailOf(key).filter((stretch) => isOf(stretch, role))
      for (const { run, from, to } of places.spansOf(key)) {
        const bits = bitsOf(run)
        if (bits === undefined) continue
        for (let at = from; at < to; at++) {
          const block = run.blocks[at]
          if (block && hasBit(bits, at) && isOf(block, role)) stretches.push(block)
        }
      }
      return stretches
    },
    isSurelyIn: (key, role) =>
      places.spansOf(key).some(({ run, from, to }) => {
        const bits = sureBitsOf(run)
        if (bits === undefined) return false
        for (let at = from; at < to; at++) {
          const block = run.blocks[at]
          if (hasBit(bits, at) && block && isOf(block, role) && !places.isDirty(block)) return true
        }
        return false
      }),
    share: () => (total.blocks === 0 ? 1 : total.candidates / total.blocks),
  }
}

function isOf(stretch: Stretch | undefined, role: Role | undefined): boolean {
  return role === undefined || stretch?.role === role
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
