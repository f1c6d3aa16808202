import { existsSync } from "node:fs"
import { join } from "node:path"
import { identityOf, inspectIndex } from "../history/file/disk.ts"
import { INDEX_FILE, INDEX_FOLDER, OTHER_INDEX_FILE } from "../history/file/file.ts"
import { LAYOUT_VERSION } from "../history/file/schema.ts"
import { tellProblems } from "./context.ts"
import { type Outcome, trouble } from "./outcome.ts"
import type { Run } from "./program/pieces.ts"

// The file of the index, before it is opened. Reading makes no index, sets none aside and throws none away: that is
// for `baton index` and the plugin, which fill the new one.

/** Where the index lies below a data folder, or would be made. */
export function indexPath(dataDir: string): string {
  const other = join(dataDir, INDEX_FOLDER, OTHER_INDEX_FILE)
  return existsSync(other) ? other : join(dataDir, INDEX_FOLDER, INDEX_FILE)
}

export type Unreadable = { readonly what: string; readonly remedy: string }

/** Why the index cannot be read; undefined when it can. */
export function unreadableIndex(dataDir: string): Unreadable | undefined {
  const path = indexPath(dataDir)
  try {
    const found = inspectIndex(path)
    switch (found.kind) {
      case "ours":
        return undefined
      case "none":
        return { what: `there is no index at ${path} yet`, remedy: MAKE }
      case "foreign":
        return {
          what: `${path} belongs to another program, and there is no index beside it yet`,
          remedy: MAKE,
        }
      case "not-a-file":
        return { what: `${found.at} is not a regular file`, remedy: "move it away, then run `baton index`" }
      case "damaged":
        return {
          what: `${path} is damaged`,
          remedy: "run `baton index`, which sets it aside and builds it anew",
        }
      case "older":
        return {
          what: `${path} has an older layout (${found.version}, this baton reads ${LAYOUT_VERSION})`,
          remedy: "run `baton index`, which builds it anew",
        }
      case "newer":
        return {
          what: `${path} was written by a newer opencode-baton (layout ${found.version}, this one reads ${LAYOUT_VERSION})`,
          remedy: "update opencode-baton",
        }
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { what: `${path} cannot be read (${why})`, remedy: "make it readable for you" }
  }
}

const MAKE = "start OpenCode with the plugin, or run `baton index`"

/** Runs commands that need an index as it is. */
export function reading(run: Run): Run {
  return (command) =>
    run(async (context) => {
      tellProblems(context)
      const unreadable = unreadableIndex(context.dataDir)
      if (unreadable !== undefined) return trouble(`${unreadable.what}; ${unreadable.remedy}`)
      const path = indexPath(context.dataDir)
      const before = identityOf(path)
      const outcome = await command(context)
      return damagedMeanwhile(path, before) ?? outcome
    })
}

/** Damage deep inside is found only by reading: then the answer was that of a new index with nothing in it. */
function damagedMeanwhile(path: string, before: string): Outcome | undefined {
  const aside = `${path}.damaged`
  if (identityOf(path) === before || !existsSync(aside)) return undefined
  return trouble(`the index was damaged and is now ${aside}; run \`baton index\`, which builds it anew`)
}
