import { spawnSync } from "node:child_process"
import { closeSync, existsSync, openSync, renameSync, writeSync } from "node:fs"
import { join } from "node:path"
import type { Corpus } from "./corpus/corpus.ts"
import { documentsOf } from "./document.ts"
import type { RipgrepFigures } from "./figures.ts"
import { QUERIES } from "./queries.ts"

// ripgrep over an export of the history, a line a message: one pass a word, nothing joined. Its answer is a count of
// lines, so it is not compared with the truth.

const RUNS = 3

/** Undefined where there is no `rg`. */
export function measureRipgrep(corpus: Corpus, work: string): RipgrepFigures | undefined {
  if (!hasRipgrep()) return undefined
  const file = exported(corpus, work)
  return QUERIES.filter((query) => query.words.length > 0 && query.kind === "search").map((query) => {
    const samples = Array.from({ length: RUNS }, () => {
      const started = performance.now()
      for (const word of [...query.words, ...query.excluded])
        spawnSync("rg", ["-c", "-i", "-F", "--", word, file], { stdio: "ignore" })
      return performance.now() - started
    })
    return { id: query.id, class: query.class, samples }
  })
}

export function hasRipgrep(): boolean {
  return spawnSync("rg", ["--version"]).error === undefined
}

/** The export's file; made once in a folder. */
export function exported(corpus: Corpus, folder: string): string {
  const file = join(folder, "export.jsonl")
  if (existsSync(file)) return file
  const out = openSync(`${file}.part`, "w")
  for (const session of corpus.sessions()) {
    for (const row of documentsOf(session).rows)
      writeSync(out, `${JSON.stringify({ id: row.id, text: row.text })}\n`)
  }
  closeSync(out)
  renameSync(`${file}.part`, file)
  return file
}
