// What `project:` means for a call: the current project, or others once the user allows it. Excluded projects
// and directories do not exist.

import { homedir } from "node:os"
import type { HistoryFault, Scope } from "../../history/contract.ts"
import type { Caller } from "../../hosts/host.ts"
import type { ProjectQuery } from "../../query/parse.ts"
import { isWithin, resolvePath } from "../../query/paths.ts"
import { oneLine, shownValue } from "../../text/printable.ts"
import { isFolderProject } from "../own-project.ts"
import { askProjects, excludedEntries } from "./access.ts"
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
  const others = await services.history.projects(existing(services, { kind: "all" }, 2), caller.signal)
  if (!others.ok) return indexTrouble(others.fault)
  const { projects, more } = others.value
  const alone = !more && projects.every((project) => project.id === caller.projectID)
  if (alone && !isFolderProject(caller.projectID)) return { ok: true, ...ownScope(services, caller) }
  const permission = await askProjects(caller, "all projects")
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
  const scope: Scope = { kind: "some", projects: [id] }
  const found = await services.history.projects(existing(services, scope, 1), caller.signal)
  if (!found.ok) return indexTrouble(found.fault)
  const directory = found.value.projects[0]?.directories[0]
  if (directory === undefined)
    return {
      ok: false,
      error: `project:${shownValue(id)} is in no indexed session; ${listsProjects}`,
    }
  const permission = await askProjects(caller, directory, id)
  if (!permission.granted) return { ok: false, error: permission.message, refused: true }
  return { ok: true, scope, name: `project ${oneLine(id)}` }
}

async function projectsAt(
  services: HistoryServices,
  caller: Caller,
  path: string,
  listsProjects: string,
): Promise<ScopeResult> {
  const home = services.home ?? homedir()
  const expanded = /^~(?=$|[/\\])/.test(path) ? home + path.slice(1) : path
  const directory = resolvePath(caller.directory, expanded)
  const inside: Scope = { kind: "some", directories: [directory] }
  const found = await services.history.projects(existing(services, inside, EVERY), caller.signal)
  if (!found.ok) return indexTrouble(found.fault)
  const projects = found.value.projects.map((project) => project.id)
  if (projects.length === 0)
    return {
      ok: false,
      error: `project:${shownValue(path)}: no indexed session in ${shownPath(directory)} or below; ${listsProjects}`,
    }
  const isOnlyOwn = projects.every((id) => id === caller.projectID)
  if (isOnlyOwn && (!isFolderProject(caller.projectID) || isWithin(caller.directory, directory)))
    return { ok: true, ...folderScope(caller, directory) }
  const scope: Scope = {
    kind: "some",
    projects: projects.filter((id) => !isFolderProject(id)),
    // What lies outside of any repository belongs together by its directory alone.
    ...(projects.some(isFolderProject) ? { directories: [directory] } : {}),
  }
  const permission = await askProjects(caller, directory)
  if (!permission.granted) return { ok: false, error: permission.message, refused: true }
  return { ok: true, scope, name: `projects in ${shownPath(directory)}` }
}

/** All projects of a directory: none is left out of a search for want of room. */
const EVERY = Number.MAX_SAFE_INTEGER

function indexTrouble(fault: HistoryFault): ScopeResult {
  return { ok: false, error: indexFault(fault.message) }
}

function existing(services: HistoryServices, scope: Scope, limit: number) {
  const include = ["subagents", "archived", "reverted"] as const
  return { words: [], excluded: [], scope, include, exclude: excludedEntries(services), limit }
}
