import type { Catalog, Entry } from "../read/catalog.ts"
import type { Candidates } from "./candidates.ts"
import type { Search } from "./open.ts"
import type { Homes } from "./scope.ts"

// The sessions that can match at all, newest first. A search goes past nearly every session, and as objects they lie all
// over the memory: here only their numbers are looked at, one after the other.

export type Possible = {
  /** The next one; undefined behind the last. */
  next(): Entry | undefined
  /** Sessions of the scope up to that one, itself included. */
  passed(): number
  /** All sessions of the scope. */
  total(): number
}

/** Those of the search: of its words and of the file edited. */
export function possibleIn({ catalog, tried, edited }: Search, homes: Homes): Possible {
  return possibleSessions(catalog, homes, tried, edited)
}

/** Those that may hold all of the words; `among`: keys of which it must be one. */
export function possibleSessions(
  catalog: Pick<Catalog, "entries" | "keys" | "homes" | "keyEnd">,
  meant: Homes,
  words: readonly Candidates[],
  among?: ReadonlySet<number>,
): Possible {
  const { entries, keys, homes, keyEnd } = catalog
  const masks = words.map(({ mask }) => mask)
  if (among !== undefined) masks.unshift(maskOf(among, keyEnd))
  let at = -1
  return {
    next: () => {
      for (;;) {
        at = nextPossible(keys, homes, meant, masks, at + 1)
        const entry = entries[at]
        if (entry === undefined || words.every((word) => word.mayBeIn(entry.key))) return entry
      }
    },
    passed: () => countMeant(homes, meant, Math.min(at + 1, homes.length)),
    total: () => countMeant(homes, meant, homes.length),
  }
}

function maskOf(set: ReadonlySet<number>, keyEnd: number): Uint8Array {
  const mask = new Uint8Array(keyEnd)
  for (const key of set) mask[key] = 1
  return mask
}

/** A function of its own with numbers only: as a closure it is compiled later, and a search is over by then. */
function nextPossible(
  keys: Uint32Array,
  homes: Uint32Array,
  meant: Homes,
  masks: readonly Uint8Array[],
  from: number,
): number {
  for (let at = from; at < keys.length; at++) {
    if (meant !== undefined && meant[homes[at] ?? 0] !== 1) continue
    const key = keys[at] ?? 0
    let mask = 0
    while (mask < masks.length && masks[mask]?.[key] !== 0) mask++
    if (mask === masks.length) return at
  }
  return keys.length
}

function countMeant(homes: Uint32Array, meant: Homes, end: number): number {
  if (meant === undefined) return end
  let count = 0
  for (let at = 0; at < end; at++) count += meant[homes[at] ?? 0] ?? 0
  return count
}
