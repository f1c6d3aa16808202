import type { HostFeed, ListedSession, SessionListing } from "../../history/sync/index.ts"
import { sessionFromV1 } from "../../session/from-v1.ts"
import type { HostResult } from "../host.ts"
import { attempt, transport, type V1Client, type V1Reply } from "./client.ts"
import { getUnscoped } from "./unscoped.ts"

// All sessions of all projects, newest first. V1's own cursor means "updated before": sessions that share the
// last row's time would be lost, so every page begins with that time again, and known rows come twice.

/** Rows of one page: 100 rows keep the host for some 15 ms. */
export const LISTING_PAGE = 100

/** A page may grow up to this where many sessions share one time (a restored backup). */
export const LISTING_PAGE_MAX = 12_800

/** Rows of the fallback, which knows no pages. */
const PROJECT_ROWS = 100_000

/** The two requests a listing is made of. */
export type ListingRequests = {
  /** GET without a directory filter. */
  everywhere(url: string, query: Query, signal?: AbortSignal): Promise<HostResult<V1Reply>>
  /** GET for this instance's directory. */
  here(url: string, query: Query, signal?: AbortSignal): Promise<HostResult<V1Reply>>
}

type Query = Readonly<Record<string, string | number | boolean>>

export function listingRequests(client: V1Client, timeoutMs: number): ListingRequests {
  return {
    everywhere: (url, query, signal) => getUnscoped(client, url, query, { timeoutMs, signal }),
    here: (url, query, signal) => {
      const abort = signal === undefined ? {} : { signal }
      return attempt(url, () => transport(client).get({ url, query, ...abort }), timeoutMs)
    },
  }
}

/** The listing. Where its route is missing, only the current project can be listed. */
export function sessionListing(requests: ListingRequests): HostFeed["listSessions"] {
  let isMissing = false
  return async (cursor, signal) => {
    if (isMissing) return listProject(requests, signal)
    const from = cursor === undefined ? { limit: LISTING_PAGE } : decode(cursor)
    if (from === undefined) return failed(`unknown cursor ${cursor}`)
    const before = from.before === undefined ? {} : { cursor: from.before }
    const query = { archived: true, limit: from.limit, ...before }
    const reply = await requests.everywhere("/experimental/session", query, signal)
    if (!reply.ok && reply.fault.reason !== "not-found") return reply
    // An unknown path is answered with the page of the web interface.
    if (!reply.ok || !Array.isArray(reply.value.data)) {
      if (cursor !== undefined) return failed("OpenCode answered a later page in another form")
      isMissing = true
      return listProject(requests, signal)
    }
    const page = listed(reply.value.data)
    if (!reply.value.headers.has("x-next-cursor")) return { ok: true, value: page }
    const next = following(from, page.sessions)
    return next.ok ? { ok: true, value: { ...page, next: encode(next.value) } } : next
  }
}

type Cursor = { readonly before?: number; readonly limit: number }

/** Where the page behind `sessions` begins. */
function following(from: Cursor, sessions: readonly ListedSession[]): HostResult<Cursor> {
  const last = sessions.at(-1)?.session.updated
  if (last === undefined) return failed("OpenCode promised more sessions behind a page without any")
  const isBehind =
    from.before === undefined || sessions.every((row) => row.session.updated < (from.before ?? 0))
  if (!isBehind) return failed(`OpenCode does not follow the cursor ${from.before}`)
  const before = last + 1
  if (from.before === undefined || before < from.before)
    return { ok: true, value: { before, limit: LISTING_PAGE } }
  // The whole page has one time: only a longer one gets past it.
  if (from.limit >= LISTING_PAGE_MAX) return failed(`more than ${from.limit} sessions share the time ${last}`)
  return { ok: true, value: { before, limit: from.limit * 2 } }
}

function encode(cursor: Cursor): string {
  return `${cursor.before}/${cursor.limit}`
}

function decode(text: string): Cursor | undefined {
  const found = /^(\d+)\/(\d+)$/.exec(text)
  return found === null ? undefined : { before: Number(found[1]), limit: Number(found[2]) }
}

/** Sessions of the current project alone; marked as partial, so that nothing is taken for deleted. */
async function listProject(
  requests: ListingRequests,
  signal: AbortSignal | undefined,
): Promise<HostResult<SessionListing>> {
  const reply = await requests.here("/session", { scope: "project", limit: PROJECT_ROWS }, signal)
  if (!reply.ok) return reply
  if (!Array.isArray(reply.value.data))
    return failed("OpenCode answered in a form this version does not read")
  return { ok: true, value: { ...listed(reply.value.data), partial: true } }
}

function listed(rows: readonly unknown[]): SessionListing {
  const sessions = rows.map(sessionFromV1).filter((session) => session !== undefined)
  return {
    sessions: sessions.map((session) => ({ session, activity: session.updated })),
    unreadable: rows.length - sessions.length,
    partial: false,
  }
}

function failed(message: string): {
  readonly ok: false
  readonly fault: { reason: "failed"; message: string }
} {
  return { ok: false, fault: { reason: "failed", message: `list of sessions: ${message}` } }
}
