import type { Database } from "../../storage/sqlite.ts"
import type { Catalog } from "../read/catalog.ts"
import type { ProjectsAnswer, ProjectsRequest } from "../contract.ts"
import type { Steps } from "../steps.ts"
import { openSearch } from "./open.ts"
import { walkSessions } from "./walk.ts"

// Which projects mention something: every matching session is counted, so the walk goes to its end or its bound.

export function* searchProjects(
  database: Database,
  catalog: Catalog,
  request: ProjectsRequest,
): Steps<ProjectsAnswer> {
  const search = openSearch(database, catalog, request)
  const walk = yield* walkSessions(search, { limit: Infinity })
  const found = new Map<string, { directories: Set<string>; sessions: number; updated: number }>()
  for (const { entry } of walk.matches) {
    const { projectID, directory, updated } = entry.session
    const project = found.get(projectID) ?? { directories: new Set(), sessions: 0, updated: 0 }
    found.set(projectID, project)
    project.directories.add(directory)
    project.sessions++
    project.updated = Math.max(project.updated, updated)
  }
  const projects = [...found]
    .map(([id, project]) => ({ id, ...project, directories: [...project.directories].sort() }))
    .sort(
      (one, other) =>
        other.sessions - one.sessions || other.updated - one.updated || (one.id < other.id ? -1 : 1),
    )
  return {
    projects: projects.slice(0, request.limit),
    more: projects.length > request.limit,
    hidden: walk.hidden,
    coverage: walk.coverage,
  }
}
