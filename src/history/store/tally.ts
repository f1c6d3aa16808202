// What comes of the calls that write, counted while they are carried out.

export type Tally = {
  written: number
  unchanged: number
  removed: number
  readonly stale: Set<string>
  readonly forgotten: Set<string>
}

export function emptyTally(): Tally {
  return { written: 0, unchanged: 0, removed: 0, stale: new Set(), forgotten: new Set() }
}
