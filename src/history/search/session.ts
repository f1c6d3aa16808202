import type { Entry } from "../catalog.ts"
import type { Steps } from "../steps.ts"
import type { Candidates } from "./candidates.ts"
import { isInSession, messagesWithAll } from "./find.ts"
import { isActive, isNear, titleCounts } from "./limits.ts"
import type { Reach, Search } from "./open.ts"

// Whether one session matches: every word in an allowed message or the title, no excluded word anywhere, the
// file edited. Cheapest questions first; a text is read only to decide a word.

/** False only when the session does not match; asks no text. */
export function mayMatch(search: Search, entry: Entry): boolean {
  const { key, foldedTitle } = entry
  if (search.edited && !search.edited.has(key)) return false
  if (!isNear(search, entry)) return false
  for (const word of search.tried)
    if (!foldedTitle.includes(word.folded) && !word.mayBeIn(key, search.filter.role)) return false
  return true
}

export function* matchesSession(search: Search, entry: Entry, reach: Reach): Steps<boolean> {
  const { filter } = search
  if (!mayMatch(search, entry)) return false
  const checks = [() => holdsWords(search, entry, reach), () => holdsNoExcluded(search, entry, reach)]
  // What most sessions fail is asked first.
  if (excludesMost(search)) checks.reverse()
  for (const check of checks) if (!(yield* check())) return false
  return filter.from === undefined && filter.to === undefined ? true : isActive(search, entry)
}

function* holdsWords(search: Search, entry: Entry, reach: Reach): Steps<boolean> {
  const titled = titleCounts(search, entry)
  const isTitled = (word: Candidates) => titled && entry.foldedTitle.includes(word.folded)
  if (search.unit === "message")
    return search.tried.every(isTitled) || (yield* messagesWithAll(search, entry, reach, 1)).length > 0
  if (search.tried.length === 0) return isActive(search, entry)
  const open = search.tried.filter((word) => !isTitled(word))
  if (open.length > 1) open.sort((one, other) => one.share() - other.share())
  for (const word of open) if (!(yield* isInSession(search, entry, word, reach))) return false
  return true
}

function* holdsNoExcluded(search: Search, entry: Entry, reach: Reach): Steps<boolean> {
  for (const word of search.excluded) {
    if (entry.foldedTitle.includes(word.folded)) return false
    if (yield* isInSession({ ...search, kinds: undefined }, entry, word, reach, { anywhere: true }))
      return false
  }
  return true
}

function excludesMost({ tried, excluded }: Search): boolean {
  const rarest = tried.reduce((least, word) => Math.min(least, word.share()), 1)
  return excluded.some((word) => word.share() > 1 - rarest)
}
