import { excerpt } from "../../text/excerpt.ts"
import { findFolded, type Range } from "../../text/fold.ts"
import type { Entry } from "../read/catalog.ts"
import type { Hit } from "../contract.ts"
import type { Matcher } from "./matcher.ts"
import { numberIn } from "../file/rows.ts"
import { kindAt, readSegments } from "../documents/segments.ts"
import type { Steps } from "../steps.ts"
import { copiesElsewhere } from "./forks.ts"
import type { MessageRow } from "./messages.ts"
import { messagesWithAll } from "./find.ts"
import { type Bounds, bestMessages, type FoundMessage } from "./best-messages.ts"
import { isReverted } from "./limits.ts"
import type { Reach, Search } from "./open.ts"

// What is shown of a matching session: the messages that together hold all words, best first, or the newest messages
// that hold all. Only here a text is read for showing, and only of sessions that are shown.

/** An excerpt is at most this long: one or two lines of a terminal. */
export const EXCERPT_UNITS = 300

export type SessionHits = {
  readonly hits: readonly Hit[]
  readonly alsoInForks: number
  readonly others?: { readonly messages: number; readonly atLeast: boolean }
  /** For the order by relevance and the best match. */
  readonly score: number
}

/** One hit a message, the best first; words that only the title holds come last. */
export function* bestHits(
  search: Search,
  entry: Entry,
  reach: Reach,
  bounds: Bounds,
  shown: (entry: Entry) => boolean,
): Steps<SessionHits> {
  const found = yield* bestMessages(search, entry, reach, bounds)
  const rows = found.shown.map((message) => message.row)
  const missing = new Set(search.words.map(({ word }) => word))
  const hits = found.shown.map((message) => {
    const hit = hitOf(search, entry, message, missing)
    for (const word of hit.words) missing.delete(word)
    return hit
  })
  const titled = search.words.filter((_, word) => found.titled[word] === true)
  const [first] = titled
  if (first) {
    const words = titled.map(({ word }) => word)
    hits.push(titleHit(entry, first.candidates.folded, { word: first.word, words }))
  }
  return {
    hits,
    alsoInForks: copiesElsewhere(search, entry, rows, shown),
    ...(found.others === 0 && !found.atLeast
      ? {}
      : { others: { messages: found.others, atLeast: found.atLeast } }),
    score: found.score,
  }
}

/** `missing` are the words that no hit before this one holds: the first of them is what it is shown for. */
function hitOf(
  search: Search,
  entry: Entry,
  { row, held, at }: FoundMessage,
  missing: ReadonlySet<string>,
): Hit {
  const words = search.words.flatMap(({ word }, index) => (held[index] === true ? [word] : []))
  const word = words.find((one) => missing.has(one)) ?? words[0] ?? ""
  return messageHit(search, entry, row, at, { word, words })
}

/** The newest messages that hold every word, each shown around the first word. */
export function* hitsPerMessage(
  search: Search,
  entry: Entry,
  reach: Reach,
  limit: number,
  shown: (entry: Entry) => boolean,
): Steps<SessionHits> {
  const [first] = search.words
  if (!first) return { hits: [], alsoInForks: 0, score: 0 }
  const rows = yield* messagesWithAll(search, entry, reach, limit)
  const said = { word: first.word, words: search.words.map(({ word }) => word) }
  const hits = rows.map((row) => {
    const at = findIn(search, row, first.candidates) ?? { start: 0, end: 0 }
    return { ...messageHit(search, entry, row, at, said), index: indexOf(search, entry, row) }
  })
  return { hits, alsoInForks: copiesElsewhere(search, entry, rows, shown), score: 0 }
}

function messageHit(
  search: Search,
  entry: Entry,
  row: MessageRow,
  at: Range,
  said: Pick<Hit, "word" | "words">,
): Hit {
  const kind = kindAt(readSegments(row.segments), at.start)
  return {
    ...said,
    where: "message",
    messageID: row.id,
    role: row.role,
    ...(kind === undefined ? {} : { kind }),
    created: row.created,
    ...(isReverted(search, entry, row) ? { reverted: true } : {}),
    excerpt: excerpt(search.messages.text(row.rid).text, at, EXCERPT_UNITS),
    at,
  }
}

/** The first place of the word in the kinds of text asked for. */
function findIn(search: Search, row: MessageRow, word: Matcher): Range | undefined {
  const { kinds } = search
  const stored = search.messages.text(row.rid)
  if (kinds === undefined) return word.placeIn(stored.text, stored.plain)
  for (const segment of readSegments(row.segments)) {
    if (!kinds.has(segment.kind)) continue
    const found = word.placeIn(stored.text.slice(segment.start, segment.end), stored.plain)
    if (found) return { start: segment.start + found.start, end: segment.start + found.end }
  }
  return undefined
}

function titleHit(entry: Entry, folded: string, said: Pick<Hit, "word" | "words">): Hit {
  const { title } = entry.session
  const at = findFolded(title, folded) ?? { start: 0, end: 0 }
  return { ...said, where: "title", excerpt: excerpt(title, at, EXCERPT_UNITS), at }
}

function indexOf(search: Search, entry: Entry, row: MessageRow): number {
  const found = search.database
    .prepare("SELECT count(*) AS n FROM messages WHERE session = ? AND (created, id) < (?, ?)")
    .get(entry.key, row.created, row.id)
  return found ? numberIn(found, "n") : 0
}
