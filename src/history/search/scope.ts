import { isWithin } from "../../query/paths.ts"
import type { Entry } from "../catalog.ts"
import type { Filter, Hidden, Scope } from "../contract.ts"
import { excluder } from "../sync/exclude.ts"

// Which sessions a search may see at all, and which it hides and counts. Pure.

/** A test for the scope and the excluded projects, with its answers kept: sessions are many, projects few. */
export function scopeTest(filter: Pick<Filter, "scope" | "exclude">): (entry: Entry) => boolean {
  const { exclude = [] } = filter
  const excluded = exclude.length === 0 ? () => false : excluder(exclude)
  const inside = (directory: string) => directoryIn(filter.scope, directory)
  const projects = new Set(filter.scope.kind === "some" ? filter.scope.projects : [])
  const isMeant = ({ session }: Entry): boolean => {
    if (excluded(session)) return false
    return filter.scope.kind === "all" || projects.has(session.projectID) || inside(session.directory)
  }
  const byHome: boolean[] = []
  return (entry) => (byHome[entry.home] ??= isMeant(entry))
}

/** Why a session is not shown; undefined when it is. A subagent of an archived session counts once. */
export function hiddenAs(entry: Entry, include: readonly Hidden[]): "subagents" | "archived" | undefined {
  if (entry.session.parentID !== undefined && !include.includes("subagents")) return "subagents"
  if (entry.session.archived !== undefined && !include.includes("archived")) return "archived"
  return undefined
}

function directoryIn(scope: Scope, directory: string): boolean {
  return scope.kind === "some" && (scope.directories ?? []).some((folder) => isWithin(folder, directory))
}
