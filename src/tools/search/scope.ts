// What `project:` means for a call: the current project, or others once the user allows it. What the user is asked for
// names every folder that is opened, and the search sees these and no others. Excluded projects and directories do not
// exist.

import { homedir } from "node:os"
import type { HistoryFault, HistoryResult, Home, Scope } from "../../history/contract.ts"
import type { Caller } from "../../hosts/host.ts"
import type { ProjectQuery } from "../../query/parse.ts"
import { isPlacedIn } from "../../history/real-paths.ts"
import { expandHome, isWithin, resolvePath } from "../../query/paths.ts"
import { oneLine, shownValue } from "../../text/printable.ts"
import { isFolderProject, isOwn } from "../own-project.ts"
import { askAll, askFolders, excludedEntries, isOff } from "./access.ts"
import { foldersOf } from "./folders.ts"
import { indexFault } from "./index-state.ts"
import type { HistoryServices } from "./services.ts"
import { shownPath } from "./session-line.ts"

/** A scope with the words that name it in an answer. */
export type NamedScope = { readonly scope: Scope; readonly name: string }

export type ScopeResult =
  | ({ readonly ok: true } & NamedScope)
  | { readonly ok: false; readonly error: string; readonly refused?: boolean }

/** What a model does about a project that is not there. */
const TOOL_LISTS_PROJECTS = 'history-search-sessions with query "project:all", show "projects" lists them'

/**
 * The scope of a call, asking the user where it leaves the current project. Errors are one line; `listsProjects` is what
 * one of a missing project advises.
 */
export async function resolveScope(
  services: HistoryServices,
  caller: Caller,
  project: ProjectQuery | undefined,
  listsProjects: string = TOOL_LISTS_PROJECTS,
): Promise<ScopeResult> {
  if (project === undefined) return { ok: true, ...ownScope(services, caller) }
  switch (project.kind) {
    case "all":
      return everyProject(services, caller)
    case "id":
      return oneProject(services, caller, project.id, listsProjects)
    case "path":
      return projectsAt(services, caller, project.path, listsProjects)
  }
}

/** The caller's project with all its worktrees; without a repository its directory. */
export function ownScope(services: HistoryServices, caller: Caller): NamedScope {
  return folderScope(caller, services.project.directory)
}

function folderScope(caller: Caller, directory: string): NamedScope {
  // Repositories below a folder are projects of their own.
  const scope: Scope = isFolderProject(caller.projectID)
    ? { kind: "within", project: caller.projectID, directory }
    : { kind: "some", projects: [caller.projectID] }
  return { scope, name: "this project" }
}

/** All projects; nobody is asked when the index holds no other. */
export async function everyProject(services: HistoryServices, caller: Caller): Promise<ScopeResult> {
  const found = await homesIn(services, caller, { kind: "all" })
  if (!found.ok) return indexTrouble(found.fault)
  const others = found.value.filter((home) => !isOwnHome(caller, home))
  if (others.length === 0) return { ok: true, ...ownScope(services, caller) }
  const permission = await askAll(caller, foldersOf(others))
  if (!permission.granted) return { ok: false, error: permission.message, refused: true }
  return { ok: true, scope: { kind: "all" }, name: "all projects" }
}

async function oneProject(
  services: HistoryServices,
  caller: Caller,
  id: string,
  listsProjects: string,
): Promise<ScopeResult> {
  if (id === caller.projectID && !isFolderProject(id)) return { ok: true, ...ownScope(services, caller) }
  // What is off is not looked for: the answer would tell whether it is there.
  if (isOff(services)) return refusal(await askFolders(caller, shownValue(id), []))
  const found = await homesIn(services, caller, { kind: "some", projects: [id] })
  if (!found.ok) return indexTrouble(found.fault)
  if (found.value.length === 0)
    return {
      ok: false,
      error: `project:${shownValue(id)} is in no indexed session; ${listsProjects}`,
    }
  return named(caller, found.value, { name: `project ${oneLine(id)}` })
}

async function projectsAt(
  services: HistoryServices,
  caller: Caller,
  path: string,
  listsProjects: string,
): Promise<ScopeResult> {
  const expanded = expandHome(path, services.home ?? homedir())
  const directory = resolvePath(caller.directory, expanded)
  const inside = await homesIn(services, caller, { kind: "some", directories: [directory] })
  if (!inside.ok) return indexTrouble(inside.fault)
  const isOnlyOwn = inside.value.every((one) => one.projectID === caller.projectID)
  if (inside.value.length > 0 && isOnlyOwn)
    if (!isFolderProject(caller.projectID) || isPlacedIn(caller.directory, directory))
      return { ok: true, ...folderScope(caller, directory) }
  if (isOff(services)) return refusal(await askFolders(caller, directory, []))
  if (inside.value.length === 0)
    return {
      ok: false,
      error: `project:${shownValue(path)}: no indexed session in ${shownPath(directory)} or below; ${listsProjects}`,
    }
  // A repository belongs together with its worktrees; what lies outside of any, by its directory alone.
  const repositories = new Set(inside.value.map((one) => one.projectID).filter((id) => !isFolderProject(id)))
  const whole = await homesIn(services, caller, { kind: "some", projects: [...repositories] })
  if (!whole.ok) return indexTrouble(whole.fault)
  const loose = inside.value.filter((one) => isFolderProject(one.projectID))
  return named(caller, [...whole.value, ...loose], {
    name: `projects in ${shownPath(directory)}`,
    directory,
  })
}

type Named = {
  readonly name: string
  /** The directory written behind `project:`, where it is one. */
  readonly directory?: string
}

/** The scope of these homes, once the user has been asked for those that are not the caller's own. */
async function named(caller: Caller, homes: readonly Home[], query: Named): Promise<ScopeResult> {
  const folders = foldersOf(homes.filter((home) => !isOwnHome(caller, home)))
  const { directory = "" } = query
  const isInside = directory !== "" && folders.every((folder) => isWithin(directory, folder))
  const shown = isInside ? directory : folders.join(", ")
  const scope: ScopeResult = { ok: true, scope: { kind: "homes", homes }, name: query.name }
  return folders.length === 0 ? scope : refusal(await askFolders(caller, shown, folders), scope)
}

function refusal(
  permission: Awaited<ReturnType<Caller["askOtherProject"]>>,
  granted: ScopeResult = { ok: false, error: "" },
): ScopeResult {
  return permission.granted ? granted : { ok: false, error: permission.message, refused: true }
}

function isOwnHome(caller: Caller, home: Home): boolean {
  return isOwn(caller, { id: "", ...home })
}

/** Every home of a scope with a session in it, hidden ones too. */
async function homesIn(
  services: HistoryServices,
  caller: Caller,
  scope: Scope,
): Promise<HistoryResult<readonly Home[]>> {
  const include = ["subagents", "archived", "reverted"] as const
  const exclude = excludedEntries(services)
  const request = { words: [], excluded: [], scope, include, exclude, limit: Number.MAX_SAFE_INTEGER }
  const found = await services.history.projects(request, caller.signal)
  if (!found.ok) return found
  const homes = found.value.projects.flatMap(({ id, directories }) =>
    directories.map((directory) => ({ projectID: id, directory })),
  )
  return { ok: true, value: homes }
}

function indexTrouble(fault: HistoryFault): ScopeResult {
  return { ok: false, error: indexFault(fault.message) }
}
