import type { Entry } from "../catalog.ts"
import type { Stretch } from "../runs.ts"
import type { Steps } from "../steps.ts"
import type { StoredText } from "../texts.ts"
import type { Candidates } from "./candidates.ts"
import { isAllowed, isBefore } from "./limits.ts"
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
  if (!decidesByText(search, entry, reach, options))
    return (yield* findMessage(search, entry, word, reach, options)) !== undefined
  const role = options.anywhere === true ? undefined : search.filter.role
  if (word.share() > COMMON_SHARE && word.isSurelyIn(entry.key, role)) return true
  for (const stretch of word.stretchesIn(entry.key, role)) {
    const isIn = (stored: StoredText | undefined) =>
      stored !== undefined && word.isIn(stored.text, stored.plain)
    const held =
      (word.share() > COMMON_SHARE && isIn(search.messages.firstText(stretch))) ||
      search.messages.texts(stretch).some(isIn)
    yield "pause"
    if (held) return true
  }
  return false
}

/** A word that more blocks than this may hold is often in the first text that is looked at. */
const COMMON_SHARE = 0.3

/** True when no row needs to be asked: what its texts are made of, when and where they stand does not matter. */
function decidesByText(search: Search, entry: Entry, reach: Reach, { anywhere }: FindOptions): boolean {
  const { filter, kinds } = search
  if (kinds !== undefined || entry === search.caller) return false
  if (anywhere !== true && (filter.from !== undefined || filter.to !== undefined)) return false
  return reach.reverted || entry.session.revertedFrom === undefined
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
    for (const row of rowsHolding(search, entry, [word], stretch, reach, anywhere)) {
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
    const also = new Set(word.stretchesIn(entry.key, search.filter.role))
    stretches = stretches.filter((stretch) => also.has(stretch))
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

/** How many messages hold the word, roughly in a session with more than some stretches that may. */
export function* countMessages(search: Search, entry: Entry, word: Candidates): Steps<number> {
  const stretches = word.stretchesIn(entry.key)
  const counted = stretches.slice(0, COUNTED_STRETCHES)
  let held = 0
  for (const stretch of counted) {
    held += search.messages.texts(stretch).filter((stored) => word.isIn(stored.text, stored.plain)).length
    yield "pause"
  }
  return counted.length === 0 ? 0 : (held * stretches.length) / counted.length
}

/** Stretches whose messages are counted one by one for the order by relevance. */
const COUNTED_STRETCHES = 8

/** Stretches of the session that may hold the word, in the role and the dates asked for unless `anywhere`. */
function stretchesOf(search: Search, entry: Entry, word: Candidates, anywhere: boolean): readonly Stretch[] {
  const { role, from, to } = search.filter
  if (anywhere) return word.stretchesIn(entry.key)
  const stretches = word.stretchesIn(entry.key, role)
  if (from === undefined && to === undefined) return stretches
  return stretches.filter(({ oldest, newest }) => newest >= (from ?? -Infinity) && oldest <= (to ?? Infinity))
}

/** Allowed messages of a stretch that hold all the words, in row order. */
function* rowsHolding(
  search: Search,
  entry: Entry,
  words: readonly Candidates[],
  stretch: Stretch,
  reach: Reach,
  anywhere: boolean,
): Iterable<MessageRow> {
  const { kinds, messages } = search
  for (const stored of messages.texts(stretch)) {
    if (!words.every((word) => word.isIn(stored.text, stored.plain))) continue
    const row = messages.row(stored.rid)
    if (!row || !isAllowed(search, entry, row, reach, anywhere)) continue
    if (kinds === undefined || words.every((word) => holdsInKinds(row, stored, word, kinds))) yield row
  }
}

function earlier(row: MessageRow, other: MessageRow | undefined): MessageRow {
  return other && isBefore(other, row) ? other : row
}
