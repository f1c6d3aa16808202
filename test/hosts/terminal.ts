import { connect, type HostClient } from "./client.ts"
import { freePort } from "./port.ts"
import { LOOK_EVERY_MS, openTmux } from "./tmux.ts"
import { WAIT_MS, waitUntil } from "./wait.ts"
import { START_MS } from "./serve.ts"
import type { World } from "./world.ts"

// OpenCode's real terminal UI, on a real terminal (tmux): keys go in, the screen comes out.

/** Wide enough for a sidebar, high enough for a draft of some lines. */
export const SCREEN = { columns: 120, rows: 40 } as const

/** Under the prompt of both screens, and drawn with it: from here on keys arrive in the prompt. */
const READY = /ctrl\+p commands/

export type TerminalSetup = {
  /** Where it runs; the world's project when left out. */
  readonly directory?: string
  /** The URL of a running server: `opencode attach`. */
  readonly attach?: string
  readonly password?: string
  /** Opens this session. */
  readonly session?: string
  /** Serves HTTP as well (`--port`); `client` then talks to it. */
  readonly http?: boolean
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly columns?: number
  readonly rows?: number
}

/** A text to be seen, a pattern, or a check of the whole screen. */
export type Sight = string | RegExp | ((screen: string) => boolean)

export type Terminal = AsyncDisposable & {
  readonly pid: number
  /** Of the server this terminal is attached to or serves itself; throws when there is neither. */
  readonly client: HostClient
  /** Types on the keyboard: no line breaks. */
  type(text: string): Promise<void>
  /** Pastes (bracketed), line breaks included. The UI folds a long paste to "[Pasted ~N lines]". */
  paste(text: string): Promise<void>
  /** Presses keys by tmux name: "Enter", "C-c", "Escape", "Up", "BSpace". */
  keys(...names: readonly string[]): Promise<void>
  /** The screen as text, one line a row. */
  screen(): Promise<string>
  /** The first screen that shows it. Rejects with the last screen when it never does. */
  waitForScreen(sight: Sight, timeoutMs?: number): Promise<string>
  /** Resolves once the program ended by itself. */
  waitForEnd(timeoutMs?: number): Promise<void>
  /** Ends it and all it started; the world's `stop` does it too. */
  stop(): Promise<void>
}

/** Opens a terminal; its prompt takes keys when this resolves. */
export async function terminal(world: World, setup: TerminalSetup = {}): Promise<Terminal> {
  const directory = setup.directory ?? world.project.directory
  const port = setup.http === true ? await freePort() : undefined
  const url = setup.attach ?? (port === undefined ? undefined : `http://127.0.0.1:${port}`)
  const access = setup.password === undefined ? {} : { password: setup.password }
  const pane = await openTmux({
    command: [world.opencode, ...terminalArgs(setup, directory, port)],
    cwd: directory,
    env: {
      ...world.env,
      ...setup.env,
      ...(setup.password === undefined ? {} : { OPENCODE_SERVER_PASSWORD: setup.password }),
      PWD: directory,
      TERM: "xterm-256color",
      COLORTERM: "truecolor",
      TMUX_TMPDIR: world.root,
    },
    columns: setup.columns ?? SCREEN.columns,
    rows: setup.rows ?? SCREEN.rows,
  })
  const releases = [pane.serverPid, pane.pid].map((pgid) => world.adopt(pgid))
  const stop = async () => {
    await pane.stop()
    for (const release of releases) release()
  }

  const one: Terminal = {
    pid: pane.pid,
    get client() {
      if (url === undefined) throw new Error("this terminal has no server: open it with `attach` or `http`")
      return connect({ url, directory, ...access })
    },
    async type(text) {
      await pane.tmux(["send-keys", "-l", "--", text])
    },
    async paste(text) {
      await pane.tmux(["load-buffer", "-b", "paste", "-"], text)
      await pane.tmux(["paste-buffer", "-p", "-r", "-d", "-b", "paste"])
    },
    async keys(...names) {
      await pane.tmux(["send-keys", ...names])
    },
    screen: async () => (await pane.look()).screen,
    async waitForScreen(sight, timeoutMs = WAIT_MS) {
      let last = ""
      return waitUntil(
        async () => {
          const { screen, ended } = await pane.look()
          last = screen
          if (seen(last, sight)) return last
          if (ended) throw new Error(`the terminal ended while waiting for ${String(sight)}\n${last}`)
          return undefined
        },
        () => `the screen does not show ${String(sight)}:\n${last}`,
        timeoutMs,
        LOOK_EVERY_MS,
      )
    },
    async waitForEnd(timeoutMs = WAIT_MS) {
      const ended = async () => ((await pane.look()).ended ? true : undefined)
      await waitUntil(ended, () => "the terminal goes on", timeoutMs, LOOK_EVERY_MS)
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
  try {
    await one.waitForScreen(READY, START_MS)
  } catch (error) {
    await stop()
    throw error
  }
  return one
}

function terminalArgs(setup: TerminalSetup, directory: string, port: number | undefined): readonly string[] {
  return [
    ...(setup.attach === undefined ? [] : ["attach", setup.attach, "--dir", directory]),
    ...(setup.session === undefined ? [] : ["--session", setup.session]),
    ...(port === undefined ? [] : ["--port", String(port), "--hostname", "127.0.0.1"]),
    ...(setup.args ?? []),
  ]
}

function seen(screen: string, sight: Sight): boolean {
  if (typeof sight === "string") return screen.includes(sight)
  return sight instanceof RegExp ? sight.test(screen) : sight(screen)
}
