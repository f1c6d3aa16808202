import { homedir } from "node:os"
import { join } from "node:path"

/** The host's data folder, for a draft that waits in a file beside it. */
export function hostDataDir(env: Readonly<Record<string, string | undefined>>): string {
  const base = env["XDG_DATA_HOME"]
  return join(base === undefined || base === "" ? join(homedir(), ".local", "share") : base, "opencode")
}
