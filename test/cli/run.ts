import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { History } from "../../src/history/contract.ts"
import { createEngine } from "../../src/history/engine.ts"
import { storeCorpus } from "./corpus.ts"

// The command as a process of its own, under the runtime that runs the test; in a private folder.

/** Its source, or the built command that `npm test` names under Node: what users run there. */
export const ENTRY =
  process.env["BATON_TEST_COMMAND"] ?? fileURLToPath(new URL("../../src/cli/baton.ts", import.meta.url))

export type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

export type Place = {
  readonly root: string
  /** A project with a repository, another one beside it, and the index's data folder. */
  readonly here: string
  readonly other: string
  readonly data: string
  readonly config: string
  readonly env: Readonly<Record<string, string>>
  /** Runs it with these arguments; in `here` unless told otherwise. */
  run(args: readonly string[], more?: RunOptions): Promise<Ran>
  /** The command line of a run, for a terminal. */
  command(args: readonly string[]): readonly string[]
  remove(): void
}

export type RunOptions = {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly runtime?: string
}

/** An empty place. */
export function aPlace(): Place {
  const root = mkdtempSync(join(tmpdir(), "baton-cli-"))
  const [here, other, data] = [join(root, "here"), join(root, "other"), join(root, "data")]
  mkdirSync(join(here, ".git"), { recursive: true })
  mkdirSync(join(here, "src"))
  mkdirSync(other)
  mkdirSync(join(root, "home"))
  const env = {
    PATH: process.env["PATH"] ?? "",
    LANG: "C.UTF-8",
    HOME: join(root, "home"),
    XDG_CONFIG_HOME: join(root, "config"),
    XDG_DATA_HOME: join(root, "share"),
    BATON_DATA_DIR: data,
    TMPDIR: root,
    TZ: "UTC",
    TERM: "xterm-256color",
  }
  return {
    root,
    here,
    other,
    data,
    config: join(root, "config", "opencode"),
    env,
    run: (args, more = {}) => runBaton(args, { cwd: here, ...more, env: { ...env, ...more.env } }),
    command: (args) => [process.execPath, ENTRY, ...args],
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

/** A place with the small history in its index. */
export async function aStockedPlace(): Promise<Place> {
  const place = aPlace()
  const history = indexAt(place)
  await storeCorpus(history, place)
  await history.close()
  return place
}

export function indexAt(place: Pick<Place, "data">): History {
  return createEngine({ dataDir: place.data, maskSecrets: true, sliceMs: 10, runs: "in-process" })
}

/** Runs the command with these arguments, under this runtime unless told otherwise. */
export function runBaton(
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly runtime?: string },
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(options.runtime ?? process.execPath, [ENTRY, ...args], {
      cwd: options.cwd,
      env: options.env,
      stdio: ["ignore", "pipe", "pipe"],
    })
    let stdout = ""
    let stderr = ""
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk))
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk))
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, stdout, stderr }))
  })
}
