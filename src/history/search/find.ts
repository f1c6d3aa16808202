import type { Entry } from "../read/catalog.ts"
import { nameOf, type Stretch } from "../runs/runs.ts"
import type { Steps } from "../steps.ts"
import type { Candidates } from "./candidates.ts"
import { decidesByText, isAllowed, isBefore, isDated } from "./limits.ts"
import { holdsInKinds, type MessageRow } from "./messages.ts"
import type { Reach, Search } from "./open.ts"

// Finds words in the texts of one session: whether, where first, in which messages all of them. Only stretches that
// may hold a word are read, and no further than the answer needs.

export type FindOptions = {
  /** Whatever role and date: for exclusions. */
  readonly anywhere?: boolean
  /** A further condition, asked last. */
  readonly accept?: (row: MessageRow) => boolean
}

/** True when an allowed message of the session holds the word. */
export function* isInSession(
  search: Search,
  entry: Entry,
  word: Candidates,
  reach: Reach,
  options: FindOptions = {},
): Steps<boolean> {
  const anywhere = options.anywhere === true
  const byText = decidesByText(search, entry, reach) && (anywhere || search.kinds === undefined)
  if (byText && word.isSurelyIn(entry.key) && (anywhere || !isDated(search.filter))) return true
  for (const stretch of stretchesOf(search, entry, word, anywhere)) {
    const held =
      byText && (anywhere || isWithinDates(search, stretch))
        ? search.messages.texts(stretch).some((stored) => word.isIn(stored.text, stored.plain))
        : holdsAny(rowsHolding(search, entry, [word], stretch, reach, anywhere))
    yield "pause"
    if (held) return true
  }
  return false
}

/** True when all messages of the stretch are of the dates asked for. A replaced text may have another time. */
function isWithinDates({ filter, catalog }: Search, stretch: Stretch): boolean {
  if (!isDated(filter)) return true
  const { from = -Infinity, to = Infinity } = filter
  return stretch.oldest >= from && stretch.newest <= to && !catalog.places.isDirty(stretch)
}

function holdsAny(rows: Iterable<MessageRow>): boolean {
  for (const _ of rows) return true
  return false
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
  let first: MessageRow | undefined
  const anywhere = options.anywhere === true
  const stretches = stretchesOf(search, entry, word, anywhere)
  for (const stretch of stretches.toSorted((one, other) => one.oldest - other.oldest)) {
    if (first && stretch.oldest > first.created) break
    const isLate = (row: MessageRow): boolean => first !== undefined && isBefore(first, row)
    for (const row of rowsHolding(search, entry, [word], stretch, reach, anywhere, isLate)) {
      if (options.accept?.(row) === false) continue
      if (row.summary) summary = earlier(row, summary)
      else first = earlier(row, first)
    }
    yield "pause"
  }
  return first ?? summary
}

/** The newest messages that hold every word, newest first. */
export function* messagesWithAll(
  search: Search,
  entry: Entry,
  reach: Reach,
  limit: number,
  accept?: (row: MessageRow) => boolean,
): Steps<readonly MessageRow[]> {
  const [rarest, ...others] = search.tried.toSorted((one, other) => one.share() - other.share())
  if (!rarest) return []
  let stretches = stretchesOf(search, entry, rarest, false)
  for (const word of others) {
    // A text and all its grams are in one block of a run, or in the tail.
    const also = new Set(word.stretchesIn(entry.key).map(nameOf))
    stretches = stretches.filter((stretch) => also.has(nameOf(stretch)))
  }
  const found = new Map<number, MessageRow>()
  let newest: readonly MessageRow[] = []
  for (const stretch of stretches.toSorted((one, other) => other.newest - one.newest)) {
    const last = newest[limit - 1]
    if (last && stretch.newest < last.created) break
    for (const row of rowsHolding(search, entry, search.tried, stretch, reach, false))
      if (accept?.(row) !== false) found.set(row.rid, row)
    yield "pause"
    newest = [...found.values()].sort((one, other) => (isBefore(one, other) ? 1 : -1)).slice(0, limit)
  }
  return newest
}

/** Stretches of the session that may hold the word, in the dates asked for unless `anywhere`. */
export function stretchesOf(
  search: Search,
  entry: Entry,
  word: Candidates,
  anywhere: boolean,
): readonly Stretch[] {
  const { from, to } = search.filter
  const stretches = word.stretchesIn(entry.key)
  if (anywhere || !isDated(search.filter)) return stretches
  return stretches.filter(({ oldest, newest }) => newest >= (from ?? -Infinity) && oldest <= (to ?? Infinity))
}

/** Allowed messages of a stretch that hold all the words; some that are not wanted may be left out. */
function* rowsHolding(
  search: Search,
  entry: Entry,
  words: readonly Candidates[],
  stretch: Stretch,
  reach: Reach,
  anywhere: boolean,
  isUnwanted?: (row: MessageRow) => boolean,
): Iterable<MessageRow> {
  const { kinds, messages } = search
  for (const stored of messages.texts(stretch)) {
    const early = isUnwanted && stored.deflated ? messages.row(stored.rid) : undefined
    if (early && isUnwanted?.(early)) continue
    if (!words.every((word) => word.isIn(stored.text, stored.plain))) continue
    const row = early ?? messages.row(stored.rid)
    if (!isAllowed(search, entry, row, reach, anywhere)) continue
    if (anywhere || kinds === undefined || words.every((word) => holdsInKinds(row, stored, word, kinds)))
      yield row
  }
}

function earlier(row: MessageRow, other: MessageRow | undefined): MessageRow {
  return other && isBefore(other, row) ? other : row
}
