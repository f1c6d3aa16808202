import { isWithin, matchesGlob } from "../../query/paths.ts"
import type { Entry } from "../catalog.ts"
import type { Filter, Hidden, Scope } from "../contract.ts"

// Which sessions a search may see at all, and which it hides and counts. Pure.

/** A test for the scope and the excluded projects, with its directory answers kept. */
export function scopeTest(filter: Pick<Filter, "scope" | "exclude">): (entry: Entry) => boolean {
  const excluded = remember((value) => (filter.exclude ?? []).some((rule) => isExcluded(rule, value)))
  const inside = remember((directory) => directoryIn(filter.scope, directory))
  const projects = new Set(filter.scope.kind === "some" ? filter.scope.projects : [])
  return ({ session }) => {
    if (excluded(session.projectID) || excluded(session.directory)) return false
    return filter.scope.kind === "all" || projects.has(session.projectID) || inside(session.directory)
  }
}

/** Why a session is not shown; undefined when it is. A subagent of an archived session counts once. */
export function hiddenAs(entry: Entry, include: readonly Hidden[]): "subagents" | "archived" | undefined {
  if (entry.session.parentID !== undefined && !include.includes("subagents")) return "subagents"
  if (entry.session.archived !== undefined && !include.includes("archived")) return "archived"
  return undefined
}

function isExcluded(rule: string, value: string): boolean {
  return rule === value || matchesGlob(rule, value)
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
