import { execFile } from "node:child_process"
import { endGroup } from "./program.ts"

// A private tmux server with one pane: a real terminal for a program, on a socket nobody else uses.

export type TmuxSetup = {
  readonly command: readonly string[]
  readonly cwd: string
  /** TMUX_TMPDIR in it holds the socket. */
  readonly env: Readonly<Record<string, string>>
  readonly columns: number
  readonly rows: number
}

export type Tmux = {
  /** The program in the pane; it leads a process group of its own. */
  readonly pid: number
  /** The tmux server, a group of its own too. */
  readonly serverPid: number
  /** Runs a tmux command on this server; `input` goes to its standard input. */
  tmux(args: readonly string[], input?: string): Promise<string>
  /** The screen as text, one line a row, and whether the program ended; its last screen stays. */
  look(): Promise<{ readonly screen: string; readonly ended: boolean }>
  /** Ends the program, what it started, and the server. */
  stop(): Promise<void>
}

/** Each look starts a program: four times as many took a third of a core from the host they wait for. */
export const LOOK_EVERY_MS = 100

let opened = 0

/** Starts a program in a pane. Rejects with one line when tmux is not installed. */
export async function openTmux(setup: TmuxSetup): Promise<Tmux> {
  opened += 1
  const socket = `baton-${process.pid}-${opened}`
  const tmux = (args: readonly string[], input?: string) => runTmux(["-L", socket, ...args], setup, input)
  const size = ["-x", String(setup.columns), "-y", String(setup.rows)]
  const options = [
    // The program gets every row, and Escape at once.
    ["status", "off"],
    ["escape-time", "0"],
    ["remain-on-exit", "on"],
    ["default-terminal", "tmux-256color"],
  ].flatMap(([name, value]) => ["set-option", "-g", String(name), String(value), ";"])
  const session = [
    "new-session",
    "-d",
    "-P",
    "-F",
    "#{pane_pid} #{pid}",
    ...size,
    "-c",
    setup.cwd,
    "--",
    ...setup.command,
  ]
  const printed = await tmux(["-u", "-f", "/dev/null", "start-server", ";", ...options, ...session])
  const [pid, serverPid] = printed.trim().split(" ").map(Number)
  if (!pid || !serverPid) throw new Error(`tmux did not start the program: ${printed}`)

  return {
    pid,
    serverPid,
    tmux,
    async look() {
      // One client for both: under load starting it is what a look costs.
      const printed = await tmux(["capture-pane", "-p", ";", "display-message", "-p", "#{pane_dead}"])
      const end = printed.trimEnd().lastIndexOf("\n")
      return { screen: printed.slice(0, end).trimEnd(), ended: printed.slice(end).trim() === "1" }
    },
    async stop() {
      await endGroup(pid)
      await endGroup(serverPid)
    },
  }
}

function runTmux(args: readonly string[], setup: TmuxSetup, input: string = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile("tmux", args, { env: setup.env, cwd: setup.cwd }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else if (error.code === "ENOENT") reject(new Error("tmux is not installed: apt-get install -y tmux"))
      else reject(new Error(`tmux ${args.slice(2).join(" ")}: ${stderr.trim() || error.message}`))
    })
    // tmux may end before it reads.
    child.stdin?.on("error", () => undefined)
    child.stdin?.end(input)
  })
}
