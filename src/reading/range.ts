// Messages by their index in the session. The index says where a page starts and the host's answer is compared
// with it; where they disagree, or without an index, the session is counted through once.

import type { StoredMessage } from "../history/contract.ts"
import type { Message } from "../session/model.ts"
import type { Reading } from "./around.ts"
import { revertOf, stored } from "./outline.ts"
import type { StoredReading } from "./stored.ts"
import { pagesBack, SCAN_PAGE, type Read, type Walk } from "./walk.ts"

export type RangeRequest = {
  /** Index of the first message; without it the latest page. */
  readonly offset?: number
  readonly limit: number
}

/** Consecutive messages, oldest first. Reverted ones, always the last of a session, are left out. */
export type Range<Item> = {
  readonly total: number
  /** Index of the first message. */
  readonly first: number
  readonly messages: readonly Item[]
  readonly reverted: number
}

/** Newest messages compared with the index to learn the total: more than one turn adds while a sync is due. */
export const TAIL_MESSAGES = 50

/** The messages of a range; past the end there are none. Faults of the host are passed on. */
export async function readRange(reading: Reading, request: RangeRequest): Promise<Read<Range<Message>>> {
  const known = reading.olderThan === undefined ? undefined : await indexed(reading, request)
  return known ?? counted(reading, request)
}

/** Where a range lies in a session of which `visible` messages are not reverted. */
export function boundsOf(
  request: RangeRequest,
  visible: number,
): { readonly first: number; readonly end: number } {
  const first = Math.min(visible, request.offset ?? Math.max(0, visible - request.limit))
  return { first, end: Math.min(visible, first + request.limit) }
}

/** The range with two host pages; undefined when the index does not know enough or disagrees. */
async function indexed(reading: Reading, request: RangeRequest): Promise<Read<Range<Message>> | undefined> {
  const revert = await revertOf(reading)
  if (revert.kind === "unknown") return undefined
  const tail = await stored(reading, { direction: "back", limit: TAIL_MESSAGES })
  if (tail === undefined) return undefined

  const limit = request.offset === undefined ? Math.max(request.limit, TAIL_MESSAGES) : TAIL_MESSAGES
  const newest = await reading.reader.messages(reading.session.id, { limit }, reading.signal)
  if (!newest.ok) return newest
  const total = totalOf(newest.value.messages, tail.messages, newest.value.older === undefined)
  if (total === undefined) return undefined

  const visible = revert.kind === "at" ? revert.position.index : total
  const { first, end } = boundsOf(request, visible)
  const range = { total, first, reverted: total - visible }
  const newestFrom = total - newest.value.messages.length
  if (first >= newestFrom || first === end) {
    const messages = newest.value.messages.slice(first - newestFrom, end - newestFrom)
    return { ok: true, value: { ...range, messages: first === end ? [] : messages } }
  }

  const expected = await stored(reading, {
    anchor: { index: first },
    inclusive: true,
    direction: "forward",
    limit: end - first + 1,
  })
  if (expected === undefined || reading.olderThan === undefined) return undefined
  const behind = expected.messages[end - first]
  const page = await reading.reader.messages(
    reading.session.id,
    behind === undefined
      ? { limit: total - first }
      : { limit: end - first, older: reading.olderThan(behind) },
    reading.signal,
  )
  if (!page.ok) return page
  const messages = page.value.messages.slice(0, end - first)
  const same = expected.messages.slice(0, end - first).every((message, at) => messages[at]?.id === message.id)
  return same && messages.length === end - first ? { ok: true, value: { ...range, messages } } : undefined
}

/** How many messages the host has, from its newest ones and the index's; undefined when they do not meet. */
function totalOf(
  newest: readonly Message[],
  tail: readonly StoredMessage[],
  whole: boolean,
): number | undefined {
  if (whole) return newest.length
  const indexes = new Map(tail.map((message) => [message.id, message.index]))
  const met = newest.findLastIndex((message) => indexes.has(message.id))
  const index = indexes.get(newest[met]?.id ?? "")
  if (index === undefined) return undefined
  const compared = Math.min(met, index - (tail[0]?.index ?? index))
  for (let back = 1; back <= compared; back++)
    if (indexes.get(newest[met - back]?.id ?? "") !== index - back) return undefined
  return index + newest.length - met
}

async function counted(reading: Reading, request: RangeRequest): Promise<Read<Range<Message>>> {
  const walk: Walk = {
    reader: reading.reader,
    sessionID: reading.session.id,
    signal: reading.signal,
    pageSize: SCAN_PAGE,
  }
  const pages: { readonly from?: string; readonly count: number }[] = []
  let newest: readonly Message[] = []
  const { revertedFrom } = reading.session
  let revertedAt: number | undefined
  // Where the message itself is gone, later ids are reverted.
  let laterThanRevert = 0
  let total = 0
  for await (const page of pagesBack(walk)) {
    if (!page.ok) return page
    const { messages, from } = page.value
    if (pages.length === 0) newest = messages
    const at = messages.findIndex((message) => message.id === revertedFrom)
    if (at >= 0) revertedAt = total + messages.length - at
    const later = messages.findIndex((message) => revertedFrom !== undefined && message.id > revertedFrom)
    if (later >= 0) laterThanRevert = total + messages.length - later
    pages.push({ count: messages.length, ...(from === undefined ? {} : { from }) })
    total += messages.length
  }

  const reverted = revertedAt ?? laterThanRevert
  const { first, end } = boundsOf(request, total - reverted)
  const messages: Message[] = []
  let above = total
  for (const page of pages) {
    const below = above - page.count
    if (below < end && above > first) {
      const again = await pageAgain(walk, page, newest)
      if (!again.ok) return again
      messages.unshift(...again.value.slice(Math.max(0, first - below), Math.max(0, end - below)))
    }
    above = below
  }
  return { ok: true, value: { total, first, messages, reverted } }
}

/** A counted page once more: only the newest was kept, so that memory holds a page and not the session. */
async function pageAgain(
  walk: Walk,
  page: { readonly from?: string; readonly count: number },
  newest: readonly Message[],
): Promise<Read<readonly Message[]>> {
  if (page.from === undefined) return { ok: true, value: newest }
  const request = { limit: page.count, older: page.from }
  const again = await walk.reader.messages(walk.sessionID, request, walk.signal)
  return again.ok ? { ok: true, value: again.value.messages } : again
}

/** The same range of a session that only the index holds; the page holds its text up to `maxChars`. */
export async function readStoredRange(
  reading: Omit<StoredReading, "role">,
  request: RangeRequest,
): Promise<Read<Range<StoredMessage>>> {
  const { history, sessionID, maxChars, kinds } = reading
  const ask = { sessionID, direction: "forward", limit: request.limit } as const
  const start = await history.messages({ ...ask, limit: 1, maxChars: 0 }, reading.signal)
  if (!start.ok) return { ok: false, fault: { reason: "failed", message: start.fault.message } }
  if (!start.value.found) return notIndexed(sessionID)
  const { total, reverted } = start.value
  const { first, end } = boundsOf(request, total - reverted)
  if (first === end) return { ok: true, value: { total, first, messages: [], reverted } }
  const page = await history.messages(
    {
      ...ask,
      anchor: { index: first },
      inclusive: true,
      limit: end - first,
      maxChars,
      ...(kinds && { kinds }),
    },
    reading.signal,
  )
  if (!page.ok) return { ok: false, fault: { reason: "failed", message: page.fault.message } }
  if (!page.value.found) return notIndexed(sessionID)
  return { ok: true, value: { total, first, messages: page.value.messages, reverted } }
}

function notIndexed(sessionID: string): Read<never> {
  return { ok: false, fault: { reason: "not-found", message: `session ${sessionID} is not in the index` } }
}
