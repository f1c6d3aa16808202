import { REQUEST_MS } from "./client.ts"
import { within } from "./wait.ts"
import type { World } from "./world.ts"

// `opencode run`: one prompt without a terminal, then the end.

export type RunSetup = {
  /** Given on standard input: as an argument the host would put quotes around it. */
  readonly prompt: string
  /** A slash command; the prompt is its arguments. */
  readonly command?: string
  readonly session?: string
  readonly format?: "default" | "json"
  readonly directory?: string
  /** Any other option. */
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
}

export type RunResult = {
  readonly pid: number
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs to the end and returns what it printed. Rejects, having ended it, after `timeoutMs`. */
export async function run(world: World, setup: RunSetup): Promise<RunResult> {
  const program = await world.start(["run", ...runArgs(setup)], {
    stdin: setup.prompt,
    ...(setup.directory === undefined ? {} : { cwd: setup.directory }),
    ...(setup.env === undefined ? {} : { env: setup.env }),
  })
  const output = () => program.stdout() + program.stderr()
  try {
    const exit = await within(
      program.exited,
      () => `opencode run goes on: ${output()}`,
      setup.timeoutMs ?? REQUEST_MS,
    )
    return { pid: program.pid, ...exit, stdout: program.stdout(), stderr: program.stderr() }
  } finally {
    await program.stop()
  }
}

function runArgs(setup: RunSetup): readonly string[] {
  const options = { command: setup.command, session: setup.session, format: setup.format }
  const given = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  )
  return [...given, ...(setup.args ?? [])]
}
