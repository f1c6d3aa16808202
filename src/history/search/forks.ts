import type { Entry } from "../read/catalog.ts"
import { numberIn } from "../file/rows.ts"
import type { Steps } from "../steps.ts"
import type { MessageRow } from "./messages.ts"
import { findMessage, messagesWithAll } from "./find.ts"
import type { Reach, Search } from "./open.ts"

// Forks copy messages. A copy counts where it was written first: a session whose matches are all copies is not
// listed, its original says in how many forks the match is too. A copy is older than the session it is in.

/** Sessions that can be the original: those a search shows. */
export type Shown = (entry: Entry) => boolean

/** Of a matching session: the session its matches were copied from; undefined when one match is its own. */
export function* originalOf(
  search: Search,
  entry: Entry,
  reach: Reach,
  shown: Shown,
): Steps<Entry | undefined> {
  if (!entry.shared || search.tried.length === 0) return undefined
  let newest: Entry | undefined
  const isOwn = (row: MessageRow): boolean => {
    const original = writtenIn(search, entry, row, shown)
    if (original === entry) return true
    if (!newest || original.session.created > newest.session.created) newest = original
    return false
  }
  if (search.unit === "message") {
    if ((yield* messagesWithAll(search, entry, reach, 1, isOwn)).length > 0) return undefined
  } else {
    for (const word of search.tried) {
      if (yield* findMessage(search, entry, word, reach, { accept: isOwn })) return undefined
    }
  }
  // Only the title matched: it is the session's own.
  return newest
}

/** In how many other shown sessions these messages are, as copies. */
export function copiesElsewhere(
  search: Search,
  entry: Entry,
  rows: readonly MessageRow[],
  shown: Shown,
): number {
  if (!entry.shared) return 0
  const keys = new Set<number>()
  for (const row of rows) {
    for (const holder of holders(search, row, shown)) if (isCopyIn(holder, row)) keys.add(holder.key)
  }
  keys.delete(entry.key)
  return keys.size
}

/** The oldest shown session that holds this message. */
export function writtenIn(search: Search, entry: Entry, row: MessageRow, shown: Shown): Entry {
  if (!isCopyIn(entry, row)) return entry
  return holders(search, row, shown).reduce(
    (oldest, other) => (isOlder(other, oldest) ? other : oldest),
    entry,
  )
}

/** Two people may write the same words at the same time; only a fork holds a message older than itself. */
function isCopyIn(entry: Entry, row: MessageRow): boolean {
  return row.created < entry.session.created
}

function holders(search: Search, row: MessageRow, shown: Shown): readonly Entry[] {
  search.catalog.checked.copies(search.catalog.entries.filter((entry) => entry.shared))
  return search.database
    .prepare(
      `SELECT DISTINCT session FROM messages
       WHERE print = (SELECT print FROM messages WHERE rid = ?) AND units > 0`,
    )
    .all(row.rid)
    .map((found) => search.catalog.byKey(numberIn(found, "session")))
    .filter((entry) => entry !== undefined)
    .filter(shown)
}

function isOlder(one: Entry, other: Entry): boolean {
  return (
    one.session.created < other.session.created ||
    (one.session.created === other.session.created && one.session.id < other.session.id)
  )
}
