import type { Database } from "../../storage/sqlite.ts"
import type { Catalog } from "../read/catalog.ts"
import type { SearchAnswer, SearchRequest, SessionMatch } from "../contract.ts"
import type { Steps } from "../steps.ts"
import { hitsPerMessage, hitsPerWord, type SessionHits } from "./hits.ts"
import { noHitHelp } from "./help.ts"
import { relevance } from "./rank.ts"
import { countMessages } from "./find.ts"
import { openSearch, type Search } from "./open.ts"
import { type Match, type Walk, walkSessions } from "./walk.ts"

// The search for sessions: a walk, then what is shown of its matches.

/** Sessions that are ranked by relevance: the newest of the matching ones. */
export const RANKED_SESSIONS = 500

/** Hits of one session with unit "message", unless asked otherwise. */
export const HITS_PER_SESSION = 3

export function* searchSessions(
  database: Database,
  catalog: Catalog,
  request: SearchRequest,
): Steps<SearchAnswer> {
  const search = openSearch(database, catalog, request, request)
  const walk = yield* request.sort === "relevance" ? rankedWalk(search, request) : newestWalk(search, request)
  const sessions: SessionMatch[] = []
  for (const match of walk.matches) {
    const shown = request.hits ? yield* hitsOf(search, request, match, walk) : { hits: [], alsoInForks: 0 }
    sessions.push({ session: match.entry.session, ...shown, reverted: match.reverted })
  }
  const nothing = sessions.length === 0 && request.words.length > 0 && request.after === undefined
  const help = nothing ? yield* noHitHelp(search, walk.coverage.complete) : undefined
  return {
    sessions,
    more: walk.more,
    hidden: walk.hidden,
    coverage: walk.coverage,
    ...(help === undefined ? {} : { help }),
  }
}

function newestWalk(search: Search, request: SearchRequest): Steps<Walk> {
  return walkSessions(search, { limit: request.limit, ...(request.after ? { after: request.after } : {}) })
}

function* rankedWalk(search: Search, request: SearchRequest): Steps<Walk> {
  const walk = yield* walkSessions(search, { limit: Math.max(RANKED_SESSIONS, request.limit) })
  const scored: { readonly match: Match; readonly score: number }[] = []
  for (const match of walk.matches) {
    const { entry } = match
    const evidence = []
    for (const word of search.tried) {
      const hits = yield* countMessages(search, entry, word)
      evidence.push({ hits, inTitle: word.isTitled(entry.key) })
    }
    scored.push({ match, score: relevance(evidence, entry.session.messages) })
  }
  // A stable sort: what scores alike stays newest first.
  scored.sort((one, other) => other.score - one.score)
  const matches = scored.slice(0, request.limit).map((one) => one.match)
  const complete = walk.coverage.complete && !walk.more
  return {
    ...walk,
    matches,
    more: walk.more || scored.length > matches.length,
    coverage: { ...walk.coverage, complete },
  }
}

function hitsOf(search: Search, request: SearchRequest, match: Match, walk: Walk): Steps<SessionHits> {
  const reach = { reverted: match.reverted || request.include.includes("reverted") }
  return search.unit === "message"
    ? hitsPerMessage(search, match.entry, reach, request.hitsPerSession ?? HITS_PER_SESSION, walk.shown)
    : hitsPerWord(search, match.entry, reach, walk.shown)
}
