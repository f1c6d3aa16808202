import { within } from "../search/scope.ts"
import type { Catalog } from "./catalog.ts"

/** The projects with sessions in a folder or below it. One session of each project and folder tells of all. */
export function projectsIn(catalog: Catalog, directory: string): readonly string[] {
  const homes = new Map(catalog.entries.map(({ home, session }) => [home, session]))
  const isInside = within([directory])
  const inside = [...homes.values()].filter((session) => isInside(session.directory))
  return [...new Set(inside.map((session) => session.projectID))]
}
