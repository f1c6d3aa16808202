import { giveWay } from "../src/history/steps.ts"
import { type Corpus, corpus } from "./corpus/corpus.ts"
import { watchLoop } from "./loop.ts"
import { QUERIES } from "./queries.ts"
import type { BuildFigures, QueryFigures, SearchFigures } from "./figures.ts"
import { sum } from "./stats.ts"
import type { Answer, Subject, SubjectKind } from "./subjects/subject.ts"
import type { Expected } from "./truth.ts"

// Builds and asks one subject, and times only that.

/** A query is asked until so much time went by, within the bounds below. */
export const QUERY_MS = 400
const RUNS_MIN = 3
const RUNS_MAX = 25

/**
 * Stores the corpus in the subject. Where threads store, the longest block is that of a smaller build in the folder
 * `apart`, whose rounds are short: collecting what a long one leaves behind is no block of the subject's.
 */
export async function measureBuild(
  { behind, open }: Pick<SubjectKind, "behind" | "open">,
  subject: Subject,
  made: Corpus,
  apart: string,
): Promise<BuildFigures> {
  if (behind === 1) return buildInRounds(subject, made, { behind, round: SHORT_ROUND })
  const figures = await buildInRounds(subject, made, { behind, round: LONG_ROUND })
  const small = await open(apart)
  const messages = Math.min(BLOCK_MESSAGES, sum(made.lengths))
  const { longestBlockMs } = await buildInRounds(small, corpus(messages, made.seed), {
    behind,
    round: SHORT_ROUND,
  })
  await small.close()
  return { ...figures, longestBlockMs }
}

/** Messages of the build that is watched for blocks. */
const BLOCK_MESSAGES = 20_000

/**
 * `behind`: sessions that are handed over before the first of them is stored. `round`: messages that are made before any
 * of them is stored, of which the process's garbage is collected behind them.
 */
async function buildInRounds(
  subject: Subject,
  made: Corpus,
  { behind, round }: { readonly behind: number; readonly round: number },
): Promise<BuildFigures> {
  const loop = await watchLoop()
  let wallMs = 0
  let cpuMs = 0
  const timed = async (work: () => Promise<void>): Promise<void> => {
    const cpu = process.cpuUsage()
    const started = performance.now()
    await loop.during(work)
    wallMs += performance.now() - started
    const used = process.cpuUsage(cpu)
    cpuMs += (used.user + used.system) / 1_000
  }
  let peak = 0
  /** Works begin in their order and each in a turn of its own, as answers of a host come; `behind` at a time. */
  const store = async (works: readonly (() => Promise<void>)[]): Promise<void> => {
    const before = process.memoryUsage.rss()
    const storing = new Set<Promise<void>>()
    for (const work of works) {
      const stored = work().finally(() => storing.delete(stored))
      storing.add(stored)
      peak = Math.max(peak, process.memoryUsage.rss() - before)
      if (storing.size >= behind) await Promise.race(storing)
      else if (behind > 1) await giveWay()
    }
    await Promise.all(storing)
  }
  let waiting = 0
  let works: (() => Promise<void>)[] = []
  for (const session of made.sessions()) {
    works.push(subject.prepare(session))
    waiting += session.messages.length
    if (waiting < round) continue
    collectGarbage()
    await timed(() => store(works))
    works = []
    waiting = 0
  }
  collectGarbage()
  await timed(() => store(works))
  await timed(() => subject.finish())
  loop.stop()
  return { wallMs, cpuMs, longestBlockMs: loop.longestMs(), peakBytes: peak }
}

/** What stores on its caller's thread is stored as it is made. */
const SHORT_ROUND = 500

/** What threads store is made long before: what they do while nothing is timed would be had for nothing. */
const LONG_ROUND = 200_000

function collectGarbage(): void {
  if (process.versions["bun"] !== undefined) Bun.gc(true)
}

export async function measureSearch(
  subject: Subject,
  expected: readonly Expected[],
  given: { readonly exact: boolean; readonly before: number; readonly queryMs: number },
): Promise<SearchFigures> {
  const loop = await watchLoop()
  const queries: QueryFigures[] = []
  for (const query of QUERIES) {
    const first = performance.now()
    const answer = await loop.during(() => subject.ask(query))
    if (answer === undefined) {
      queries.push({ id: query.id, class: query.class, samples: [], verdict: "refused" })
      continue
    }
    const samples = [performance.now() - first]
    const until = first + given.queryMs
    while (samples.length < RUNS_MIN || (samples.length < RUNS_MAX && performance.now() < until)) {
      const started = performance.now()
      await loop.during(() => subject.ask(query))
      samples.push(performance.now() - started)
    }
    const truth = expected.find((one) => one.id === query.id)
    const verdict = given.exact ? verdictOf(answer, truth) : "other text"
    queries.push({ id: query.id, class: query.class, samples: samples.slice(1), verdict })
  }
  loop.stop()
  return { queries, longestBlockMs: loop.longestMs(), peakBytes: peakBytes() - given.before }
}

/** An answer that ran out of time must be the beginning of the right one. */
export function verdictOf(answer: Answer, truth: Expected | undefined): QueryFigures["verdict"] {
  if (truth === undefined) return "wrong"
  const right = answer.ids.every((id, at) => truth.ids[at] === id)
  if (right && answer.ids.length === truth.ids.length) return "right"
  return right && !answer.complete ? "incomplete" : "wrong"
}

/** The most memory this process has had. */
export function peakBytes(): number {
  return process.resourceUsage().maxRSS * 1_024
}
