import type { Database } from "../../storage/sqlite.ts"
import type { Catalog } from "../read/catalog.ts"
import type { SearchAnswer, SearchRequest, SessionMatch } from "../contract.ts"
import type { Steps } from "../steps.ts"
import { hitsPerMessage, hitsPerWord, type SessionHits } from "./hits.ts"
import { noHitHelp } from "./help.ts"
import { relevance } from "./rank.ts"
import { countMessages } from "./find.ts"
import { openSearch, type Search } from "./open.ts"
import { type Match, SEARCH_BUDGET_MS, type Walk, walkSessions } from "./walk.ts"

// The search for sessions: a walk, then what is shown of its matches.

/** Sessions that are ranked by relevance: the newest of the matching ones. */
export const RANKED_SESSIONS = 500

/** Hits of one session with unit "message", unless asked otherwise. */
export const HITS_PER_SESSION = 3

export function* searchSessions(
  database: Database,
  catalog: Catalog,
  request: SearchRequest,
  budgetMs = SEARCH_BUDGET_MS,
): Steps<SearchAnswer> {
  const until = performance.now() + budgetMs
  const search = openSearch(database, catalog, request, request)
  const walk = yield* request.sort === "relevance"
    ? rankedWalk(search, request, until)
    : newestWalk(search, request, until)
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

function newestWalk(search: Search, request: SearchRequest, until: number): Steps<Walk> {
  return walkSessions(search, {
    limit: request.limit,
    budgetMs: until - performance.now(),
    ...(request.after ? { after: request.after } : {}),
  })
}

function* rankedWalk(search: Search, request: SearchRequest, until: number): Steps<Walk> {
  const walk = yield* walkSessions(search, {
    limit: Math.max(RANKED_SESSIONS, request.limit),
    // The other half is for the scores.
    budgetMs: (until - performance.now()) / 2,
  })
  const scored: { readonly match: Match; readonly score: number }[] = []
  let unscored = 0
  for (const match of walk.matches) {
    const score = yield* scoreOf(search, match, until)
    if (score === undefined) unscored++
    // Behind all that were scored, newest first.
    scored.push({ match, score: score ?? -Infinity })
  }
  // A stable sort: what scores alike stays newest first.
  scored.sort((one, other) => (one.score === other.score ? 0 : other.score - one.score))
  const matches = scored.slice(0, request.limit).map((one) => one.match)
  const complete = walk.coverage.complete && !walk.more && unscored === 0
  return {
    ...walk,
    matches,
    more: walk.more || scored.length > matches.length,
    coverage: { ...walk.coverage, complete, searched: Math.max(0, walk.coverage.searched - unscored) },
  }
}

/** How well a session fits; undefined when the time was over before all words were counted in it. */
function* scoreOf(search: Search, { entry }: Match, until: number): Steps<number | undefined> {
  const evidence = []
  for (const word of search.tried) {
    if (performance.now() > until) return undefined
    const hits = yield* countMessages(search, entry, word)
    evidence.push({ hits, inTitle: word.isTitled(entry.key) })
  }
  return relevance(evidence, entry.session.messages)
}

function hitsOf(search: Search, request: SearchRequest, match: Match, walk: Walk): Steps<SessionHits> {
  const reach = { reverted: match.reverted || request.include.includes("reverted") }
  return search.unit === "message"
    ? hitsPerMessage(search, match.entry, reach, request.hitsPerSession ?? HITS_PER_SESSION, walk.shown)
    : hitsPerWord(search, match.entry, reach, walk.shown)
}
