// The tests as jobs for `npm test`: which files run together, under which runtime, and what comes first.
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { bundleNodeTests } from "./node-tests.mjs"
import { root } from "./paths.mjs"
import { tool } from "./setup.mjs"

/** The names that `--only` takes, with what makes their jobs. */
export const suites = { hosts: hostJobs, unit: unitJobs, "unit-node": nodeJobs }

/** Folders of tests that start the real host: a process of its own for each file. */
const hostFolders = ["test/hosts", "test/v1", "test/package"]

/** It keeps both cores busy: beside the unit tests, after the host's other files, of which some measure the host. */
const busyFile = "test/v1/draft-repeat.test.ts"

/** Files that compare speeds, also a busy host's with an idle one's: these run alone, last. */
const aloneFiles = ["test/bench/quick.test.ts", "test/v1/history-faults.test.ts"]

/** Longest first, so that no worker is left with one of them at the end; what is not named takes half a minute. */
const longest = [
  "test/v2 (Node 22)",
  "test/history (Node 22)",
  "test/v2",
  "test/regular-expressions.test.ts",
  "test/v1/draft-terminal.test.ts",
  "test/v1/injection.test.ts",
  "test/history",
  "test/cli (Node 22)",
  "test/cli",
  "test/v1/read-session.test.ts",
  "test/v1/baton-index.test.ts",
  "test/v1/sync.test.ts",
  "test/hosts/harness.test.ts",
  "test/v1/history-live.test.ts",
  "test/v1/history-projects.test.ts",
]

/**
 * Folders of pure code in which the runtimes do not differ: these run under one of them. Text and queries run under
 * both, because regular expressions, Unicode tables and time zones are the runtime's own.
 */
const pureFolders = ["config", "reading", "session", "tools"].map((name) => `test/${name}`)

/** Files that read the source and judge it: what they say does not depend on the runtime. */
const sourceFiles = ["test/architecture.test.ts", "test/regular-expressions.test.ts"]

/** `jobs`, in the order in which they are to begin. */
export function inOrder(jobs) {
  return jobs.toSorted((a, b) => rank(a.name) - rank(b.name))
}

function hostJobs() {
  const files = testFiles().filter(isHostFile)
  const jobs = [...files.filter((file) => file !== busyFile), busyFile].map(bunJob)
  return jobs.map((job) => ({ ...job, needsHost: true }))
}

function unitJobs() {
  return [...unitFolders()].map(([folder, files]) => ({ ...bunJob(folder), args: bunArgs(60_000, files) }))
}

async function nodeJobs() {
  const folders = [...unitFolders()].filter(([folder]) => !aloneFiles.includes(folder) && !isPure(folder))
  const bundled = await bundleNodeTests(folders.flatMap(([, files]) => files))
  return folders.map(([folder, files]) => ({
    name: `${folder} (Node 22)`,
    command: tool("node"),
    args: [
      "--enable-source-maps",
      "--test",
      "--test-concurrency=1",
      ...files.map((file) => bundled.get(file)),
    ],
    env: { BATON_TEST_COMMAND: join(root, "dist", "baton.js") },
    read: nodeCounts,
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
  return pureFolders.includes(folder) || sourceFiles.includes(folder)
}

function rank(name) {
  const at = longest.indexOf(name)
  return at === -1 ? longest.length : at
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
