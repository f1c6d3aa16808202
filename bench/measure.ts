import type { Corpus } from "./corpus/corpus.ts"
import { watchLoop } from "./loop.ts"
import { QUERIES } from "./queries.ts"
import type { BuildFigures, QueryFigures, SearchFigures } from "./figures.ts"
import type { Answer, Subject } from "./subjects/subject.ts"
import type { Expected } from "./truth.ts"

// Builds and asks one subject, and times only that.

/** A query is asked until so much time went by, within the bounds below. */
export const QUERY_MS = 400
const RUNS_MIN = 3
const RUNS_MAX = 25

export async function measureBuild(subject: Subject, corpus: Corpus): Promise<BuildFigures> {
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
  let made = 0
  for (const session of corpus.sessions()) {
    const work = subject.prepare(session)
    made += session.messages.length
    if (made >= GARBAGE_MESSAGES) {
      made = 0
      collectGarbage()
    }
    await timed(work)
  }
  await timed(() => subject.finish())
  loop.stop()
  return { wallMs, cpuMs, longestBlockMs: loop.longestMs(), peakBytes: peakBytes() }
}

/** Collecting what the corpus leaves behind is no block of the subject's; it is done outside, this often. */
const GARBAGE_MESSAGES = 500

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
