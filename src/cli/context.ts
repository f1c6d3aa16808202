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
  const { options, problems } = settingsFor(setup.env, setup.directory)
  for (const problem of problems) setup.output.complain(`baton: ${problem}`)
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
