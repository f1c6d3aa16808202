import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import type { Job } from "./child.ts"
import { type SubjectFigures, subjectFigures, truthFigures } from "./figures.ts"
import { report } from "./report.ts"

// The benchmark: one measurement after the other, each in its own process, then the report.

const { values } = parseArgs({
  options: {
    size: { type: "string", default: "20k" },
    seed: { type: "string", default: "1" },
    only: { type: "string" },
    json: { type: "string" },
    keep: { type: "string" },
  },
})
const messages = sizeOf(values.size)
const seed = Number(values.seed)
const chosen = values.only?.split(",")
const work = values.keep ?? mkdtempSync(join(tmpdir(), "baton-bench-"))
const truth = join(work, "truth.json")

try {
  note(`corpus of ${messages} messages: right answers`)
  const corpus = truthFigures.parse(await run("truth", ""))
  const subjects = new Map<string, SubjectFigures>()
  for (const name of ["engine", "fts5", "like", "like-said", "scan"]) {
    if (chosen && !chosen.includes(name)) continue
    note(`${name}: build and search`)
    const phases = name === "scan" ? (["both"] as const) : (["build", "search"] as const)
    let figures: SubjectFigures = {}
    for (const phase of phases) figures = { ...figures, ...subjectFigures.parse(await run(phase, name)) }
    subjects.set(name, figures)
  }
  const text = report(corpus, subjects)
  process.stdout.write(text.table)
  if (values.json !== undefined)
    await Bun.write(
      values.json,
      JSON.stringify({ corpus: { ...corpus, expected: [] }, subjects: Object.fromEntries(subjects) }),
    )
  process.exitCode = text.wrong > 0 ? 1 : 0
} finally {
  if (values.keep === undefined) rmSync(work, { recursive: true, force: true })
}

async function run(task: Job["task"], subject: string): Promise<unknown> {
  const out = task === "truth" ? truth : join(work, `${subject}-${task}.json`)
  const job: Job = { task, subject, messages, seed, folder: join(work, subject), truth, out }
  const code = await new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, "child.ts"), JSON.stringify(job)], {
      stdio: ["ignore", "inherit", "inherit"],
    })
    child.on("error", reject)
    child.on("close", resolve)
  })
  if (code !== 0) throw new Error(`${subject} ${task} ended with ${String(code)}.`)
  return JSON.parse(readFileSync(out, "utf8"))
}

function note(text: string): void {
  process.stderr.write(`${text}\n`)
}

function sizeOf(text: string): number {
  const found = /^(\d+)(k|m)?$/i.exec(text)
  const unit = { k: 1_000, m: 1_000_000 }[found?.[2]?.toLowerCase() ?? ""] ?? 1
  if (!found) throw new Error(`--size is ${text}; write 20k, 200k or 1m`)
  return Number(found[1]) * unit
}
