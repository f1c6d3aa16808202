import { sourceNotes } from "../../handoff/source-notes.ts"
import type { HostFeed } from "../../history/sync/index.ts"
import { callsOf } from "./calls.ts"
import { readContext } from "./context.ts"
import { v2Feed } from "./feed.ts"
import { httpTo } from "./http.ts"
import { rowReader } from "./rows.ts"
import { lookForService, probeService, type Endpoint, type Look, type Service } from "./service.ts"

// OpenCode 2 from outside of its process: a command on this machine reads it over its service alone.

type Environment = Readonly<Record<string, string | undefined>>

/** Nobody types while an index is brought up to date: a slow answer is waited for. */
const TIMES = { waitMs: 0, timeoutMs: 30_000 }

/** The service that is registered on this machine and answers, of whatever version; otherwise why there is none. */
export function registeredService(env: Environment, signal: AbortSignal): Promise<Look> {
  return lookForService({ env, version: "", pid: 0 }, signal)
}

/** A service at an address that somebody named; otherwise why it is none. */
export async function serviceAt(
  url: string,
  password: string | undefined,
  signal: AbortSignal,
): Promise<Look> {
  const registration = { url: new URL(url).origin, pid: undefined, version: "", password: password ?? "" }
  return probeService(registration, { env: {}, version: "", pid: 0 }, signal)
}

/** The sync's feed over a service. Nothing is asked before the first call; `dataDir` holds the notes of handoffs. */
export function outsideFeed(endpoint: Endpoint, dataDir: string): HostFeed & { close(): void } {
  const context = readContext({ session: {} })
  if (context === undefined) throw new Error("a context with a session domain is one of OpenCode 2")
  const calls = callsOf(context, httpTo(only(endpoint), TIMES), TIMES.timeoutMs)
  return v2Feed({ calls, rows: rowReader(calls), notes: sourceNotes(dataDir), onRemoved: () => undefined })
}

/** A service that is this one or none. */
function only(endpoint: Endpoint): Service {
  let lost = false
  const why = () => "it does not answer any more"
  return {
    endpoint: async () => (lost ? undefined : endpoint),
    lost: () => void (lost = true),
    why,
    missing: () => (lost ? why() : undefined),
    close: () => undefined,
  }
}
