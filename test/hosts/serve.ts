import { connect, type HostClient } from "./client.ts"
import { freePort } from "./port.ts"
import type { Program } from "./program.ts"
import { waitUntil } from "./wait.ts"
import type { World } from "./world.ts"

// `opencode serve` in a world.

/** The slowest start measured here, of a terminal with both cores busy, took 12 s. */
export const START_MS = 60_000

/** Between choosing a free port and using it another program may take it. */
const PORT_TRIES = 3

export type ServeSetup = {
  /** Where the server runs; the world's project when left out. */
  readonly directory?: string
  readonly password?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export type Serve = HostClient &
  AsyncDisposable & {
    readonly pid: number
    /** What the server printed since its last start. */
    output(): string
    /** A client for another directory of the same server. */
    in(directory: string): HostClient
    /** Ends the server and all it started. SIGTERM unless told otherwise; the world's `stop` does it too. */
    stop(signal?: NodeJS.Signals): Promise<void>
    /** Stops and starts again: same port, same data. */
    restart(signal?: NodeJS.Signals): Promise<void>
  }

/** Starts a server; it answers when this resolves. The project's instance boots with the first request. */
export async function serve(world: World, setup: ServeSetup = {}): Promise<Serve> {
  const directory = setup.directory ?? world.project.directory
  const access = setup.password === undefined ? {} : { password: setup.password }
  const start = (port: number) => startOn(world, port, directory, setup)

  let { port, program } = await startAnywhere(start)
  const url = `http://127.0.0.1:${port}`
  const server: Serve = {
    ...connect({ url, directory, ...access }),
    get pid() {
      return program.pid
    },
    output: () => program.stdout() + program.stderr(),
    in: (other) => connect({ url, directory: other, ...access }),
    stop: (signal) => program.stop(signal),
    async restart(signal) {
      await program.stop(signal)
      program = await start(port)
    },
    [Symbol.asyncDispose]: () => server.stop(),
  }
  return server
}

async function startAnywhere(
  start: (port: number) => Promise<Program>,
): Promise<{ port: number; program: Program }> {
  for (let left = PORT_TRIES; ; left -= 1) {
    const port = await freePort()
    try {
      return { port, program: await start(port) }
    } catch (error) {
      if (left <= 1) throw error
    }
  }
}

async function startOn(world: World, port: number, directory: string, setup: ServeSetup): Promise<Program> {
  const args = ["serve", "--port", String(port), "--hostname", "127.0.0.1", ...(setup.args ?? [])]
  const password = setup.password === undefined ? {} : { OPENCODE_SERVER_PASSWORD: setup.password }
  const program = await world.start(args, { cwd: directory, env: { ...setup.env, ...password } })
  const output = () => program.stdout() + program.stderr()
  try {
    await waitUntil(
      () => {
        if (program.stdout().includes(`listening on http://127.0.0.1:${port}`)) return true
        if (!program.running()) throw new Error(`opencode serve ended at once: ${output()}`)
        return undefined
      },
      () => `opencode serve does not listen: ${output()}`,
      START_MS,
    )
  } catch (error) {
    await program.stop()
    throw error
  }
  return program
}
