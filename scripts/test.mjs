// `npm test`: everything that CI runs: the checks, then the tests, several files at a time. `--only a,b` runs some of
// the steps. A failed job is shown whole. Ends with one line, `N passed, N failed`: tests and checks counted together.
import { spawn } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { root } from "./paths.mjs"
import { ensureDependencies, tool } from "./setup.mjs"

ensureDependencies()
const { ensureOpencode } = await import("./opencode.mjs")

/** Folders of tests that start the real host: a process of its own for each file. */
const hostFolders = ["test/hosts", "test/v1", "test/package"]

/** It keeps both cores busy: beside the unit tests, after the host's other files, of which some measure the host. */
const busyFile = "test/v1/draft-repeat.test.ts"

/** Files that compare speeds: these run alone, last. */
const aloneFiles = ["test/bench/quick.test.ts"]

/** Longest first, so that no worker is left with one of them at the end; what is not named takes half a minute. */
const longest = [
  "test/v1/draft-terminal.test.ts",
  "test/v1/history-faults.test.ts",
  "test/v1/injection.test.ts",
  "test/cli (Node 22)",
  "test/hosts/harness.test.ts",
  "test/v2",
  "test/v2 (Node 22)",
  "test/v1/read-session.test.ts",
  "test/v1/history-live.test.ts",
  "test/v1/history-projects.test.ts",
  "test/v1/baton-index.test.ts",
]

/**
 * Folders of pure code in which the runtimes do not differ: these run under one of them. Text and queries run under
 * both, because regular expressions, Unicode tables and time zones are the runtime's own.
 */
const pureFolders = ["config", "reading", "session", "tools"].map((name) => `test/${name}`)

/** Tests mostly wait, for hosts, terminals and each other: more jobs than the two cores of a CI machine. */
const JOBS_AT_ONCE = 4

const checks = {
  format: [tool("oxfmt"), "--check"],
  lint: [tool("oxlint"), "--type-aware", "--deny-warnings"],
  types: [tool("tsc"), "--noEmit", "-p", "."],
  unused: [tool("knip")],
  build: [process.execPath, "scripts/build.mjs"],
}

const suites = { hosts: hostJobs, unit: unitJobs, "unit-node": nodeJobs }

const known = [...Object.keys(checks), ...Object.keys(suites)]
const at = process.argv.indexOf("--only")
const chosen = at === -1 ? known : (process.argv[at + 1] ?? "").split(",")
const unknown = chosen.find((name) => !known.includes(name))
if (unknown !== undefined) {
  console.error(`unknown step "${unknown}": choose from ${known.join(", ")}`)
  process.exit(2)
}

const running = new Set()
let ending = false
for (const [signal, number] of [
  ["SIGHUP", 1],
  ["SIGINT", 2],
  ["SIGTERM", 15],
])
  process.once(signal, () => void endAll(signal, 128 + number))

const sum = { passed: 0, failed: 0 }
for (const [name, [command, ...args]] of Object.entries(checks)) {
  if (!chosen.includes(name)) continue
  await report(name, async () => {
    const { code } = await run(command, args)
    return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
  })
}
const jobs = Object.entries(suites)
  .flatMap(([name, list]) => (chosen.includes(name) ? list() : []))
  .sort((a, b) => rank(a.name) - rank(b.name))
if (jobs.length > 0) await ensureOpencode()
await Promise.all(Array.from({ length: JOBS_AT_ONCE }, () => work(jobs.filter((job) => !job.alone))))
await work(jobs.filter((job) => job.alone))

console.log(`\n${sum.passed} passed, ${sum.failed} failed`)
process.exit(sum.failed === 0 ? 0 : 1)

/** Takes one job after the other until none is left; several workers share the jobs. */
async function work(list) {
  for (const job of list) {
    if (job.taken || ending) continue
    job.taken = true
    await report(job.name, () => tests(job))
  }
}

async function report(name, step) {
  const started = Date.now()
  const counts = await step()
  sum.passed += counts.passed
  sum.failed += counts.failed
  const seconds = ((Date.now() - started) / 1000).toFixed(1)
  // A test that needs a program this machine lacks (a shell, tmux) is left out, and seen to be.
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} SKIPPED` : ""
  const verdict = counts.failed === 0 ? "ok" : "FAILED"
  console.log(`--- ${name}: ${verdict}, ${counts.passed} passed${skipped} (${seconds} s)`)
}

function hostJobs() {
  const files = testFiles().filter(isHostFile)
  return [...files.filter((file) => file !== busyFile), busyFile].map(bunJob)
}

function unitJobs() {
  return [...unitFolders()].map(([folder, files]) => ({ ...bunJob(folder), args: bunArgs(60_000, files) }))
}

function nodeJobs() {
  return [...unitFolders()]
    .filter(([folder]) => !aloneFiles.includes(folder) && !isPure(folder))
    .map(([folder, files]) => ({
      name: `${folder} (Node 22)`,
      command: tool("node"),
      args: ["--test", "--test-concurrency=1", ...files],
      read: nodeCounts,
      alone: false,
    }))
}

/** Files by folder: each has enough in it to be worth a process, and slow ones run beside the others. */
function unitFolders() {
  const folders = new Map()
  for (const file of testFiles().filter((one) => !isHostFile(one))) {
    const folder = aloneFiles.includes(file) ? file : file.split("/").slice(0, 2).join("/")
    folders.set(folder, [...(folders.get(folder) ?? []), file])
  }
  return folders
}

function bunJob(name) {
  return {
    name,
    command: tool("bun"),
    args: bunArgs(240_000, [name]),
    read: bunCounts,
    alone: aloneFiles.includes(name),
  }
}

function bunArgs(timeoutMs, files) {
  return ["test", "--timeout", String(timeoutMs), ...files.map((file) => `./${file}`)]
}

function testFiles() {
  return readdirSync(join(root, "test"), { recursive: true })
    .map((file) => `test/${file}`.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".test.ts"))
    .sort()
}

function isHostFile(file) {
  return hostFolders.some((folder) => file.startsWith(`${folder}/`))
}

function isPure(folder) {
  return pureFolders.includes(folder) || folder === "test/architecture.test.ts"
}

function rank(name) {
  const at = longest.indexOf(name)
  return at === -1 ? longest.length : at
}

/** A run whose exit code or counts are off is a failure, also when it counted no failed test. */
async function tests(job) {
  const { code, output } = await run(job.command, job.args, true)
  const counts = job.read(output)
  const broken = counts.passed === 0 || (code !== 0 && counts.failed === 0)
  if (broken || counts.failed > 0) console.log(output)
  return broken ? { ...counts, failed: counts.failed + 1 } : counts
}

function bunCounts(output) {
  return {
    passed: last(output, /^\s*(\d+) pass$/gm),
    failed: last(output, /^\s*(\d+) fail$/gm),
    skipped: last(output, /^\s*(\d+) skip$/gm),
  }
}

function nodeCounts(output) {
  return {
    passed: last(output, /^\S+ pass (\d+)$/gm),
    failed: last(output, /^\S+ fail (\d+)$/gm),
    skipped: last(output, /^\S+ skipped (\d+)$/gm),
  }
}

function last(output, pattern) {
  return Number([...output.matchAll(pattern)].at(-1)?.[1] ?? 0)
}

/** Whoever ends this process alone leaves no test behind; the tests end the hosts and terminals they started. */
async function endAll(signal, code) {
  ending = true
  const ended = [...running].map((child) => new Promise((resolve) => child.once("close", resolve)))
  for (const child of running) child.kill(signal)
  await Promise.all(ended)
  process.exit(code)
}

/** `quiet`: what it prints is only returned, because other jobs run at the same time. */
function run(command, args, quiet = false) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0" },
    })
    running.add(child)
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8")
      stream.on("data", (text) => {
        output += text
        if (!quiet) process.stdout.write(text)
      })
    }
    child.on("error", (error) => {
      console.error(`${command}: ${error.message}`)
      resolve({ code: 1, output })
    })
    child.on("close", (code) => {
      running.delete(child)
      resolve({ code, output })
    })
  })
}
