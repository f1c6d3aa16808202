import { homedir } from "node:os"
import { join } from "node:path"

// Where a host keeps its data. Apart, because the terminal part and the `baton` command need only this of the hosts.

/** The host's data folder, where both hosts keep their database: the index stands beside it. */
export function hostDataDir(env: Readonly<Record<string, string | undefined>>): string {
  const base = env["XDG_DATA_HOME"]
  return join(base === undefined || base === "" ? join(homedir(), ".local", "share") : base, "opencode")
}
