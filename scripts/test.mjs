// `npm test`: everything that CI runs, checks and tests, several jobs at a time. `--only a,b` runs some of the steps. A
// failed job is shown whole. Ends with one line, `N passed, N failed`: tests and checks counted together.
import { spawn } from "node:child_process"
import { root } from "./paths.mjs"
import { ensureDependencies, tool } from "./setup.mjs"

ensureDependencies()
const { buildPackage } = await import("./build.mjs")
const { ensureOpencode } = await import("./opencode.mjs")
const { inOrder, suites } = await import("./test-jobs.mjs")

/** Tests mostly wait, for hosts, terminals and each other: more jobs than the two cores of a CI machine. */
const JOBS_AT_ONCE = 4

const checks = {
  format: [tool("oxfmt"), "--check"],
  lint: [tool("oxlint"), "--type-aware", "--deny-warnings"],
  types: [tool("tsc"), "--noEmit", "-p", "."],
  unused: [tool("knip")],
}

const known = ["build", ...Object.keys(checks), ...Object.keys(suites)]
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
const chosenSuites = Object.keys(suites).filter((name) => chosen.includes(name))
// Tests run what is built: they never see a build older than the source.
if (chosen.includes("build") || chosenSuites.length > 0) await report("build", built)
const made = await Promise.all(chosenSuites.map((name) => suites[name]()))
const jobs = [...checkJobs(), ...inOrder(made.flat())]
const host = jobs.some((job) => job.needsHost) ? installedHost() : undefined
await Promise.all(Array.from({ length: JOBS_AT_ONCE }, () => work(jobs.filter((job) => !job.alone))))
await work(jobs.filter((job) => job.alone))

console.log(`\n${sum.passed} passed, ${sum.failed} failed`)
process.exit(sum.failed === 0 ? 0 : 1)

/** Takes one job after the other until none is left; several workers share the jobs. */
async function work(list) {
  for (;;) {
    const waiting = list.filter((job) => job.taken !== true)
    if (ending || waiting.length === 0) return
    const job = waiting.find((one) => one.needsHost !== true || host.ready)
    if (job === undefined) await host.installed
    else {
      job.taken = true
      await report(job.name, () => outcome(job))
    }
  }
}

/** OpenCode is fetched beside the jobs that need none. */
function installedHost() {
  const state = { ready: false }
  state.installed = ensureOpencode().then(
    () => (state.ready = true),
    async (error) => {
      console.error(error.message)
      await endAll("SIGTERM", 1)
    },
  )
  return state
}

async function built() {
  try {
    await buildPackage()
    return { passed: 1, failed: 0 }
  } catch (error) {
    console.error(error.message)
    process.exit(1)
  }
}

function checkJobs() {
  return Object.entries(checks)
    .filter(([name]) => chosen.includes(name))
    .map(([name, [command, ...args]]) => ({ name, command, args }))
}

async function report(name, step) {
  const started = Date.now()
  const counts = await step()
  // What was ended has no verdict.
  if (ending) return
  sum.passed += counts.passed
  sum.failed += counts.failed
  const seconds = ((Date.now() - started) / 1000).toFixed(1)
  // A test that needs a program this machine lacks (a shell, tmux) is left out, and seen to be.
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} SKIPPED` : ""
  const verdict = counts.failed === 0 ? "ok" : "FAILED"
  console.log(`--- ${name}: ${verdict}, ${counts.passed} passed${skipped} (${seconds} s)`)
}

/** A run whose exit code or counts are off is a failure, also when it counted no failed test. A check counts as one. */
async function outcome(job) {
  const { code, output } = await run(job)
  const counts = job.read?.(output) ?? { passed: code === 0 ? 1 : 0, failed: 0 }
  const broken = counts.passed === 0 || (code !== 0 && counts.failed === 0)
  if (!ending && (broken || counts.failed > 0)) console.log(output)
  return broken ? { ...counts, failed: counts.failed + 1 } : counts
}

/** Whoever ends this process alone leaves no test behind; the tests end the hosts and terminals they started. */
async function endAll(signal, code) {
  ending = true
  const ended = [...running].map((child) => new Promise((resolve) => child.once("close", resolve)))
  for (const child of running) child.kill(signal)
  await Promise.all(ended)
  process.exit(code)
}

/** What it prints is only returned, because other jobs run at the same time. */
function run({ command, args, env }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0", ...env },
    })
    running.add(child)
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8")
      stream.on("data", (text) => (output += text))
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
