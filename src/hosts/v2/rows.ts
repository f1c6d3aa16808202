import { textField } from "../../session/capability.ts"
import type { HostFault, HostResult } from "../host.ts"
import { isInside, longest, stopsAt, type Ask, type At } from "./ask-rows.ts"
import { gapBetween, lookBehind, pageBehind, type Behind } from "./behind.ts"
import type { Calls } from "./calls.ts"
import { faultOf, type Trouble } from "./trouble.ts"

// A session's messages as the host delivers them, page by page from the newest. V2 gives a cursor with every page
// that holds something, the last one too. One stored message that it cannot decode fails every page that holds it:
// the rest is then read from both ends, and an empty message stands where the two do not meet. Cursors lead from one
// message to the next, so what lies between the first and the last such message cannot be reached, nor counted.

/** The service's own bound of a page. */
export const PAGE_MAX = 200

/** A page that brought more than this makes the next ones of its session smaller: the host builds each as one text. */
export const PAGE_BYTES = 8 * 1024 * 1024

/** Sessions of which sizes and unreadable places are remembered. */
const REMEMBERED_MAX = 200

/** Oldest message first. `older` may lead to an empty page. */
export type RowPage = { readonly rows: readonly unknown[]; readonly older?: string }

export type RowReader = (
  sessionID: string,
  page: { readonly limit: number; readonly older?: string },
  signal?: AbortSignal,
) => Promise<HostResult<RowPage>>

type Known = {
  /** Bytes of a message, as the last page had them. */
  weight?: number
  behind?: Behind
}

/** How a cursor of ours begins; the number of a page from the beginning follows. */
const BEHIND = "behind:"

/** A cursor that this reader made itself: it leads to a page that holds something. */
export function isOwnCursor(cursor: string): boolean {
  return cursor.startsWith(BEHIND)
}

/** Reads pages of rows. What it remembers is bounded, and only saves requests. */
export function rowReader(calls: Calls): RowReader {
  const remembered = new Map<string, Known>()

  return async (id, page, signal) => {
    const known = remember(id)
    const ask: Ask = (query) => calls.messages(id, query, signal)
    if (page.older !== undefined && isOwnCursor(page.older))
      return fromBehind(ask, known, Number(page.older.slice(BEHIND.length)))

    const found = await collect(ask, known, page)
    if (found.trouble !== undefined) return fault(found.trouble)
    const rows = found.rows.toReversed()
    if (found.stopped) return besideGap(ask, known, rows)
    if (found.next !== undefined && found.next === page.older) return fault(repeated(id))
    const more = found.next === undefined || rows.length === 0 ? {} : { older: found.next }
    return { ok: true, value: { rows, ...more } }
  }

  function remember(id: string): Known {
    const known = remembered.get(id) ?? {}
    remembered.delete(id)
    remembered.set(id, known)
    for (const oldest of remembered.keys()) if (remembered.size > REMEMBERED_MAX) remembered.delete(oldest)
    return known
  }
}

type Collected = {
  /** Newest first. */
  readonly rows: readonly unknown[]
  readonly next?: string | undefined
  /** The message behind these cannot be had. */
  readonly stopped: boolean
  readonly trouble?: Trouble
}

/** As many rows as are asked for, in several requests where messages are heavy. */
async function collect(
  ask: Ask,
  known: Known,
  page: { readonly limit: number; readonly older?: string },
): Promise<Collected> {
  const wanted = Math.max(1, Math.min(PAGE_MAX, page.limit))
  const rows: unknown[] = []
  let at: At = page.older === undefined ? { order: "desc" } : { cursor: page.older }
  for (;;) {
    const fitting = Math.max(1, Math.floor(PAGE_BYTES / Math.max(1, known.weight ?? 1)))
    const found = await longest(ask, at, Math.min(fitting, wanted - rows.length))
    const { trouble, next } = found
    if (trouble !== undefined && !isInside(trouble)) return { rows, stopped: false, trouble }
    rows.push(...found.rows)
    if (found.rows.length > 0) known.weight = found.bytes / found.rows.length
    if (stopsAt(found)) return { rows, stopped: true }
    if (rows.length >= wanted || next === undefined || found.rows.length === 0)
      return { rows, next, stopped: false }
    at = { cursor: next }
  }
}

/** The page that ends at what cannot be had, with what stands for it. */
async function besideGap(ask: Ask, known: Known, rows: readonly unknown[]): Promise<HostResult<RowPage>> {
  const newer = textField(rows[0], "id")
  const behind = known.behind?.newer === newer && newer !== "" ? known.behind : await lookBehind(ask, newer)
  if ("reason" in behind) return fault(behind)
  known.behind = behind
  const more = behind.pages.length === 0 ? {} : { older: `${BEHIND}${behind.pages.length - 1}` }
  return { ok: true, value: { rows: [gapBetween(behind.last, rows[0]), ...rows], ...more } }
}

/** A page before what cannot be had; it has the size it was found with. */
async function fromBehind(ask: Ask, known: Known, number: number): Promise<HostResult<RowPage>> {
  const behind = known.behind ?? (await lookBehind(ask, ""))
  if ("reason" in behind) return fault(behind)
  const rows = await pageBehind(ask, behind, number)
  if ("reason" in rows) return fault(rows)
  return { ok: true, value: { rows, ...(number === 0 ? {} : { older: `${BEHIND}${number - 1}` }) } }
}

function fault(trouble: Trouble): { readonly ok: false; readonly fault: HostFault } {
  return { ok: false, fault: faultOf(trouble) }
}

function repeated(id: string): Trouble {
  return { reason: "failed", message: `messages of ${id}: OpenCode repeated a page cursor` }
}
