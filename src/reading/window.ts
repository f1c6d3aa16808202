// A window: the messages on both sides of an anchor. The anchor locates it also when its own role is left out.

import type { Around, Place } from "./around.ts"
import { withCursors, type Page } from "./page.ts"

export type WindowRequest = {
  readonly messageID: string
  /** Messages of the wanted role on each side. */
  readonly before: number
  readonly after: number
}

export type Window<Item> = Page<Item> & {
  readonly anchorIncluded: boolean
  /** How many of the items stand before the anchor. */
  readonly before: number
}

/** What to read for a window: one more on each side, to know whether there is more. */
export function windowPlace(request: WindowRequest): Place {
  return {
    anchor: { messageID: request.messageID },
    anchorAs: "itself",
    older: request.before + 1,
    newer: request.after + 1,
  }
}

/** The window that was read around `windowPlace(request)`: at most `before + after + 1` items, oldest first. */
export function windowOf<Item extends { readonly id: string }>(
  request: WindowRequest,
  around: Around<Item>,
): Window<Item> {
  const before = around.older.slice(0, request.before).toReversed()
  const after = around.newer.slice(0, request.after)
  const items = [...before, ...(around.anchor === undefined ? [] : [around.anchor]), ...after]
  const page = withCursors(items, {
    older: around.older.length > request.before,
    newer: around.newer.length > request.after,
    reverted: around.reverted,
    nearest: request.messageID,
  })
  return { ...page, anchorIncluded: around.anchor !== undefined, before: before.length }
}
