// Which sessions a call may read: its own project's freely, another project's when the user allows it, an
// excluded project's as if it did not exist.

import type { StoredSession } from "../../history/contract.ts"
import { excluder, withHome } from "../../history/sync/exclude.ts"
import type { Asked, Caller, Permission } from "../../hosts/host.ts"
import type { Session } from "../../session/model.ts"
import { shownValue } from "../../text/printable.ts"
import { isOwn } from "../own-project.ts"
import { indexedOf } from "./index-state.ts"
import type { HistoryServices } from "./services.ts"

export type Opened =
  | { readonly ok: true; readonly session: Session; readonly source: "host" | "index" }
  | { readonly ok: false; readonly error: string }

/** A session that may be read; from the index when the host does not have it any more. Errors are one line. */
export async function openSession(
  services: HistoryServices,
  caller: Caller,
  sessionID: string,
): Promise<Opened> {
  const found = await findSession(services, caller, sessionID)
  if (!found.ok) return found
  if (excluder(services.options.exclude, services.home)(found.session)) return missing(services, sessionID)
  if (!isOwn(caller, found.session)) {
    const permission = await caller.askOtherProject(found.session)
    if (!permission.granted) return { ok: false, error: permission.message }
  }
  return found
}

/** The entries of the option `exclude` as a search takes them. */
export function excludedEntries(services: Pick<HistoryServices, "options" | "home">): readonly string[] {
  return withHome(services.options.exclude, services.home)
}

/** Whether no session of another project may be read, so that nobody is asked. */
export function isOff(services: Pick<HistoryServices, "options">): boolean {
  return services.options.otherProjects === "deny"
}

/** Asks for the sessions of these folders, no more and no fewer; `name` is for people. */
export function askFolders(caller: Caller, name: string, folders: readonly string[]): Promise<Permission> {
  const [only] = folders
  if (folders.length === 1 && only !== undefined) return caller.askOtherProject(asked(only))
  return caller.askOtherProject({ ...asked(name), ...(folders.length === 0 ? {} : { folders }) })
}

/** Asks for all projects, those to come too. `folders` are the ones there are now. */
export function askAll(caller: Caller, folders: readonly string[]): Promise<Permission> {
  return caller.askOtherProject({ ...asked("all projects"), folders, all: true })
}

function asked(directory: string): Asked {
  return { id: "", title: "", projectID: "", directory }
}

async function findSession(services: HistoryServices, caller: Caller, sessionID: string): Promise<Opened> {
  const hosted = await services.reader.session(sessionID, caller.signal)
  if (hosted.ok) return { ok: true, session: hosted.value, source: "host" }
  if (hosted.fault.reason === "failed")
    return { ok: false, error: `session ${shownValue(sessionID)} could not be read: ${hosted.fault.message}` }
  const stored = await services.history.session(sessionID, caller.signal)
  if (!stored.ok)
    return {
      ok: false,
      error: `OpenCode has no session ${shownValue(sessionID)}, and the index cannot be asked: ${stored.fault.message}`,
    }
  if (stored.value === undefined) return missing(services, sessionID)
  return { ok: true, session: sessionOf(stored.value), source: "index" }
}

function sessionOf(stored: StoredSession): Session {
  const { messages: _, ...session } = stored
  return { ...session, metadata: {} }
}

async function missing(services: HistoryServices, sessionID: string): Promise<Opened> {
  const indexed = await indexedOf(services)
  const error = `no session ${shownValue(sessionID)}: neither OpenCode nor the index has it${indexed === "" ? "" : ` (${indexed})`}; find ids with history-search-sessions`
  return { ok: false, error }
}
