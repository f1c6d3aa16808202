import { checksOf, verdictOf, wrongAnswers } from "./checks.ts"
import type { RunFigures } from "./figures.ts"
import { CLASSES } from "./queries.ts"
import { best, median, paired, quantile, sum } from "./stats.ts"

// The figures as tables in Markdown, for a terminal as for a document.

const MB = 1_000_000

export function report(run: RunFigures, smaller?: RunFigures): string {
  const { corpus, machine } = run
  const notes = [
    ...run.notes,
    ...wrongAnswers(run, "wrong").map((one) => `WRONG ANSWER: ${one}`),
    ...wrongAnswers(run, "incomplete").map((one) => `ran out of time, answer incomplete: ${one}`),
  ]
  return [
    `${corpus.messages} messages, ${corpus.sessions} sessions, ${decimals(corpus.textBytes / MB)} MB of searchable text ` +
      `(${decimals(corpus.saidBytes / MB)} MB said by users and assistants), seed ${run.seed}`,
    `${machine.processor}, ${machine.cores} cores, ${decimals(machine.memoryBytes / 1024 ** 3)} GiB, ${machine.system}, ` +
      `Bun ${machine.bun}, load ${machine.load.map(decimals).join(" to ")}; ${run.date.slice(0, 10)}; \`${run.command}\``,
    checksTable(run, smaller),
    buildTable(run),
    searchTable(run),
    ratioTable(run),
    commandTable(run),
    otherTable(run),
    notes.map((note) => `- ${note}`).join("\n"),
  ]
    .filter((part) => part !== "")
    .join("\n\n")
}

function checksTable(run: RunFigures, smaller: RunFigures | undefined): string {
  const rows = checksOf(run, smaller).map((check) => {
    const sign = check.better === "more" ? "≥" : "≤"
    const limits = [check.floor, check.aim].map((limit) => `${sign} ${limit}`)
    return [
      check.what,
      Number.isNaN(check.value) ? "" : `${decimals(check.value)} ${check.unit}`,
      ...limits,
      verdictOf(check),
    ]
  })
  return table(["", "measured", "floor", "aim", "reaches"], rows)
}

function buildTable(run: RunFigures): string {
  const { messages, textBytes } = run.corpus
  const rows = Object.entries(run.subjects).map(([name, { build, bytes, search }]) => [
    name,
    decimals((build?.wallMs ?? Number.NaN) / 1_000),
    decimals((build?.cpuMs ?? Number.NaN) / 1_000),
    whole((messages / (build?.wallMs ?? Number.NaN)) * 1_000),
    decimals(textBytes / 1_000 / (build?.wallMs ?? Number.NaN)),
    bytes === undefined ? "" : decimals(bytes / textBytes),
    decimals(build?.longestBlockMs ?? Number.NaN),
    decimals(search?.longestBlockMs ?? Number.NaN),
    whole((build?.peakBytes ?? Number.NaN) / MB),
    whole((search?.peakBytes ?? Number.NaN) / MB),
  ])
  const head = [
    "build",
    "s",
    "CPU s",
    "messages/s",
    "MB/s",
    "size × text",
    "block ms",
    "block ms, search",
    "peak MB",
  ]
  return rows.length === 0 ? "" : table([...head, "peak MB, search"], rows)
}

/** All runs of a class: median, 95th of a hundred, slowest; milliseconds. */
function searchTable(run: RunFigures): string {
  const names = Object.keys(run.subjects)
  const rows = CLASSES.map((kind) => [
    kind,
    ...names.map((name) => {
      const queries = run.subjects[name]?.search?.queries.filter((query) => query.class === kind) ?? []
      return spread(queries.flatMap((query) => query.samples))
    }),
    spread(run.ripgrep?.filter((query) => query.class === kind).flatMap((query) => query.samples) ?? []),
  ])
  return names.length === 0 ? "" : table(["search, ms: p50 / p95 / max", ...names, "ripgrep"], rows)
}

/** How many times longer the others take, by the sums of each query's best run. */
function ratioTable(run: RunFigures): string {
  const { engine, ...others } = run.subjects
  const names = Object.keys(others)
  const rowOf = (label: string, among: (kind: string) => boolean) => [
    label,
    decimals(sum((engine?.search?.queries ?? []).filter((query) => among(query.class)).map(best))),
    ...names.map((name) => {
      const pairs = paired(engine, others[name], (query) => among(query.class))
      return decimals(sum(pairs.map(([, other]) => other)) / sum(pairs.map(([ours]) => ours)))
    }),
  ]
  const rows = [...CLASSES.map((kind) => rowOf(kind, (one) => one === kind)), rowOf("all", () => true)]
  return engine === undefined
    ? ""
    : table(["best runs", "engine ms", ...names.map((name) => `${name} ×`)], rows)
}

function commandTable({ baton = [] }: RunFigures): string {
  const by = [...new Set(baton.map((one) => one.by))]
  const what = [...new Set(baton.map((one) => one.what))]
  const rows = what.map((name) => [
    name,
    ...by.map((runtime) =>
      spread(baton.find((one) => one.by === runtime && one.what === name)?.samples ?? []),
    ),
  ])
  return rows.length === 0 ? "" : table(["process start to first byte, ms: p50 / p95 / max", ...by], rows)
}

function otherTable(run: RunFigures): string {
  const rows: string[][] = []
  for (const [name, figures] of [
    ["append", run.append],
    ["append, FTS5", run.baselineAppend],
  ] as const) {
    figures?.lengths.forEach((length, at) =>
      rows.push([`${name} to ${length} messages`, spread(figures.samples[at] ?? [])]),
    )
  }
  for (const { name, samples, answerBytes } of run.reads ?? [])
    rows.push([`${name} (${answerBytes} bytes)`, spread(samples)])
  if (run.load !== undefined) {
    rows.push(["plugin load", spread(run.load.pairs.map((pair) => pair.plugin.ms))])
    const work = run.load.pairs.map((pair) => pair.plugin.cpuMs - pair.nothing.cpuMs)
    rows.push(["plugin load above it, processor time", spread(work)])
    rows.push(["load of a plugin that does nothing", spread(run.load.pairs.map((pair) => pair.nothing.ms))])
  }
  return rows.length === 0 ? "" : table(["other, ms", "p50 / p95 / max"], rows)
}

function spread(samples: readonly number[]): string {
  if (samples.length === 0) return "–"
  return [median(samples), quantile(samples, 0.95), Math.max(...samples)].map(decimals).join(" / ")
}

/** Three digits that count. */
export function decimals(value: number): string {
  if (Number.isNaN(value)) return "–"
  if (!Number.isFinite(value)) return "∞"
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

function whole(value: number): string {
  return Number.isNaN(value) ? "–" : value.toFixed(0)
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, at) => Math.max(cell.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, at) => (row[at] ?? "").padEnd(width)).join(" | ")} |`
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n")
}
