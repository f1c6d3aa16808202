import type { Entry } from "../read/catalog.ts"
import type { Filter } from "../contract.ts"
import { type Point, revertPoint } from "../read/reverted.ts"
import { numberIn, textIn } from "../file/rows.ts"
import type { MessageRow } from "./messages.ts"
import type { Limits, Reach, Search } from "./open.ts"

// Which of a session's messages count: of the role and the dates asked for, not reverted, and of the calling session
// only what is before its last compaction.

/** True when the message is at or behind the point the session is reverted to. */
export function isReverted(search: Search, entry: Entry, row: MessageRow): boolean {
  const { reverted } = limitsOf(search, entry)
  return reverted !== undefined && !isBefore(row, reverted)
}

export function isAllowed(
  search: Search,
  entry: Entry,
  row: MessageRow,
  reach: Reach,
  anywhere: boolean,
): boolean {
  const { filter } = search
  if (!anywhere) {
    if (filter.role !== undefined && row.role !== filter.role) return false
    if (filter.from !== undefined && row.created < filter.from) return false
    if (filter.to !== undefined && row.created > filter.to) return false
  }
  const { caller } = limitsOf(search, entry)
  if (caller !== undefined && !isBefore(row, caller)) return false
  return reach.reverted || !isReverted(search, entry, row)
}

/** True when all of the session's messages count, so that a text that holds a word decides without its row. */
export function decidesByText(search: Search, entry: Entry, reach: Reach): boolean {
  return entry !== search.caller && (reach.reverted || entry.session.revertedFrom === undefined)
}

export function isDated({ from, to }: Filter): boolean {
  return from !== undefined || to !== undefined
}

/** The title counts, whatever role is asked for, if the session was active in the dates asked for. What the
 * calling session is about is known to its model, unless a compaction lies in between. */
export function titleCounts(search: Search, entry: Entry): boolean {
  if (limitsOf(search, entry).caller?.created === -Infinity) return false
  return isActive(search, entry)
}

/** False only when nothing of the session was in the dates asked for. */
export function isNear({ filter }: Search, { session, oldest, newest }: Entry): boolean {
  const { from = -Infinity, to = Infinity } = filter
  return (session.updated >= from && session.updated <= to) || (newest >= from && oldest <= to)
}

export function isActive(search: Search, entry: Entry): boolean {
  const { from = -Infinity, to = Infinity } = search.filter
  const { updated } = entry.session
  if (updated >= from && updated <= to) return true
  // A message may be newer than what the last listing said of its session.
  search.catalog.checked.messages(entry)
  const row = search.database
    .prepare("SELECT 1 AS found FROM messages WHERE session = ? AND created BETWEEN ? AND ? LIMIT 1")
    .get(entry.key, Math.max(from, Number.MIN_SAFE_INTEGER), Math.min(to, Number.MAX_SAFE_INTEGER))
  return row !== undefined
}

function limitsOf(search: Search, entry: Entry): Limits {
  const known = search.limits.get(entry.key)
  if (known) return known
  const made = {
    reverted: revertPoint(search.database, search.catalog, entry),
    caller: entry === search.caller ? lastCompaction(search, entry) : undefined,
  }
  search.limits.set(entry.key, made)
  return made
}

function lastCompaction({ database, catalog }: Search, entry: Entry): Point {
  catalog.checked.messages(entry)
  for (const column of ["summary", "compaction"]) {
    const row = database
      .prepare(
        `SELECT created, id FROM messages WHERE session = ? AND ${column} = 1 ORDER BY created DESC, id DESC LIMIT 1`,
      )
      .get(entry.key)
    if (row) return { created: numberIn(row, "created"), id: textIn(row, "id") }
  }
  return { created: -Infinity, id: "" }
}

export function isBefore(row: Point, point: Point): boolean {
  return row.created < point.created || (row.created === point.created && row.id < point.id)
}
