import type { Database } from "../../storage/sqlite.ts"
import type { Catalog, Entry } from "../catalog.ts"
import type { DocumentKind, Filter } from "../contract.ts"
import { foldWord } from "../grams.ts"
import { numberIn, textIn } from "../rows.ts"
import type { Steps } from "../steps.ts"
import { type Candidates, openCandidates } from "./candidates.ts"
import { editedSessions } from "./edited.ts"
import { createMessageReader, type MessageReader, type MessageRow } from "./messages.ts"

// Whether one session matches: every word in an allowed message or the title, no excluded word anywhere, the
// file edited. Cheapest questions first; a text is read only to decide a word, one message at a time.

export type Search = {
  readonly database: Database
  readonly catalog: Catalog
  readonly filter: Filter
  readonly kinds: ReadonlySet<DocumentKind> | undefined
  readonly unit: "session" | "message"
  readonly messages: MessageReader
  /** As asked for, and in the order they are tried: rare words first, short ones last. */
  readonly words: readonly { readonly word: string; readonly candidates: Candidates }[]
  readonly tried: readonly Candidates[]
  readonly excluded: readonly Candidates[]
  /** Sessions that edited the file of `path`. */
  readonly edited: ReadonlySet<number> | undefined
  readonly caller: Entry | undefined
  /** Ends of sessions, by key; see limitsOf. */
  readonly limits: Map<number, Limits>
}

export type SearchOptions = {
  readonly kinds?: readonly DocumentKind[]
  readonly unit?: "session" | "message"
}

/** Opens the word's candidates; `closeSearch` must follow. */
export function openSearch(
  database: Database,
  catalog: Catalog,
  filter: Filter,
  options: SearchOptions = {},
): Search {
  const words = filter.words.map((word) => ({ word, candidates: openCandidates(database, foldWord(word)) }))
  const excluded = filter.excluded.map((word) => openCandidates(database, foldWord(word)))
  for (const candidates of [...words.map((word) => word.candidates), ...excluded]) candidates.probe()
  return {
    database,
    catalog,
    filter,
    kinds: options.kinds === undefined ? undefined : new Set(options.kinds),
    unit: options.unit ?? "session",
    messages: createMessageReader(database),
    words,
    tried: words.map((word) => word.candidates).sort((one, other) => cost(one) - cost(other)),
    excluded,
    edited: filter.path === undefined ? undefined : editedSessions(database, filter.path),
    caller: filter.callerSessionID === undefined ? undefined : catalog.byID(filter.callerSessionID),
    limits: new Map(),
  }
}

export function closeSearch(search: Search): void {
  for (const { candidates } of search.words) candidates.close()
  for (const candidates of search.excluded) candidates.close()
}

/** Which of a session's messages may hold a word. */
export type Reach = { readonly reverted: boolean }

export function* matchesSession(search: Search, entry: Entry, reach: Reach): Steps<boolean> {
  const { filter } = search
  if (search.edited && !search.edited.has(entry.key)) return false
  const titled = titleCounts(search, entry)
  if (search.unit === "message") {
    if (!(titled && search.tried.every((word) => entry.foldedTitle.includes(word.folded)))) {
      if ((yield* messagesWithAll(search, entry, reach, 1)).length === 0) return false
    }
  } else {
    const open = search.tried.filter((word) => !(titled && entry.foldedTitle.includes(word.folded)))
    for (const word of open) if (!(yield* findMessage(search, entry, word, reach))) return false
    if (search.tried.length === 0 && !isActive(search, entry)) return false
  }
  for (const word of search.excluded) {
    if (entry.foldedTitle.includes(word.folded)) return false
    if (yield* findMessage({ ...search, kinds: undefined }, entry, word, reach, { anywhere: true }))
      return false
  }
  return filter.from === undefined && filter.to === undefined ? true : isActive(search, entry)
}

export type FindOptions = {
  /** Whatever role and date: for exclusions. */
  readonly anywhere?: boolean
  /** A further condition, asked last. */
  readonly accept?: (row: MessageRow) => boolean
}

/** The first message that holds the word, in the host's order; a summary only when no other message does. */
export function* findMessage(
  search: Search,
  entry: Entry,
  word: Candidates,
  reach: Reach,
  options: FindOptions = {},
): Steps<MessageRow | undefined> {
  let summary: MessageRow | undefined
  for (const row of inHostOrder(search, entry, yield* word.inSession(entry.key))) {
    if (row.summary && summary !== undefined) continue
    if (!isAllowed(search, entry, row, reach, options.anywhere ?? false)) continue
    const held =
      (word.exact && search.kinds === undefined) || search.messages.holds(row, word.folded, search.kinds)
    yield "pause"
    if (!held || options.accept?.(row) === false) continue
    if (!row.summary) return row
    summary = row
  }
  return summary
}

/** The newest messages that hold every word, newest first. */
export function* messagesWithAll(
  search: Search,
  entry: Entry,
  reach: Reach,
  limit: number,
  accept?: (row: MessageRow) => boolean,
): Steps<readonly MessageRow[]> {
  const [first, ...others] = search.tried
  if (!first) return []
  let rids = yield* first.inSession(entry.key)
  for (const word of others) {
    if (rids.length === 0) return []
    const also = new Set(yield* word.inSession(entry.key))
    rids = rids.filter((rid) => also.has(rid))
  }
  const found: MessageRow[] = []
  for (const row of [...inHostOrder(search, entry, rids)].reverse()) {
    if (!isAllowed(search, entry, row, reach, false)) continue
    const all = search.tried.every((word) => search.messages.holds(row, word.folded, search.kinds))
    yield "pause"
    if (!all || accept?.(row) === false) continue
    found.push(row)
    if (found.length === limit) break
  }
  return found
}

/** True when the message is at or behind the point the session is reverted to. */
export function isReverted(search: Search, entry: Entry, row: MessageRow): boolean {
  const { reverted } = limitsOf(search, entry)
  return reverted !== undefined && !isBefore(row, reverted)
}

function isAllowed(search: Search, entry: Entry, row: MessageRow, reach: Reach, anywhere: boolean): boolean {
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

/** The title counts, whatever role is asked for, if the session was active in the dates asked for. What the
 * calling session is about is known to its model, unless a compaction lies in between. */
function titleCounts(search: Search, entry: Entry): boolean {
  if (limitsOf(search, entry).caller?.created === -Infinity) return false
  return isActive(search, entry)
}

function isActive(search: Search, entry: Entry): boolean {
  const { from = -Infinity, to = Infinity } = search.filter
  const { updated } = entry.session
  if (updated >= from && updated <= to) return true
  // A message may be newer than what the last listing said of its session.
  const row = search.database
    .prepare("SELECT 1 AS found FROM messages WHERE session = ? AND created BETWEEN ? AND ? LIMIT 1")
    .get(entry.key, Math.max(from, Number.MIN_SAFE_INTEGER), Math.min(to, Number.MAX_SAFE_INTEGER))
  return row !== undefined
}

type Point = { readonly created: number; readonly id: string }

/** Messages from these on do not count: reverted ones, and for the calling session what is in its context. */
type Limits = { readonly reverted: Point | undefined; readonly caller: Point | undefined }

function limitsOf(search: Search, entry: Entry): Limits {
  const known = search.limits.get(entry.key)
  if (known) return known
  const made = {
    reverted: revertPoint(search.database, entry),
    caller: entry === search.caller ? lastCompaction(search.database, entry) : undefined,
  }
  search.limits.set(entry.key, made)
  return made
}

function revertPoint(database: Database, entry: Entry): Point | undefined {
  const id = entry.session.revertedFrom
  if (id === undefined) return undefined
  const row = database.prepare("SELECT created FROM messages WHERE session = ? AND id = ?").get(entry.key, id)
  // Not stored: nothing stored is known to be behind it but what has a later id; hosts' ids ascend.
  if (row) return { created: numberIn(row, "created"), id }
  const next = database
    .prepare("SELECT created, id FROM messages WHERE session = ? AND id > ? ORDER BY created, id LIMIT 1")
    .get(entry.key, id)
  return next ? { created: numberIn(next, "created"), id: textIn(next, "id") } : undefined
}

function lastCompaction(database: Database, entry: Entry): Point {
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

function isBefore(row: MessageRow, point: Point): boolean {
  return row.created < point.created || (row.created === point.created && row.id < point.id)
}

function* inHostOrder(search: Search, entry: Entry, rids: readonly number[]): Iterable<MessageRow> {
  if (entry.inOrder) {
    for (const rid of rids) {
      const row = search.messages.row(rid)
      if (row) yield row
    }
    return
  }
  const rows = rids.map((rid) => search.messages.row(rid)).filter((row) => row !== undefined)
  yield* rows.sort((one, other) => one.created - other.created || (one.id < other.id ? -1 : 1))
}

function cost(word: Candidates): number {
  if (word.rare()) return 0
  return word.exact ? 2 : word.folded.length < 3 ? 3 : 1
}
