// V1 has no call that says whether a terminal shows its sessions, but its process arguments do: the terminal
// runs the server in a worker whose script is `cli/tui/worker`; `opencode run` has `run` as its first word.

/**
 * - `terminal`: a terminal UI in this very process;
 * - `server`: `serve` or `web`; terminals may be attached to it, or none;
 * - `command`: `run`, an editor's protocol and all else; no terminal can show a draft.
 */
export type Mode = "terminal" | "server" | "command"

/** The mode that `process.argv` shows. */
export function modeOf(argv: readonly string[]): Mode {
  const script = (argv[1] ?? "").replaceAll("\\", "/")
  if (/\/cli\/tui\/worker\.[jt]s$/.test(script)) return "terminal"
  const word = argv.slice(2).find((argument) => !argument.startsWith("-"))
  return word === "serve" || word === "web" ? "server" : "command"
}
