import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { measureAnswers } from "./answers/measure.ts"
import { proseSessions } from "./answers/prose.ts"
import { measureAppends, measureBaselineAppends } from "./append.ts"
import { corpus } from "./corpus/corpus.ts"
import { measureCommand } from "./command.ts"
import { measureDefinitions } from "./definitions.ts"
import { type SubjectFigures, truthFigures } from "./figures.ts"
import { type Job, readJob } from "./job.ts"
import { measureLoad } from "./load.ts"
import { measureBuild, measureSearch, QUERY_MS } from "./measure.ts"
import { measureReads } from "./reads.ts"
import { exported, hasRipgrep, measureRipgrep } from "./ripgrep.ts"
import { SUBJECTS } from "./subjects/index.ts"
import { truthOf } from "./truth.ts"

// One measurement in a process of its own, so that memory and processor time belong to it alone.

const ROOT = join(import.meta.dirname, "..")
const PLUGIN = join(ROOT, "dist", "plugin.js")

const job = readJob(process.argv[2])
mkdirSync(job.folder, { recursive: true })
const figures = await measure(job)
writeFileSync(job.out, JSON.stringify(figures ?? null))
process.exit(0)

async function measure(given: Job): Promise<unknown> {
  const work = dirname(given.out)
  const made = corpus(given.messages, given.seed)
  if (given.task === "truth") return truthOf(made)
  if (given.task === "append") return measureAppends(given.folder, given.seed)
  if (given.task === "baseline append") return measureBaselineAppends(given.folder, given.seed)
  if (given.task === "reads") return measureReads(given.folder, made)
  if (given.task === "load") return measureLoad(PLUGIN, work)
  if (given.task === "definitions") return measureDefinitions(PLUGIN, join(work, "load-data"))
  if (given.task === "answers")
    return measureAnswers(given.folder, proseSessions(join(ROOT, "node_modules"), given.seed), given.seed)
  if (given.task === "command")
    return measureCommand({
      command: join(ROOT, "dist", "baton.js"),
      runtimes: {
        Node: join(ROOT, "node_modules", "node", "bin", "node"),
        Bun: process.execPath,
      },
      dataDir: join(work, "engine"),
      work,
      ...(hasRipgrep() ? { exported: exported(made, given.folder) } : {}),
    })
  if (given.task === "ripgrep") return measureRipgrep(made, given.folder)
  return measureSubject(given)
}

async function measureSubject(given: Job): Promise<SubjectFigures> {
  const kind = SUBJECTS.find((one) => one.name === given.subject)
  if (!kind) throw new Error(`No subject is called ${given.subject}.`)
  const before = process.memoryUsage().rss
  const subject = await kind.open(given.folder)
  const made = corpus(given.messages, given.seed)
  const build =
    given.task === "search" ? undefined : await measureBuild(kind, subject, made, `${given.folder}-apart`)
  const search =
    given.task === "build"
      ? undefined
      : await measureSearch(subject, right(), { ...kind, before, queryMs: QUERY_MS })
  await subject.close()
  return {
    ...(build === undefined ? {} : { build }),
    ...(search === undefined ? {} : { search }),
    ...(kind.inMemory ? {} : { bytes: kind.sizeOf(given.folder) }),
  }

  function right() {
    return truthFigures.parse(JSON.parse(readFileSync(given.truth, "utf8"))).expected
  }
}
