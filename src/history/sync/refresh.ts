import type { Message, Session } from "../../session/model.ts"
import { isUnreadable } from "../../session/unreadable.ts"
import type { SessionChange } from "../contract.ts"
import type { SyncContext } from "./context.ts"
import type { ListedSession } from "./feed.ts"
import { encodeMarker, isOpen, markerOf, unreadableOf, type Marker } from "./marker.ts"
import { failed, messagePages } from "./pages.ts"
import { failedBy, missingMessages, writeSession, type Failed, type Gap, type Written } from "./write.ts"

// Brings one session up to date, a page at a time, newest first: the whole session when it was never stored,
// otherwise back to what the stored marker covers. The marker comes with the last page, so that an interrupted
// refresh starts again.

/**
 * A refresh ends this many messages inside what the marker covers: the last of them may have been unfinished
 * when it was stored, and one turn has few such messages.
 */
export const OVERLAP_MESSAGES = 10

export type Refreshed =
  /** Stored. `fetched`: ids of the messages that were fetched for it. */
  | {
      readonly kind: "done"
      readonly session: Session
      readonly marker: Marker
      readonly fetched: ReadonlySet<string>
    }
  /** The host does not have the session. */
  | { readonly kind: "gone" }
  /** The user had it forgotten. */
  | { readonly kind: "forgotten" }
  | Failed

export type Target = {
  readonly listed: ListedSession
  /** The point at which the fetch began that delivered `listed` (History.beginFetch). All writes are ordered by it: what came in between stays. */
  readonly fetchedAt: number
  /** The stored marker. */
  readonly known: Marker | undefined
}

/**
 * Fetches and stores one session; memory and each write are bounded by the page. A page is stored while the next one is
 * fetched. Calls `fetched` when the host has delivered all: the last page may still be on its way into the index.
 */
export async function refreshSession(
  context: SyncContext,
  target: Target,
  fetched: () => void = () => undefined,
): Promise<Refreshed> {
  const { session } = target.listed
  let storing: Promise<Written> = Promise.resolve({ kind: "written" })
  const ids = new Set<string>()
  let newest: Message | undefined
  let oldest = Number.POSITIVE_INFINITY
  let covered = 0
  let unreadable = 0
  let atLeast = false
  const gaps: Gap[] = []

  for await (const page of messagePages(context, session.id)) {
    const stored = await storing
    if (stored.kind !== "written") return stored
    if (page.kind !== "page") return page
    const { messages } = page
    newest ??= messages.at(-1)
    gaps.push(...gapsIn(messages))
    for (const message of messages) {
      unreadable += message.malformed
      atLeast ||= message.run === true
      ids.add(message.id)
      oldest = Math.min(oldest, message.created)
      if (target.known !== undefined && message.created <= target.known.activity) covered += 1
    }

    if (!page.isLast && covered < OVERLAP_MESSAGES) {
      storing = writeSession(context, target.fetchedAt, { session, messages })
      continue
    }

    const removals =
      page.isFirst && page.isLast && gaps.length === 0 ? whole : await missing(page.isLast ? 0 : oldest)
    if (removals.kind === "failed") return removals
    const open = isOpen(target.listed, newest, context.clock.now())
    // A part of the session may have less of them than the whole, of which the marker tells.
    const before = unreadableOf(page.isLast ? undefined : target.known)
    const seen = {
      open,
      unreadable: Math.max(before.unreadable, unreadable),
      atLeast: before.atLeast || atLeast,
    }
    const marker = markerOf(context.feed.kind, target.listed, seen)
    const change = { session, messages, marker: encodeMarker(marker), ...removals.change }
    fetched()
    const outcome = await writeSession(context, target.fetchedAt, change)
    return outcome.kind === "written" ? { kind: "done", session, marker, fetched: ids } : outcome
  }
  return failed(`messages of ${session.id}: no page came`)

  async function missing(from: number): Promise<Removals | Failed> {
    const found = await missingMessages(context, session.id, { ids, oldest: from, gaps })
    if (!found.ok) return failedBy(found.fault)
    return { kind: "removals", change: { removedMessages: found.value } }
  }
}

/** Where messages may be that the host has and cannot deliver: between these times, both inclusive. */
function gapsIn(messages: readonly Message[]): readonly Gap[] {
  return messages.flatMap((message, at) =>
    isUnreadable(message)
      ? [{ from: message.created, to: messages[at + 1]?.created ?? Number.POSITIVE_INFINITY }]
      : [],
  )
}

/** How the last write says what is gone; a whole session the index compares itself. */
type Removals = {
  readonly kind: "removals"
  readonly change: Pick<SessionChange, "complete" | "removedMessages">
}

const whole: Removals = { kind: "removals", change: { complete: true } }
