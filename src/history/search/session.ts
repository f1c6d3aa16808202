import type { Entry } from "../read/catalog.ts"
import type { Steps } from "../steps.ts"
import type { Candidates } from "./candidates.ts"
import { isInSession, messagesWithAll } from "./find.ts"
import { decidesByText, isActive, isDated, isNear, titleCounts } from "./limits.ts"
import type { Reach, Search } from "./open.ts"

// Whether one session matches: every word in an allowed message or the title, no excluded word anywhere, the
// file edited. Cheapest questions first; a text is read only to decide a word.

/** Whether the session matches, as far as that is known without reading a text; undefined when it is not. */
export function knownMatch(search: Search, entry: Entry, reach: Reach): boolean | undefined {
  const { tried, excluded, filter } = search
  const { key } = entry
  if (search.edited && !search.edited.has(key)) return false
  if (isDated(filter) && !isNear(search, entry)) return false
  // Nearly all sessions end here; by index, because an iterator a session is a third of it.
  for (let at = 0; at < tried.length; at++) if (tried[at]?.mayBeIn(key) === false) return false
  const byText = decidesByText(search, entry, reach)
  for (const word of excluded) if (word.isTitled(key) || (byText && word.isSurelyIn(key))) return false
  if (!byText || search.kinds || search.unit === "message" || isDated(filter)) return undefined
  for (const word of tried) if (!word.isTitled(key) && !word.isSurelyIn(key)) return undefined
  for (const word of excluded) if (word.mayBeIn(key)) return undefined
  return true
}

export function* matchesSession(search: Search, entry: Entry, reach: Reach): Steps<boolean> {
  const known = knownMatch(search, entry, reach)
  if (known !== undefined) return known
  const checks = [() => holdsWords(search, entry, reach), () => holdsNoExcluded(search, entry, reach)]
  // What most sessions fail is asked first.
  if (excludesMost(search)) checks.reverse()
  for (const check of checks) if (!(yield* check())) return false
  return isDated(search.filter) ? isActive(search, entry) : true
}

function* holdsWords(search: Search, entry: Entry, reach: Reach): Steps<boolean> {
  const titled = titleCounts(search, entry)
  const isTitled = (word: Candidates) => titled && word.isTitled(entry.key)
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
    if (word.isTitled(entry.key)) return false
    if (yield* isInSession(search, entry, word, reach, { anywhere: true })) return false
  }
  return true
}

function excludesMost({ tried, excluded }: Search): boolean {
  const rarest = tried.reduce((least, word) => Math.min(least, word.share()), 1)
  return excluded.some((word) => word.share() > 1 - rarest)
}
