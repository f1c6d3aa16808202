import type { Run } from "./runs.ts"

// In which blocks of which runs each session lies. As numbers: at a million messages objects took 10 MB.

/** Blocks of a session beside each other in one run: from one to before another. */
export type Span = { readonly run: Run; readonly from: number; readonly to: number }

export type Spans = {
  /** By a session's key how many it has; sessions behind the end have none. */
  readonly counts: Uint16Array
  of(key: number): readonly Span[]
}

/** Finds the spans of at most 65,536 runs. */
export function spansOf(runs: readonly Run[]): Spans {
  const counts = new Uint16Array(runs.reduce((end, { spanKeys }) => endOf(spanKeys, end), 0))
  for (const { spanKeys } of runs) countKeys(spanKeys, counts)
  const starts = new Uint32Array(counts.length + 1)
  counts.forEach((count, key) => (starts[key + 1] = (starts[key] ?? 0) + count))
  const runAt = new Uint16Array(starts.at(-1) ?? 0)
  const fromAt = new Uint16Array(runAt.length)
  const next = starts.slice()
  for (const [number, { keys }] of runs.entries()) placeSpans(keys, number, next, runAt, fromAt)
  return {
    counts,
    of: (key) => {
      const spans: Span[] = []
      const start = starts[key] ?? 0
      for (let place = start; place < start + (counts[key] ?? 0); place++) {
        const run = runs[runAt[place] ?? 0]
        const from = fromAt[place] ?? 0
        if (run) spans.push({ run, from, to: endOfSpan(run.keys, from) })
      }
      return spans
    },
  }
}

// Loops over numbers, by index and in functions of their own: a run has thousands, and iterating takes three times as long.

function endOf(keys: Uint32Array, least: number): number {
  let end = least
  for (let at = 0; at < keys.length; at++) end = Math.max(end, (keys[at] ?? 0) + 1)
  return end
}

function countKeys(keys: Uint32Array, counts: Uint16Array): void {
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] ?? 0
    counts[key] = (counts[key] ?? 0) + 1
  }
}

/** `next`: by key the place of its next span. */
function placeSpans(
  keys: Uint32Array,
  run: number,
  next: Uint32Array,
  runAt: Uint16Array,
  fromAt: Uint16Array,
): void {
  for (let block = 0; block < keys.length; block++) {
    const key = keys[block] ?? 0
    if (block > 0 && key === keys[block - 1]) continue
    const place = next[key] ?? 0
    next[key] = place + 1
    runAt[place] = run
    fromAt[place] = block
  }
}

function endOfSpan(keys: Uint32Array, from: number): number {
  let end = from + 1
  while (keys[end] === keys[from]) end++
  return end
}
