import type { RunFigures, SubjectFigures } from "./figures.ts"
import { COMMAND_SEARCHES } from "./command.ts"
import type { QueryClass } from "./queries.ts"
import { best, median, paired, quantile, sum } from "./stats.ts"

// What the figures must reach: a floor that fails and an aim that does not. Ratios within one run wherever time is
// compared.

export type Check = {
  readonly what: string
  /** NaN when it was not measured. */
  readonly value: number
  readonly unit: "×" | "ms" | "MB" | "tokens" | "%"
  readonly better: "more" | "less"
  readonly floor: number
  readonly aim: number
}

export type Verdict = "aim" | "floor" | "fails" | "not measured"

/** About four characters a token, as code and English have. */
export const CHARACTERS_A_TOKEN = 4

const MB = 1_000_000

export function checksOf(run: RunFigures, smaller?: RunFigures): readonly Check[] {
  const { engine, fts5, scan, "like-said": said } = run.subjects
  const all = paired(engine, fts5)
  const beside = paired(engine, said)
  const short = paired(engine, scan, (query) => isOneOf(query.class, ["1 character", "2 characters"]))
  const wallOf = (subject: SubjectFigures | undefined) => subject?.build?.wallMs ?? Number.NaN
  const blocks = [engine?.build?.longestBlockMs, engine?.search?.longestBlockMs, run.append?.longestBlockMs]
  const appends = run.append?.samples.map(median) ?? []
  const characters = run.definitions?.map((one) => one.characters) ?? [Number.NaN]
  const load = run.load?.pairs.map((pair) => pair.plugin.ms - pair.nothing.ms) ?? []
  return [
    more("search, sum over all queries, against FTS5", ratio(sums(all)), 20, 45),
    more("search p95 against LIKE over what was said", ratio(p95(beside)), 10, 20),
    more("1 and 2 characters against the scan", ratio(sums(short)), 20, 100),
    more("build against FTS5", wallOf(fts5) / wallOf(engine), 8, 20),
    less("index size against its text", (engine?.bytes ?? Number.NaN) / run.corpus.textBytes, "×", 1.5, 0.9),
    less("longest block of the host's loop", longest(blocks), "ms", 20, 5),
    less(
      "append, 100,000 messages against 10",
      (appends[2] ?? Number.NaN) / (appends[0] ?? Number.NaN),
      "×",
      2,
      1.2,
    ),
    less("p95 of rare and common words, against the smaller corpus", growth(run, smaller), "×", 3, 1.5),
    less("memory of searching, at its peak", (engine?.search?.peakBytes ?? Number.NaN) / MB, "MB", 150, 64),
    less("plugin load, above one that does nothing", median(load), "ms", 15, 5),
    less("`baton search` to its first byte, Node", slowestSearch(run, "Node"), "ms", 150, 100),
    less("`baton search` to its first byte, Bun", slowestSearch(run, "Bun"), "ms", 150, 100),
    more(
      "`baton search` of a word that nobody said, Node, against ripgrep",
      againstRipgrep(run, "no hit"),
      0.5,
      1,
    ),
    share(
      "a message of which three words are asked comes first, by relevance",
      run.answers?.knownFirst,
      80,
      88,
    ),
    share("it is among the hits shown, newest first", run.answers?.knownShown, 85, 98),
    share("words of two neighbouring messages: their session comes first", run.answers?.spreadFirst, 70, 78),
    less("all tool definitions", sum(characters) / CHARACTERS_A_TOKEN, "tokens", 2_000, 1_400),
  ]
}

export function verdictOf({ value, better, floor, aim }: Check): Verdict {
  if (Number.isNaN(value)) return "not measured"
  const reaches = (limit: number) => (better === "more" ? value >= limit : value <= limit)
  return reaches(aim) ? "aim" : reaches(floor) ? "floor" : "fails"
}

/** Queries that were not answered right, as "subject: query". */
export function wrongAnswers(run: RunFigures, verdict: "wrong" | "incomplete"): readonly string[] {
  return Object.entries(run.subjects).flatMap(([name, figures]) =>
    (figures.search?.queries ?? [])
      .filter((query) => query.verdict === verdict)
      .map((query) => `${name}: ${query.id}`),
  )
}

/** NaN when none was measured. */
function longest(blocks: readonly (number | undefined)[]): number {
  const measured = blocks.filter((ms) => ms !== undefined)
  return measured.length === 0 ? Number.NaN : Math.max(...measured)
}

/** The best run of the slowest of the searches. */
function slowestSearch(run: RunFigures, by: string): number {
  const searches = COMMAND_SEARCHES.map((what) => commandBest(run, by, what))
  return searches.some(Number.isNaN) ? Number.NaN : Math.max(...searches)
}

/** In a smaller export ripgrep is done before another process has started. */
const RIPGREP_FROM = 200_000

/** Of what both must look for everywhere: a word that occurs may lie at the beginning of the export. */
function againstRipgrep(run: RunFigures, what: string): number {
  if (run.corpus.messages < RIPGREP_FROM) return Number.NaN
  return commandBest(run, "ripgrep", what) / commandBest(run, "Node", what)
}

function commandBest(run: RunFigures, by: string, what: string): number {
  const row = run.baton?.find((one) => one.by === by && one.what === what)
  return row === undefined || row.samples.length === 0 ? Number.NaN : best(row)
}

function growth(run: RunFigures, smaller: RunFigures | undefined): number {
  const among: readonly QueryClass[] = ["rare word", "common word"]
  const pairs = paired(run.subjects["engine"], smaller?.subjects["engine"], (query) =>
    isOneOf(query.class, among),
  )
  const [large, small] = p95(pairs)
  return large / small
}

function isOneOf(kind: QueryClass, among: readonly QueryClass[]): boolean {
  return among.includes(kind)
}

type Pairs = readonly (readonly [number, number])[]

function sums(pairs: Pairs): readonly [number, number] {
  return [sum(pairs.map(([ours]) => ours)), sum(pairs.map(([, other]) => other))]
}

function p95(pairs: Pairs): readonly [number, number] {
  const of = (values: readonly number[]) => quantile(values, 0.95)
  return [of(pairs.map(([ours]) => ours)), of(pairs.map(([, other]) => other))]
}

/** How many times longer the other takes. */
function ratio([ours, other]: readonly [number, number]): number {
  return other / ours
}

function more(what: string, value: number, floor: number, aim: number): Check {
  return { what, value, unit: "×", better: "more", floor, aim }
}

function share(what: string, rate: number | undefined, floor: number, aim: number): Check {
  return { what, value: (rate ?? Number.NaN) * 100, unit: "%", better: "more", floor, aim }
}

function less(what: string, value: number, unit: Check["unit"], floor: number, aim: number): Check {
  return { what, value, unit, better: "less", floor, aim }
}
