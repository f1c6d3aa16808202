import type { RunFigures } from "./figures.ts"
import { CLASSES } from "./queries.ts"
import { decimals } from "./report.ts"
import { best, median } from "./stats.ts"

// The search times of a run as an SVG: a row a class, a bar a subject, time on a logarithmic scale.

const WIDTH = 760
const LEFT = 190
const RIGHT = 70
const TOP = 44
const BAR = 6
const GAP = 8

/** Readable on white and on dark. */
const COLOURS: Readonly<Record<string, string>> = {
  engine: "#2f81f7",
  fts5: "#d29922",
  like: "#8b949e",
  scan: "#3fb950",
}

const LEAST_MS = 0.01

export function drawChart(run: RunFigures): string {
  const names = Object.keys(COLOURS).filter((name) => run.subjects[name]?.search !== undefined)
  const rowHeight = names.length * BAR + GAP
  const bottom = TOP + CLASSES.length * rowHeight
  const most = Math.max(1, ...CLASSES.flatMap((kind) => names.map((name) => timeOf(run, name, kind) ?? 0)))
  const decades = Math.ceil(Math.log10(most / LEAST_MS))
  const x = (ms: number) =>
    LEFT + (Math.log10(Math.max(ms, LEAST_MS) / LEAST_MS) / decades) * (WIDTH - LEFT - RIGHT)
  const grid = Array.from({ length: decades + 1 }, (_, at) => {
    const ms = LEAST_MS * 10 ** at
    const label = `${Number(ms.toPrecision(1))} ms`
    return `<path d="M${x(ms).toFixed(1)} ${TOP}V${bottom}" stroke="#8b949e" stroke-opacity=".3"/><text x="${x(ms).toFixed(1)}" y="${TOP - 6}" text-anchor="middle">${label}</text>`
  })
  const bars = CLASSES.flatMap((kind, row) => {
    const y = TOP + row * rowHeight + GAP / 2
    const label = `<text x="${LEFT - 8}" y="${(y + (names.length * BAR) / 2 + 4).toFixed(1)}" text-anchor="end">${kind}</text>`
    return [
      label,
      ...names.map((name, at) => bar(timeOf(run, name, kind), y + at * BAR, x, COLOURS[name] ?? "")),
    ]
  })
  const legend = names.map(
    (name, at) =>
      `<rect x="${LEFT + at * 110}" y="8" width="10" height="10" fill="${COLOURS[name]}"/><text x="${LEFT + at * 110 + 14}" y="17">${name}</text>`,
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${bottom + 10}" font-family="sans-serif" font-size="11" fill="#8b949e">`,
    `<title>Search in ${run.corpus.messages} messages, median of each query's best run</title>`,
    `<text x="${WIDTH - 4}" y="17" text-anchor="end">${run.corpus.messages.toLocaleString("en")} messages</text>`,
    ...legend,
    ...grid,
    ...bars,
    "</svg>\n",
  ].join("\n")
}

function bar(ms: number | undefined, y: number, x: (ms: number) => number, colour: string): string {
  if (ms === undefined) return ""
  const end = x(ms)
  return `<rect x="${LEFT}" y="${y}" width="${Math.max(1, end - LEFT).toFixed(1)}" height="${BAR - 1}" fill="${colour}"/><text x="${(end + 3).toFixed(1)}" y="${y + BAR}" font-size="7">${decimals(ms)}</text>`
}

function timeOf(run: RunFigures, name: string, kind: string): number | undefined {
  const queries = run.subjects[name]?.search?.queries.filter((query) => query.class === kind) ?? []
  const times = queries.filter((query) => query.samples.length > 0).map(best)
  return times.length === 0 ? undefined : median(times)
}
