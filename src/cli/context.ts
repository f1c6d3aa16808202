import type { Options } from "../config/options.ts"
import type { History } from "../history/contract.ts"
import { openHistoryHere } from "../history/here.ts"
import { hostDataDir } from "../hosts/data-dir.ts"
import type { Output } from "./output.ts"
import { settingsFor } from "./settings.ts"

// What every command is given: where it runs, how it speaks, and the index, opened when it is first asked.

type Environment = Readonly<Record<string, string | undefined>>

export type Context = {
  readonly env: Environment
  readonly directory: string
  readonly output: Output
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  readonly now: () => number
  /** The plugin's options from OpenCode's config, `--data-dir` applied. */
  readonly options: Options
  /** What is wrong in them, a line each; told by the commands that go by them. */
  readonly problems: readonly string[]
  /** Why it is not known what is excluded. */
  readonly excludeUnknown?: string
  readonly dataDir: string
  /** The same index every time; it is closed when the command ends. */
  history(): History
  close(): Promise<void>
}

export type ContextSetup = {
  readonly env: Environment
  readonly directory: string
  readonly output: Output
  readonly signal: AbortSignal
  /** `--data-dir`. */
  readonly dataDir?: string | undefined
  readonly now?: () => number
}

/** Longest stretch of work while a key press or Ctrl-C waits. */
const SLICE_MS = 15

export function makeContext(setup: ContextSetup): Context {
  const { options, problems, excludeUnknown } = settingsFor(setup.env, setup.directory)
  // An empty variable is no folder, least of all the one we stand in.
  const dataDir = setup.dataDir || options.dataDir || hostDataDir(setup.env)
  let opened: History | undefined
  return {
    env: setup.env,
    directory: setup.directory,
    output: setup.output,
    signal: setup.signal,
    now: setup.now ?? Date.now,
    options,
    problems,
    ...(excludeUnknown === undefined ? {} : { excludeUnknown }),
    dataDir,
    history() {
      opened ??= openHistoryHere({ dataDir, maskSecrets: options.maskSecrets, sliceMs: SLICE_MS })
      return opened
    },
    async close() {
      await opened?.close()
    },
  }
}

/** Tells what is wrong in the options, before anything is done by them. */
export function tellProblems({ problems, output }: Pick<Context, "problems" | "output">): void {
  for (const problem of problems) output.complain(`baton: ${problem}`)
}
