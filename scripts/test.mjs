// `npm test`: everything that CI runs, in order from quick to slow. `--only a,b` runs some of the steps.
// Ends with one line, `N passed, N failed`: tests and checks counted together.
import { spawn } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { root } from "./paths.mjs"
import { ensureDependencies, tool } from "./setup.mjs"

ensureDependencies()
const { ensureOpencode } = await import("./opencode.mjs")

/** Folders of tests that start the real host: mostly waiting, so several files run side by side. */
const hostFolders = ["test/hosts", "test/v1", "test/package"]

/** Files that load the machine on purpose: these run alone, last. */
const aloneFiles = ["test/v1/draft-repeat.test.ts"]

/** Host files at a time. More than this and the hosts wait for the two cores instead of for each other. */
const HOST_FILES_AT_ONCE = 3

const steps = {
  format: () => check(tool("oxfmt"), ["--check"]),
  lint: () => check(tool("oxlint"), ["--type-aware", "--deny-warnings"]),
  types: () => check(tool("tsc"), ["--noEmit", "-p", "."]),
  unused: () => check(tool("knip"), []),
  build: () => check(process.execPath, ["scripts/build.mjs"]),
  unit: () =>
    tests(tool("bun"), ["test", "--timeout", "60000", ...unitFiles().map((file) => `./${file}`)], bunCounts),
  "unit-node": () => tests(tool("node"), ["--test", ...unitFiles()], nodeCounts),
  hosts: hostTests,
}

const only = process.argv[process.argv.indexOf("--only") + 1]?.split(",")
const chosen = process.argv.includes("--only") ? only : Object.keys(steps)
const unknown = chosen.find((name) => steps[name] === undefined)
if (unknown !== undefined) {
  console.error(`unknown step "${unknown}": choose from ${Object.keys(steps).join(", ")}`)
  process.exit(2)
}

let passed = 0
let failed = 0
for (const name of chosen) {
  console.log(`\n=== ${name}`)
  const started = Date.now()
  const counts = await steps[name]()
  passed += counts.passed
  failed += counts.failed
  console.log(
    `--- ${name}: ${counts.failed === 0 ? "ok" : "FAILED"} (${((Date.now() - started) / 1000).toFixed(1)} s)`,
  )
}
console.log(`\n${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)

function testFiles() {
  return readdirSync(join(root, "test"), { recursive: true })
    .map((file) => `test/${file}`.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".test.ts"))
    .sort()
}

function isHostFile(file) {
  return hostFolders.some((folder) => file.startsWith(`${folder}/`))
}

function unitFiles() {
  return testFiles().filter((file) => !isHostFile(file))
}

async function hostTests() {
  await ensureOpencode()
  const files = testFiles().filter(isHostFile)
  const together = await inTurn(
    files.filter((file) => !aloneFiles.includes(file)),
    HOST_FILES_AT_ONCE,
  )
  const alone = await inTurn(
    files.filter((file) => aloneFiles.includes(file)),
    1,
  )
  return { passed: together.passed + alone.passed, failed: together.failed + alone.failed }
}

/** Runs each file in a process of its own, `atOnce` of them at a time. */
async function inTurn(files, atOnce) {
  const waiting = [...files]
  const sum = { passed: 0, failed: 0 }
  const worker = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const counts = await tests(tool("bun"), ["test", "--timeout", "240000", `./${file}`], bunCounts, true)
      sum.passed += counts.passed
      sum.failed += counts.failed
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return sum
}

async function check(command, args) {
  const { code } = await run(command, args)
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

/** A run whose exit code or counts are off is a failure, also when it counted no failed test. */
async function tests(command, args, read, whole = false) {
  const { code, output } = await run(command, args, whole)
  const counts = read(output)
  if (counts.passed === 0 || (code !== 0 && counts.failed === 0))
    return { ...counts, failed: counts.failed + 1 }
  return counts
}

function bunCounts(output) {
  return { passed: last(output, /^\s*(\d+) pass$/gm), failed: last(output, /^\s*(\d+) fail$/gm) }
}

function nodeCounts(output) {
  return { passed: last(output, /^\S+ pass (\d+)$/gm), failed: last(output, /^\S+ fail (\d+)$/gm) }
}

function last(output, pattern) {
  return Number([...output.matchAll(pattern)].at(-1)?.[1] ?? 0)
}

/** `whole`: what it prints is shown in one piece at its end, because others print at the same time. */
function run(command, args, whole = false) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0" },
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8")
      stream.on("data", (text) => {
        output += text
        if (!whole) process.stdout.write(text)
      })
    }
    child.on("error", (error) => {
      console.error(`${command}: ${error.message}`)
      resolve({ code: 1, output })
    })
    child.on("close", (code) => {
      if (whole) process.stdout.write(output)
      resolve({ code, output })
    })
  })
}
