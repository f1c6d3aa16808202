import { isWithin } from "../../query/paths.ts"
import type { Entry } from "../catalog.ts"
import type { Filter, Hidden, Scope } from "../contract.ts"
import { excluder } from "../sync/exclude.ts"

// Which sessions a search may see at all, and which it hides and counts. Pure.

/** A test for the scope and the excluded projects, with its directory answers kept. */
export function scopeTest(filter: Pick<Filter, "scope" | "exclude">): (entry: Entry) => boolean {
  const excluded = excludedTest(filter.exclude ?? [])
  const inside = remember((directory) => directoryIn(filter.scope, directory))
  const projects = new Set(filter.scope.kind === "some" ? filter.scope.projects : [])
  return ({ session }) => {
    if (excluded(session)) return false
    return filter.scope.kind === "all" || projects.has(session.projectID) || inside(session.directory)
  }
}

/** Why a session is not shown; undefined when it is. A subagent of an archived session counts once. */
export function hiddenAs(entry: Entry, include: readonly Hidden[]): "subagents" | "archived" | undefined {
  if (entry.session.parentID !== undefined && !include.includes("subagents")) return "subagents"
  if (entry.session.archived !== undefined && !include.includes("archived")) return "archived"
  return undefined
}

function excludedTest(entries: readonly string[]): (session: Entry["session"]) => boolean {
  const excluded = excluder(entries)
  const inProject = remember((projectID) => excluded({ projectID, directory: "" }))
  const inDirectory = remember((directory) => excluded({ projectID: "", directory }))
  return (session) => inProject(session.projectID) || inDirectory(session.directory)
}

function directoryIn(scope: Scope, directory: string): boolean {
  return scope.kind === "some" && (scope.directories ?? []).some((folder) => isWithin(folder, directory))
}

function remember(test: (value: string) => boolean): (value: string) => boolean {
  const known = new Map<string, boolean>()
  return (value) => {
    const answer = known.get(value) ?? test(value)
    known.set(value, answer)
    return answer
  }
}
