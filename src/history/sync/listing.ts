import type { HostFault, HostResult } from "../../hosts/host.ts"
import type { HistoryFault } from "../contract.ts"
import type { SyncContext } from "./context.ts"
import type { Excluded } from "./exclude.ts"
import type { ListedSession } from "./feed.ts"
import type { Ledger } from "./ledger.ts"
import { decodeMarker, difference, encodeMarker, markerOf, unreadableOf, type Marker } from "./marker.ts"
import type { Work } from "./work.ts"
import { removeSessions } from "./write.ts"

// Compares the host's listing with the index. A recent listing stops at the first page that holds nothing new; a
// complete one goes to the end, and only it can tell that a session is gone.

export type Depth = "recent" | "complete"

export type ListingParts = {
  readonly ledger: Ledger
  readonly work: Work
  readonly excluded: Excluded
}

/** Lists, writes listing data, queues what has to be fetched. Fails as a whole; the next one starts anew. */
export async function compareListing(
  context: SyncContext,
  parts: ListingParts,
  depth: Depth,
): Promise<HostResult<void>> {
  const { ledger } = parts
  const began = await context.history.beginFetch(context.signal)
  if (!began.ok) return { ok: false, fault: asHostFault(began.fault) }
  const markers = await context.history.markers(context.signal)
  if (!markers.ok) return { ok: false, fault: asHostFault(markers.fault) }
  ledger.load(markers.value)

  const seen = new Set<string>()
  const cursors = new Set<string>()
  let partial = false
  let unreadable = 0
  let cursor: string | undefined
  do {
    await context.turn()
    if (context.signal.aborted) return { ok: false, fault: { reason: "failed", message: "stopped" } }
    const begun = await context.history.beginFetch(context.signal)
    if (!begun.ok) return { ok: false, fault: asHostFault(begun.fault) }
    const asked = context.clock.elapsed()
    const page = await context.feed.listSessions(cursor, context.signal)
    context.answered(asked)
    if (!page.ok) return page
    const rows = page.value.sessions.filter((row) => !seen.has(row.session.id))
    for (const row of rows) seen.add(row.session.id)
    const compared = await comparePage(context, parts, rows, begun.value)
    if (!compared.ok) return compared
    if (depth === "recent" && compared.value.same) return { ok: true, value: undefined }
    partial ||= page.value.partial
    unreadable += page.value.unreadable
    cursor = page.value.next
    if (cursor !== undefined && cursors.has(cursor))
      return {
        ok: false,
        fault: { reason: "failed", message: "the host repeated a cursor of its session list" },
      }
    if (cursor !== undefined) cursors.add(cursor)
  } while (cursor !== undefined)

  if (partial) return { ok: true, value: undefined }
  ledger.keepOnly(seen, unreadable)
  return removeMissing(context, parts, seen, began.value)
}

/** `same`: the index has all of these sessions as they are. */
async function comparePage(
  context: SyncContext,
  parts: ListingParts,
  rows: readonly ListedSession[],
  fetchedAt: number,
): Promise<HostResult<{ readonly same: boolean }>> {
  const { ledger, work } = parts
  const known = rows.filter((row) => {
    if (!parts.excluded(row.session)) return true
    ledger.skip(row.session.id, "excluded")
    return false
  })
  const changed = known
    .map((listed) => ({
      listed,
      stored: ledger.marker(listed.session.id),
      isNew: !ledger.isStored(listed.session.id),
    }))
    .map((row) => ({ ...row, difference: difference(row.stored, row.listed) }))

  // Listing data first: titles are found at once, and of a forgotten session nothing is ever fetched.
  const written = changed.filter((row) => row.isNew || row.difference === "row")
  const forgotten = new Set<string>()
  if (written.length > 0) {
    const applied = await context.history.applyChanges(
      {
        fetchedAt,
        sessions: written.map(({ listed, stored, difference }) => ({
          session: listed.session,
          ...(difference === "row" ? { marker: encodeMarker(settled(listed, stored)) } : {}),
        })),
      },
      context.signal,
    )
    if (!applied.ok) return { ok: false, fault: asHostFault(applied.fault) }
    for (const sessionID of applied.value.forgotten) forgotten.add(sessionID)
  }

  for (const { listed, stored, difference } of changed) {
    if (forgotten.has(listed.session.id)) ledger.skip(listed.session.id, "forgotten")
    else if (difference === "messages") work.add({ listed, fetchedAt, known: stored })
    else ledger.set(listed.session.id, "indexed")
  }
  function settled(listed: ListedSession, stored: Marker | undefined): Marker {
    return markerOf(context.feed.kind, listed, { open: false, ...unreadableOf(stored) })
  }

  const isSame = (row: (typeof changed)[number]) =>
    row.difference === "none" || forgotten.has(row.listed.session.id)
  return { ok: true, value: { same: changed.every(isSame) } }
}

/**
 * Removes what the index has and a complete listing has not, when the host, asked again, does not know it: a
 * session that was touched during the listing may have moved past it. Excluded ones go without a question.
 */
async function removeMissing(
  context: SyncContext,
  parts: ListingParts,
  seen: ReadonlySet<string>,
  listedAt: number,
): Promise<HostResult<void>> {
  const removed: string[] = []
  for (const stored of parts.ledger.stored()) {
    if (context.signal.aborted) break
    if (parts.excluded(stored)) {
      removed.push(stored.sessionID)
      continue
    }
    const kind = decodeMarker(stored.marker)?.kind ?? context.feed.kind
    if (seen.has(stored.sessionID) || kind !== context.feed.kind || stored.fetchedAt >= listedAt) continue
    await context.turn()
    if (context.signal.aborted) break
    const asked = context.clock.elapsed()
    const found = await context.feed.session(stored.sessionID, context.signal)
    context.answered(asked)
    if (!found.ok && found.fault.reason === "not-found") removed.push(stored.sessionID)
  }
  if (removed.length === 0) return { ok: true, value: undefined }
  const outcome = await removeSessions(context, removed)
  if (outcome.kind === "failed") return { ok: false, fault: { reason: "failed", message: outcome.message } }
  for (const sessionID of removed) {
    parts.work.cancel(sessionID)
    parts.ledger.drop(sessionID)
  }
  return { ok: true, value: undefined }
}

function asHostFault(fault: HistoryFault): HostFault {
  return { reason: "failed", message: `history index: ${fault.message}` }
}
