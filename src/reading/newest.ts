// The newest messages of a session that have something to show, read page by page from the end.

import type { HostFault, SessionReader } from "../hosts/host.ts"
import type { Message, Session } from "../session/model.ts"
import { createPace } from "./pace.ts"

/** Messages of one host call: a page of 100 takes a few tens of milliseconds on a session of any length. */
export const MAX_PAGE_MESSAGES = 100

export type Newest<Shown> =
  | {
      readonly ok: true
      /** Oldest first. */
      readonly shown: readonly Shown[]
      /** Whether an older message would be shown too. */
      readonly more: boolean
      /** Messages that were read, reverted ones included. */
      readonly read: number
      readonly reverted: number
      readonly malformed: number
      /** Whether `malformed` is the least there can be. */
      readonly atLeast: boolean
    }
  | { readonly ok: false; readonly fault: HostFault }

/**
 * The newest `limit` messages for which `show` gives something. Reverted messages are left out and counted.
 * A host that repeats a cursor or a cancelled call is a fault, never a shorter answer.
 */
export async function newestMessages<Shown>(
  reader: SessionReader,
  session: Session,
  limit: number,
  show: (message: Message) => Shown | undefined,
  signal: AbortSignal,
): Promise<Newest<Shown>> {
  const shown: Shown[] = []
  const tally = { read: 0, reverted: 0, malformed: 0, atLeast: false }
  const cursors = new Set<string>()
  const pace = createPace()
  let older: string | undefined
  do {
    if (signal.aborted) return failed("the call was cancelled")
    const request = { limit: pageSize(limit - shown.length), ...(older === undefined ? {} : { older }) }
    const page = await reader.messages(session.id, request, signal)
    if (!page.ok) return page
    const messages = page.value.messages
    tally.read += messages.length
    const kept = messages.slice(0, revertedAt(messages, session.revertedFrom))
    tally.reverted += messages.length - kept.length
    for (const message of kept.toReversed()) {
      await pace()
      const entry = show(message)
      if (entry !== undefined && shown.length === limit)
        return { ok: true, shown: shown.reverse(), more: true, ...tally }
      tally.malformed += message.malformed
      tally.atLeast ||= message.run === true
      if (entry !== undefined) shown.push(entry)
    }
    older = page.value.older
    if (older !== undefined && cursors.has(older)) return failed("the host repeated a page cursor")
    if (older !== undefined) cursors.add(older)
  } while (older !== undefined)
  return { ok: true, shown: shown.reverse(), more: false, ...tally }
}

/** One more than is missing, to know whether there is an older one. */
function pageSize(missing: number): number {
  return Math.min(MAX_PAGE_MESSAGES, missing + 1)
}

/**
 * Where the reverted messages of a page begin. In the page that holds the message itself, at its place; in newer
 * pages by id, which the host makes in ascending order.
 */
function revertedAt(messages: readonly Message[], revertedFrom: string | undefined): number {
  if (revertedFrom === undefined) return messages.length
  const place = messages.findIndex((message) => message.id === revertedFrom)
  if (place >= 0) return place
  const first = messages.findIndex((message) => message.id >= revertedFrom)
  return first >= 0 ? first : messages.length
}

function failed(message: string): { ok: false; fault: HostFault } {
  return { ok: false, fault: { reason: "failed", message } }
}
