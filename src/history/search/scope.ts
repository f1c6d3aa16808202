import { isWithin } from "../../query/paths.ts"
import type { Entry } from "../catalog.ts"
import type { Filter, Hidden, Scope } from "../contract.ts"
import { asStored } from "../stored-text.ts"
import { excluder } from "../sync/exclude.ts"

// Which sessions a search may see at all, and which it hides and counts. Pure.

/** A test for the scope and the excluded projects, with its answers kept: sessions are many, projects few. */
export function scopeTest(filter: Pick<Filter, "scope" | "exclude">): (entry: Entry) => boolean {
  const { exclude = [] } = filter
  const excluded = exclude.length === 0 ? () => false : excluder(exclude)
  const meant = meantBy(filter.scope)
  const isMeant = ({ session }: Entry): boolean => !excluded(session) && meant(session)
  const byHome: boolean[] = []
  return (entry) => (byHome[entry.home] ??= isMeant(entry))
}

function meantBy(scope: Scope): (session: Entry["session"]) => boolean {
  switch (scope.kind) {
    case "all":
      return () => true
    case "some": {
      const projects = new Set(scope.projects)
      const inside = within(scope.directories ?? [])
      return (session) => projects.has(session.projectID) || inside(session.directory)
    }
    case "within": {
      const inside = within([scope.directory])
      return (session) => session.projectID === scope.project && inside(session.directory)
    }
  }
}

/** Why a session is not shown; undefined when it is. A subagent of an archived session counts once. */
export function hiddenAs(entry: Entry, include: readonly Hidden[]): "subagents" | "archived" | undefined {
  if (entry.session.parentID !== undefined && !include.includes("subagents")) return "subagents"
  if (entry.session.archived !== undefined && !include.includes("archived")) return "archived"
  return undefined
}

/** Why sessions from the one on would not be shown, if they matched: each reason once. */
export function hiddenFrom(
  first: Entry | undefined,
  entries: readonly Entry[],
  inScope: (entry: Entry) => boolean,
  include: readonly Hidden[],
): readonly Hidden[] {
  const kinds = new Set<Hidden>()
  for (let at = first ? entries.indexOf(first) : entries.length; at < entries.length; at++) {
    const entry = entries[at]
    if (!entry || !inScope(entry)) continue
    const kind = hiddenAs(entry, include)
    if (kind !== undefined) kinds.add(kind)
    else if (mayBeReverted(entry, include)) kinds.add("reverted")
    if (kinds.size === HIDDEN_KINDS) break
  }
  return [...kinds]
}

const HIDDEN_KINDS = 3

/** Whether a session may match with reverted messages only, and is not shown then. */
export function mayBeReverted({ session }: Entry, include: readonly Hidden[]): boolean {
  return session.revertedFrom !== undefined && !include.includes("reverted")
}

/** A test for stored folders: those asked for, and what is below them. */
export function within(folders: readonly string[]): (directory: string) => boolean {
  const meant = folders.flatMap(asStored)
  return (directory) => meant.some((folder) => isWithin(folder, directory))
}
