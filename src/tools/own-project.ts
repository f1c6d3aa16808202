// Which sessions are the caller's own, and read without a question. One rule for every tool.

import type { Caller } from "../hosts/host.ts"
import { isWithin } from "../query/paths.ts"
import type { Session } from "../session/model.ts"

/** The project every directory without a repository shares on OpenCode: there, a directory is its own project. */
export const GLOBAL_PROJECT = "global"

/** Whether the id tells nothing of what belongs together: that one, or none, where a host names no project. */
export function isFolderProject(projectID: string): boolean {
  return projectID === GLOBAL_PROJECT || projectID === ""
}

/** Whether a session is the caller's or of its project. */
export function isOwn(
  caller: Pick<Caller, "sessionID" | "projectID" | "directory">,
  session: Pick<Session, "id" | "projectID" | "directory">,
): boolean {
  // Who asks from no session, and what stands for several, have an empty id.
  if (session.id !== "" && session.id === caller.sessionID) return true
  if (session.projectID !== caller.projectID) return false
  return !isFolderProject(caller.projectID) || isWithin(caller.directory, session.directory)
}
