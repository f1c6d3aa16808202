// V1 has no call that says whether a terminal shows its sessions, but its process arguments do: the terminal
// runs the server in a worker whose script is `cli/tui/worker`; `opencode run` has `run` as its first word.

/**
 * - `terminal`: a terminal UI in this very process;
 * - `server`: `serve` or `web`; terminals may be attached to it, or none;
 * - `command`: `run`, an editor's protocol and all else; no terminal can show a draft.
 */
export type Mode = "terminal" | "server" | "command"

/** Options that may stand before the first word with a value behind them. */
const VALUED: ReadonlySet<string> = new Set([
  "--log-level",
  "--port",
  "--hostname",
  "--cors",
  "--mdns-domain",
])

/** The mode that `process.argv` shows. */
export function modeOf(argv: readonly string[]): Mode {
  const script = (argv[1] ?? "").replaceAll("\\", "/")
  if (/\/cli\/tui\/worker\.[jt]s$/.test(script)) return "terminal"
  const words = argv.slice(2)
  const word = words.find((argument, at) => !argument.startsWith("-") && !VALUED.has(words[at - 1] ?? ""))
  return word === "serve" || word === "web" ? "server" : "command"
}
