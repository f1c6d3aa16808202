import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as z from "zod"
import { corpus } from "./corpus/corpus.ts"
import { type SubjectFigures, truthFigures } from "./figures.ts"
import { measureBuild, measureSearch } from "./measure.ts"
import { engine } from "./subjects/engine.ts"
import { likeAll, likeSaid } from "./subjects/like.ts"
import { scan } from "./subjects/scan.ts"
import type { SubjectKind } from "./subjects/subject.ts"
import { trigram } from "./subjects/trigram.ts"
import { truthOf } from "./truth.ts"

// One measurement in a process of its own, so that memory and processor time belong to it alone. The job is a JSON
// argument; the figures go into its `out` file.

export const SUBJECTS: readonly SubjectKind[] = [engine, trigram, likeAll, likeSaid, scan]

const job = z.object({
  task: z.enum(["truth", "build", "search", "both"]),
  subject: z.string(),
  messages: z.number(),
  seed: z.number(),
  folder: z.string(),
  truth: z.string(),
  out: z.string(),
})

export type Job = z.infer<typeof job>

async function measure(given: Job): Promise<SubjectFigures> {
  const kind = SUBJECTS.find((one) => one.name === given.subject)
  if (!kind) throw new Error(`No subject is called ${given.subject}.`)
  const before = process.memoryUsage().rss
  mkdirSync(given.folder, { recursive: true })
  const subject = await kind.open(given.folder)
  const build =
    given.task === "search" ? undefined : await measureBuild(subject, corpus(given.messages, given.seed))
  const search = given.task === "build" ? undefined : await searchFigures()
  await subject.close()
  return {
    ...(build === undefined ? {} : { build }),
    ...(search === undefined ? {} : { search }),
    ...(kind.inMemory ? {} : { bytes: kind.sizeOf(given.folder) }),
  }

  function searchFigures() {
    const { expected } = truthFigures.parse(JSON.parse(readFileSync(given.truth, "utf8")))
    return measureSearch(subject, expected, { exact: kind?.exact ?? false, before })
  }
}

if (import.meta.filename === process.argv[1]) {
  const given = job.parse(JSON.parse(process.argv[2] ?? ""))
  const figures = given.task === "truth" ? truthOf(corpus(given.messages, given.seed)) : await measure(given)
  writeFileSync(given.out, JSON.stringify(figures))
}
