import type { Entry, Home } from "../read/catalog.ts"
import type { Filter, Hidden, Scope } from "../contract.ts"
import { asStored } from "../documents/stored-text.ts"
import { isPlacedIn } from "../real-paths.ts"
import { excluder } from "../sync/exclude.ts"

// Which sessions a search may see at all, and which it hides and counts.

type Meant = Pick<Filter, "scope" | "exclude">

/** A test for the scope and the excluded projects, with its answers kept: sessions are many, projects few. */
export function scopeTest(filter: Meant): (entry: Entry) => boolean {
  const isMeant = homeTest(filter)
  const byHome: boolean[] = []
  return ({ home, session }) => (byHome[home] ??= isMeant(session))
}

/** By the number of a home, 1 where its sessions are meant, else 0; undefined when all are. */
export type Homes = Uint8Array | undefined

/** Whether the home is one of them. */
export function isAmong(homes: Homes, home: number): boolean {
  return homes === undefined || homes[home] === 1
}

/** The homes of the scope. */
export function homesInScope(homes: readonly Home[], filter: Meant): Homes {
  if (filter.scope.kind === "all" && (filter.exclude ?? []).length === 0) return undefined
  const isMeant = homeTest(filter)
  return Uint8Array.from(homes, (home) => (isMeant(home) ? 1 : 0))
}

type Placed = Pick<Home, "projectID" | "directory">

function homeTest({ scope, exclude = [] }: Meant): (home: Placed) => boolean {
  const excluded = exclude.length === 0 ? () => false : excluder(exclude)
  const isMeant = meantBy(scope)
  return (home) => !excluded(home) && isMeant(home)
}

function meantBy(scope: Scope): (home: Placed) => boolean {
  switch (scope.kind) {
    case "all":
      return () => true
    case "some": {
      const projects = new Set(scope.projects)
      const inside = within(scope.directories ?? [])
      return (home) => projects.has(home.projectID) || inside(home.directory)
    }
    case "within": {
      const inside = within([scope.directory])
      return (home) => home.projectID === scope.project && inside(home.directory)
    }
    case "homes": {
      const named = new Set(scope.homes.map(homeKey))
      return (home) => named.has(homeKey(home))
    }
  }
}

function homeKey({ projectID, directory }: Placed): string {
  return JSON.stringify([projectID, directory])
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

/** A test for stored folders: those asked for, and what is below them, also where a symlink leads there. */
export function within(folders: readonly string[]): (directory: string) => boolean {
  const meant = folders.flatMap(asStored)
  return (directory) => meant.some((folder) => isPlacedIn(folder, directory))
}
