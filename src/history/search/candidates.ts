import type { Role } from "../../session/model.ts"
import type { Database } from "../../storage/sqlite.ts"
import type { Catalog } from "../read/catalog.ts"
import { createMatcher, type Matcher } from "./matcher.ts"
import { hasBit } from "../runs/postings.ts"
import type { Run, Stretch } from "../runs/runs.ts"
import { createLookUp } from "./look-up.ts"

// Per word: which sessions, and which stretches of them, may hold it. Runs are asked one by one, only those that hold
// a session the search comes to, and each only once for all its sessions; no text is read.

export type Candidates = Matcher & {
  /** By a session's key: 0 only when neither its title nor a text of it holds the word. */
  readonly mask: Uint8Array
  /** True when the session's title holds the word. */
  isTitled(key: number): boolean
  /** False only when neither the session's title nor a text of it holds the word; the mask then says so too. */
  mayBeIn(key: number): boolean
  /** True only when a text of the session holds the word; often false for rarer words. */
  isSurelyIn(key: number): boolean
  /** Every text of the session that holds the word is in one of these; a replaced text may be in two. */
  stretchesIn(key: number): readonly Stretch[]
  /** The part of the blocks looked at so far that may hold the word. */
  share(): number
}

// What is known of a session.
const TITLED = 1
const MAY_HOLD = 2
const HOLDS = 4
/** It has texts in runs that were not asked yet. */
const UNASKED = 8

/** Of a word in fewer blocks hardly one is known for certain. */
const COMMON_SHARE = 0.3

/** The candidates of a folded word of any length, in texts of the role. */
export function openCandidates(
  database: Database,
  catalog: Catalog,
  folded: string,
  role?: Role,
): Candidates {
  const { places } = catalog
  const lookUp = createLookUp(database, folded)
  const flags = new Uint8Array(catalog.keyEnd)
  markSpanned(flags, places.spans.counts)
  /** By key, the spans of runs that were not asked yet. */
  const unasked = places.spans.counts.slice()
  const asked = new Set<Run>()
  const askedSure = new Set<Run>()
  const isOf = (stretch: Stretch): boolean => role === undefined || stretch.role === role
  const isBlockOf = (run: Run, block: number): boolean =>
    role === undefined || run.isUsers(block) === (role === "user")

  const has = (key: number, flag: number): boolean => ((flags[key] ?? 0) & flag) !== 0
  const mark = (key: number, flag: number): void => {
    flags[key] = (flags[key] ?? 0) | flag
  }

  const ask = (run: Run): void => {
    if (asked.has(run)) return
    asked.add(run)
    countDown(unasked, run.spanKeys, flags)
    const bits = lookUp.blocksOf(run)
    if (bits) eachBlock(bits, (block) => isBlockOf(run, block) && mark(run.keys[block] ?? 0, MAY_HOLD))
  }

  const askSure = (run: Run): void => {
    if (askedSure.has(run)) return
    askedSure.add(run)
    const bits = lookUp.sureBlocksOf(run)
    if (!bits) return
    eachBlock(bits, (block) => {
      const isDirty = places.anyDirty && places.isDirty(run.block(block))
      if (isBlockOf(run, block) && !isDirty) mark(run.keys[block] ?? 0, HOLDS)
    })
  }

  for (const key of catalog.titled(folded)) mark(key, TITLED)
  for (const [key, stretches] of places.tail) if (stretches.some(isOf)) mark(key, MAY_HOLD)

  return {
    ...createMatcher(folded),
    mask: flags,
    isTitled: (key) => has(key, TITLED),
    mayBeIn: (key) => {
      if (flags[key] === UNASKED) for (const { run } of places.spans.of(key)) ask(run)
      return (flags[key] ?? 0) !== 0
    },
    isSurelyIn: (key) => {
      if (has(key, HOLDS)) return true
      if (lookUp.share() <= COMMON_SHARE && !lookUp.exact) return false
      for (const { run } of places.spans.of(key)) askSure(run)
      return has(key, HOLDS)
    },
    stretchesIn: (key) => {
      const stretches = (places.tail.get(key) ?? []).filter(isOf)
      for (const { run, from, to } of places.spans.of(key)) {
        const bits = lookUp.blocksOf(run)
        if (bits === undefined) continue
        for (let at = from; at < to; at++) {
          if (hasBit(bits, at) && isBlockOf(run, at)) stretches.push(run.block(at))
        }
      }
      return stretches
    },
    share: () => lookUp.share(),
  }
}

/** By index, as below: iterating over a typed array takes three times as long. */
function markSpanned(flags: Uint8Array, spanCounts: Uint16Array): void {
  for (let key = 0; key < flags.length; key++) if ((spanCounts[key] ?? 0) > 0) flags[key] = UNASKED
}

function countDown(counts: Uint16Array, keys: Uint32Array, flags: Uint8Array): void {
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] ?? 0
    const left = (counts[key] ?? 0) - 1
    counts[key] = left
    if (left === 0) flags[key] = (flags[key] ?? 0) & ~UNASKED
  }
}

function eachBlock(bits: Uint8Array, visit: (block: number) => void): void {
  for (let at = 0; at < bits.length; at++) {
    for (let rest = bits[at] ?? 0; rest !== 0; rest &= rest - 1) visit(at * 8 + 31 - Math.clz32(rest & -rest))
  }
}
