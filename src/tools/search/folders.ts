// The folders that a question to the user names: all that are opened, each once.

import type { Home } from "../../history/contract.ts"
import { isWithin } from "../../query/paths.ts"
import { isFolderProject } from "../own-project.ts"

/**
 * The folders of these homes, sorted. Of a repository a folder below another one is not named apart; outside of
 * repositories each folder is a project of its own. A session without a folder goes by its project.
 */
export function foldersOf(homes: readonly Home[]): readonly string[] {
  const named = homes.filter(
    (home) =>
      isFolderProject(home.projectID) ||
      !homes.some(
        (other) =>
          other.projectID === home.projectID &&
          other.directory !== home.directory &&
          isWithin(other.directory, home.directory),
      ),
  )
  return [...new Set(named.map(({ projectID, directory }) => directory || projectID))].toSorted()
}
