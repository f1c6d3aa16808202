import { homedir } from "node:os"
import { expandHome, isAbsolutePath, matchesGlob } from "../../query/paths.ts"
import { asStored } from "../documents/stored-text.ts"
import { namesOf, realGlob } from "../real-paths.ts"

// Which sessions do not exist for us. An entry is a project id or a directory glob; a directory stands for
// itself and everything below, so `/a` and `/a/**` mean the same. A symlink and the folder behind it keep each other out.

/** True for a session that must not be fetched, stored, listed or read. */
export type Excluded = (session: { readonly projectID: string; readonly directory: string }) => boolean

/** The test for the entries of the `exclude` option. `home` stands for a leading `~`. */
export function excluder(entries: readonly string[], home: string = homedir()): Excluded {
  const ids = new Set(entries)
  const globs = withHome(entries, home)
    .map((entry) => directoryGlob(entry))
    .filter((glob) => glob !== undefined)
  return ({ projectID, directory }) => {
    if (ids.has(projectID)) return true
    if (globs.length === 0) return false
    const names = namesOf(directory)
    // Asked each time: a link that comes to lead elsewhere keeps out what it leads to now.
    return globs.some((glob) =>
      [glob, realGlob(glob)].flatMap(asStored).some((one) => names.some((name) => matchesGlob(one, name))),
    )
  }
}

/** The entries with a leading `~` written out, for whoever tests them elsewhere. */
export function withHome(entries: readonly string[], home: string = homedir()): string[] {
  return entries.map((entry) => expandHome(entry, home))
}

/** The glob an entry stands for; undefined when it can only be a project id. */
function directoryGlob(entry: string): string | undefined {
  const whole = entry.replaceAll("\\", "/")
  if (!isAbsolutePath(whole) && !whole.startsWith("**")) return undefined
  // Everything below is meant anyway, and with the stars the directory itself would not match.
  return whole.replace(/(?<!\/)(?:\/+\*\*\/*|\/*)$/, "")
}
