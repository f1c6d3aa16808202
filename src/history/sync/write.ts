import type { HistoryFault, HistoryResult, SessionChange } from "../contract.ts"
import type { SyncContext } from "./context.ts"
import { slimMessage } from "./slim.ts"

// Writes of the sync, with the index's answers turned into what the sync does next.

/** Why a session could not be brought up to date. `halt`: the index takes no writes at all, not only this one. */
export type Failed = { readonly kind: "failed"; readonly message: string; readonly halt: boolean }

export type Written = { readonly kind: "written" } | { readonly kind: "forgotten" } | Failed

/** Stores one session's change. A write that is older than what is stored counts as written: the index is ahead. */
export async function writeSession(
  context: SyncContext,
  fetchedAt: number,
  change: SessionChange,
): Promise<Written> {
  if (context.signal.aborted) return stopped
  const messages = change.messages?.map(slimMessage)
  const slim = messages === undefined ? change : { ...change, messages }
  const applied = await context.history.applyChanges({ fetchedAt, sessions: [slim] }, context.signal)
  if (!applied.ok) return failedBy(applied.fault)
  return { kind: applied.value.forgotten.includes(change.session.id) ? "forgotten" : "written" }
}

/** Removes sessions that the host was found not to have: what a fetch that began before brings of them is refused. */
export async function removeSessions(context: SyncContext, sessionIDs: readonly string[]): Promise<Written> {
  if (context.signal.aborted) return stopped
  const begun = await context.history.beginFetch(context.signal)
  if (!begun.ok) return failedBy(begun.fault)
  const applied = await context.history.applyChanges(
    { fetchedAt: begun.value, removedSessions: sessionIDs },
    context.signal,
  )
  return applied.ok ? { kind: "written" } : failedBy(applied.fault)
}

const stopped: Failed = { kind: "failed", message: "stopped", halt: true }

export function failedBy(fault: HistoryFault): Failed {
  const halt = fault.reason === "read-only" || fault.reason === "unavailable" || fault.reason === "closed"
  return { kind: "failed", message: `history index: ${fault.message}`, halt }
}

/** Times between which the host could not deliver what it has, both inclusive. */
export type Gap = { readonly from: number; readonly to: number }

/** Stored message ids read by one call. */
const STORED_PAGE = 100

/**
 * The stored messages from `fetch.oldest` on that a fetch should have delivered and did not; those in a gap may
 * still exist. One that was written after the fetch began may be among them: the index refuses to remove it.
 */
export async function missingMessages(
  context: SyncContext,
  sessionID: string,
  fetch: { readonly ids: ReadonlySet<string>; readonly oldest: number; readonly gaps: readonly Gap[] },
): Promise<HistoryResult<readonly string[]>> {
  const missing: string[] = []
  let anchor: string | undefined
  for (;;) {
    const page = await context.history.messages(
      {
        sessionID,
        direction: "back",
        limit: STORED_PAGE,
        maxChars: 0,
        includeReverted: true,
        ...(anchor === undefined ? {} : { anchor: { messageID: anchor } }),
      },
      context.signal,
    )
    if (!page.ok) return page
    if (!page.value.found) return { ok: true, value: missing }
    for (const { id, created } of page.value.messages)
      if (created >= fetch.oldest && !fetch.ids.has(id) && !isIn(fetch.gaps, created)) missing.push(id)
    const first = page.value.messages[0]
    if (first === undefined || !page.value.more || first.created < fetch.oldest)
      return { ok: true, value: missing }
    anchor = first.id
  }
}

function isIn(gaps: readonly Gap[], created: number): boolean {
  return gaps.some((gap) => gap.from <= created && created <= gap.to)
}
