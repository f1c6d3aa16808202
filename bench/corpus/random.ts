// Numbers from a seed: the same seed gives the same numbers on every runtime.

export type Random = {
  /** A whole number in [0, limit). */
  below(limit: number): number
  /** A number in [0, 1). */
  share(): number
  /** An item; small indexes are much more likely, as words are in any language. */
  skewed<Value>(values: readonly Value[]): Value
  /** An item, each as likely. */
  pick<Value>(values: readonly Value[]): Value
  /** True in one of `times` calls. */
  once(times: number): boolean
}

/** mulberry32: 32 bits of state, fast, good enough for text. */
export function random(seed: number): Random {
  let state = seed >>> 0
  const share = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number): number => Math.floor(share() * limit)
  const at = <Value>(values: readonly Value[], index: number): Value => {
    const value = values[index]
    if (value === undefined) throw new RangeError("Nothing to choose from.")
    return value
  }
  return {
    below,
    share,
    skewed: (values) => at(values, Math.floor(share() ** 3 * values.length)),
    pick: (values) => at(values, below(values.length)),
    once: (times) => below(times) === 0,
  }
}

/** A seed for the nth thing of a kind: near numbers give unlike seeds. */
export function seedOf(seed: number, n: number): number {
  let mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(n + 1, 0xc2b2ae35)
  mixed ^= mixed >>> 15
  mixed = Math.imul(mixed, 0x2c1b3c6d)
  return (mixed ^ (mixed >>> 13)) >>> 0
}
