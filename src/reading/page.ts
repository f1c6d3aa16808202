// Pages of a session: each message exactly once in either direction, whatever the page size and the role. A
// cursor is the id of a message that was read; reading goes on next to it, so what is appended moves nothing.

import type { Around, Place } from "./around.ts"

export type PageRequest = {
  /** Read next to this message, exclusive. */
  readonly cursor?: string
  /** Which end to begin at without a cursor. */
  readonly from: "start" | "end"
  readonly direction: "forward" | "back"
  readonly limit: number
}

/** Oldest first. The cursors are absent where nothing more is. */
export type Page<Item> = {
  readonly items: readonly Item[]
  readonly nextCursor?: string
  readonly prevCursor?: string
  readonly reverted: number
}

/** What to read for a page: one message more than its size, to know whether there is more. */
export function pagePlace(request: PageRequest): Place {
  const wanted = request.limit + 1
  if (request.cursor === undefined)
    return request.from === "start"
      ? { anchor: "start", anchorAs: "itself", older: 0, newer: wanted }
      : { anchor: "end", anchorAs: "itself", older: wanted, newer: 0 }
  const anchor = { messageID: request.cursor }
  return request.direction === "forward"
    ? { anchor, anchorAs: "older", older: 1, newer: wanted }
    : { anchor, anchorAs: "newer", older: wanted, newer: 1 }
}

/** The page that was read around `pagePlace(request)`. */
export function pageOf<Item extends { readonly id: string }>(
  request: PageRequest,
  around: Around<Item>,
): Page<Item> {
  const forward = readsForward(request)
  const read = forward ? around.newer : around.older
  const behind = forward ? around.older.length > 0 : around.newer.length > 0
  const items = forward ? read.slice(0, request.limit) : read.slice(0, request.limit).toReversed()
  const more = read.length > request.limit
  return withCursors(items, {
    older: forward ? behind : more,
    newer: forward ? more : behind,
    reverted: around.reverted,
    ...(request.cursor === undefined ? {} : { nearest: request.cursor }),
  })
}

/** Whether a page is filled from its oldest message on. */
export function readsForward(request: PageRequest): boolean {
  return request.cursor === undefined ? request.from === "start" : request.direction === "forward"
}

/** Items with the cursors at their ends; of an empty page both are `nearest`. */
export function withCursors<Item extends { readonly id: string }>(
  items: readonly Item[],
  more: {
    readonly older: boolean
    readonly newer: boolean
    readonly reverted: number
    readonly nearest?: string
  },
): Page<Item> {
  const next = more.newer ? (items.at(-1)?.id ?? more.nearest) : undefined
  const prev = more.older ? (items[0]?.id ?? more.nearest) : undefined
  return {
    items,
    reverted: more.reverted,
    ...(next === undefined ? {} : { nextCursor: next }),
    ...(prev === undefined ? {} : { prevCursor: prev }),
  }
}
