import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { cpus, loadavg, release, tmpdir, totalmem, type } from "node:os"
import { join } from "node:path"
import { drawChart } from "./chart.ts"
import { wrongAnswers } from "./checks.ts"
import * as read from "./figures.ts"
import { type Job, runJob } from "./job.ts"
import { HELP, readOptions } from "./options.ts"
import { report } from "./report.ts"

// The benchmark: one measurement after the other, each in its own process, then the report.

const options = readOptions(process.argv.slice(2))
if (typeof options === "string") {
  process.stderr.write(`${options}\n`)
  process.exit(options === HELP ? 0 : 2)
}
const { messages, seed, parts, notes } = options
const work = options.folder ?? mkdtempSync(join(tmpdir(), "baton-bench-"))
mkdirSync(work, { recursive: true })
const node = join(import.meta.dirname, "..", "node_modules", ".bin", "node")
const loadBefore = loadavg()[0] ?? 0

try {
  const run = await measureAll()
  const smaller = options.growth === undefined ? undefined : readRun(options.growth)
  process.stdout.write(`${report(run, smaller)}\n`)
  if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(run))
  if (options.chart !== undefined) writeFileSync(options.chart, drawChart(run))
  process.exitCode = wrongAnswers(run, "wrong").length > 0 ? 1 : 0
} finally {
  if (options.folder === undefined) rmSync(work, { recursive: true, force: true })
}

async function measureAll(): Promise<read.RunFigures> {
  const { expected: _, ...corpus } = read.truthFigures.parse(await measure("truth", "corpus"))
  const subjects: Record<string, read.SubjectFigures> = {}
  if (parts.has("engine")) subjects["engine"] = await subject("engine")
  if (parts.has("node")) subjects["engine on Node"] = await subject("engine", node)
  for (const name of ["fts5", "like", "like-said", "scan"])
    if (parts.has(name)) subjects[name] = await subject(name)
  const figures = {
    ...(parts.has("reads") ? { reads: read.readFigures.parse(await measure("reads", "engine")) } : {}),
    ...(parts.has("append") ? { append: read.appendFigures.parse(await measure("append", "engine")) } : {}),
    ...(parts.has("append") && parts.has("fts5")
      ? { baselineAppend: read.appendFigures.parse(await measure("baseline append", "fts5")) }
      : {}),
    ...(parts.has("command") ? await command() : {}),
    ...(parts.has("load") ? { load: read.loadFigures.parse(await measure("load", "plugin")) } : {}),
    ...(parts.has("definitions")
      ? { definitions: read.definitionFigures.parse(await measure("definitions", "plugin")) }
      : {}),
    ...(parts.has("answers")
      ? { answers: read.answerFigures.parse(await measure("answers", "answers")) }
      : {}),
    ...(parts.has("rg") ? await ripgrep() : {}),
  }
  return {
    machine: machine(),
    command: commandLine(),
    date: new Date().toISOString(),
    seed,
    corpus,
    subjects,
    ...figures,
    notes,
  }
}

/** A new process for searching: its memory is that of searching alone. */
async function subject(name: string, runtime = process.execPath): Promise<read.SubjectFigures> {
  const tasks: readonly Job["task"][] = name === "scan" ? ["build and search"] : ["build", "search"]
  let figures: read.SubjectFigures = {}
  for (const task of tasks)
    figures = { ...figures, ...read.subjectFigures.parse(await measure(task, name, runtime)) }
  return figures
}

async function command() {
  const figures = read.commandFigures.parse(await measure("command", "ripgrep"))
  if (!figures.some((row) => row.by === "ripgrep"))
    notes.push("`baton search` was not compared with ripgrep: there is no `rg` here")
  return { baton: figures }
}

async function ripgrep() {
  const figures = read.ripgrepFigures.nullable().parse(await measure("ripgrep", "ripgrep"))
  if (figures === null) notes.push("ripgrep was left out: there is no `rg` here")
  return figures === null ? {} : { ripgrep: figures }
}

function measure(task: Job["task"], name: string, runtime = process.execPath): Promise<unknown> {
  const folder = join(work, runtime === node ? `${name}-node` : name)
  process.stderr.write(`${name}: ${task}${runtime === node ? " (Node)" : ""} …\n`)
  const truth = join(work, "truth.json")
  const out = task === "truth" ? truth : join(work, "figures.json")
  return runJob({ task, subject: name, messages, seed, folder, truth, out }, runtime)
}

function readRun(file: string): read.RunFigures {
  return read.runFigures.parse(JSON.parse(readFileSync(file, "utf8")))
}

function machine(): read.RunFigures["machine"] {
  const [first] = cpus()
  return {
    processor: first?.model ?? "unknown",
    cores: cpus().length,
    memoryBytes: totalmem(),
    system: `${type()} ${release()}`,
    bun: process.versions["bun"] ?? "none",
    load: [loadBefore, loadavg()[0] ?? 0],
  }
}

function commandLine(): string {
  return ["npm run bench --", ...process.argv.slice(2)].join(" ")
}
