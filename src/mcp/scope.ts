import { statSync } from "node:fs"
import { homedir } from "node:os"
import { resolve } from "node:path"
import type { Options } from "../config/options.ts"
import type { Caller } from "../hosts/host.ts"
import { expandHome } from "../query/paths.ts"
import { shownValue } from "../text/printable.ts"
import type { ProjectInfo } from "../tools/search/services.ts"

// Which sessions one call may see. An editor's agent has no session of its own and nobody can be asked, so every call
// names its project, and the option `otherProjects` decides whether that may be another one than the server's.

export type ProjectOf = (directory: string) => Promise<ProjectInfo | undefined>

export type CallScope =
  | { readonly ok: true; readonly caller: Caller; readonly project: ProjectInfo; readonly all: boolean }
  | { readonly ok: false; readonly error: string }

type Setup = {
  readonly otherProjects: Options["otherProjects"]
  /** The folder the server was started for. */
  readonly directory: string
  projectOf: ProjectOf
}

/** What `project` of a call stands for: a folder, or `all`. Errors are one line. */
export async function callScope(setup: Setup, project: unknown, signal: AbortSignal): Promise<CallScope> {
  if (typeof project !== "string" || project.trim() === "")
    return {
      ok: false,
      error: `\`project\` is ${project === undefined ? "required" : shownValue(project)}; write the folder you work in (${setup.directory}), or "all"`,
    }
  const all = project.trim().toLowerCase() === "all"
  const directory = all ? setup.directory : resolve(setup.directory, expandHome(project, homedir()))
  if (!all && statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true)
    return {
      ok: false,
      error: `\`project\` is ${shownValue(project)}, which is no folder; write one, or "all"`,
    }
  const own = await setup.projectOf(setup.directory)
  const named = all ? own : await setup.projectOf(directory)
  const isOwn = !all && isSame(own, named, setup.directory, directory)
  if (!isOwn && setup.otherProjects !== "allow")
    return {
      ok: false,
      error: `\`project\` is ${shownValue(project)}, but this server only shows the project of ${setup.directory}; nobody can be asked here, so the option "otherProjects": "allow" of opencode-baton decides`,
    }
  const info = named ?? { id: "", directory, worktree: directory }
  return { ok: true, all, project: info, caller: callerIn(info, directory, all, signal) }
}

/** Folders without a known project are compared as folders. */
function isSame(
  own: ProjectInfo | undefined,
  named: ProjectInfo | undefined,
  ownDirectory: string,
  directory: string,
): boolean {
  if (own === undefined || named === undefined) return own === named && ownDirectory === directory
  return own.id === named.id && own.worktree === named.worktree
}

function callerIn(project: ProjectInfo, directory: string, all: boolean, signal: AbortSignal): Caller {
  return {
    sessionID: "",
    messageID: "",
    directory,
    projectID: project.id,
    signal,
    askOtherProject: () =>
      Promise.resolve(
        all
          ? { granted: true }
          : {
              granted: false,
              message: `that is outside of this call's \`project\` (${directory}); write its folder, or "all"`,
            },
      ),
  }
}
