import { excerpt } from "../../text/excerpt.ts"
import { findFolded } from "../../text/fold.ts"
import type { Entry } from "../read/catalog.ts"
import type { Hit } from "../contract.ts"
import type { Segment } from "../documents/documents.ts"
import type { Matcher } from "./matcher.ts"
import { numberIn } from "../file/rows.ts"
import { kindAt, readSegments } from "../documents/segments.ts"
import type { Steps } from "../steps.ts"
import type { StoredText } from "../store/texts.ts"
import { copiesElsewhere } from "./forks.ts"
import type { MessageRow } from "./messages.ts"
import { findMessage, messagesWithAll } from "./find.ts"
import { isReverted } from "./limits.ts"
import type { Reach, Search } from "./open.ts"

// What is shown of a matching session: per word the first message that holds it, or the newest messages that
// hold all. Only here a text is read for showing, and only of sessions that are shown.

/** An excerpt is at most this long: one or two lines of a terminal, and ten sessions stay below 8 KB. */
export const EXCERPT_UNITS = 300

export type SessionHits = { readonly hits: readonly Hit[]; readonly alsoInForks: number }

/** One hit a word. A message is told before the title, because it can be read. */
export function* hitsPerWord(
  search: Search,
  entry: Entry,
  reach: Reach,
  shown: (entry: Entry) => boolean,
): Steps<SessionHits> {
  const hits: Hit[] = []
  const rows: MessageRow[] = []
  for (const { word, candidates } of search.words) {
    const row = yield* findMessage(search, entry, candidates, reach)
    if (row) {
      rows.push(row)
      hits.push(messageHit(search, entry, row, word, candidates))
    } else hits.push(titleHit(entry, word, candidates.folded))
    yield "pause"
  }
  return { hits, alsoInForks: copiesElsewhere(search, entry, rows, shown) }
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
  if (!first) return { hits: [], alsoInForks: 0 }
  const rows = yield* messagesWithAll(search, entry, reach, limit)
  const hits = rows.map((row) => ({
    ...messageHit(search, entry, row, first.word, first.candidates),
    index: indexOf(search, entry, row),
  }))
  return { hits, alsoInForks: copiesElsewhere(search, entry, rows, shown) }
}

function messageHit(search: Search, entry: Entry, row: MessageRow, word: string, matcher: Matcher): Hit {
  const stored = search.messages.text(row.rid)
  const { text } = stored
  const segments = readSegments(row.segments)
  const at = findIn(search, stored, segments, matcher) ?? { start: 0, end: 0 }
  const kind = kindAt(segments, at.start)
  return {
    word,
    where: "message",
    messageID: row.id,
    role: row.role,
    ...(kind === undefined ? {} : { kind }),
    created: row.created,
    ...(isReverted(search, entry, row) ? { reverted: true } : {}),
    excerpt: excerpt(text, at, EXCERPT_UNITS),
    at,
  }
}

function findIn(search: Search, stored: StoredText, segments: readonly Segment[], word: Matcher) {
  const { kinds } = search
  if (kinds === undefined) return word.placeIn(stored.text, stored.plain)
  for (const segment of segments) {
    if (!kinds.has(segment.kind)) continue
    const found = word.placeIn(stored.text.slice(segment.start, segment.end), stored.plain)
    if (found) return { start: segment.start + found.start, end: segment.start + found.end }
  }
  return undefined
}

function titleHit(entry: Entry, word: string, folded: string): Hit {
  const { title } = entry.session
  const at = findFolded(title, folded) ?? { start: 0, end: 0 }
  return { word, where: "title", excerpt: excerpt(title, at, EXCERPT_UNITS), at }
}

function indexOf(search: Search, entry: Entry, row: MessageRow): number {
  const found = search.database
    .prepare("SELECT count(*) AS n FROM messages WHERE session = ? AND (created, id) < (?, ?)")
    .get(entry.key, row.created, row.id)
  return found ? numberIn(found, "n") : 0
}
