import type { Database } from "../../storage/sqlite.ts"
import type { Catalog } from "../read/catalog.ts"
import type { SearchAnswer, SearchRequest, SessionMatch } from "../contract.ts"
import type { Steps } from "../steps.ts"
import { type Bounds, bestMessages, RANKED_BOUNDS, SHOWN_BOUNDS } from "./best-messages.ts"
import { bestHits, hitsPerMessage, type SessionHits } from "./hits.ts"
import { noHitHelp } from "./help.ts"
import { openSearch, type Reach, type Search } from "./open.ts"
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
  const ranked = request.sort === "relevance" && search.tried.length > 0
  const walk = yield* ranked ? rankedWalk(search, request, until) : newestWalk(search, request, until)
  const shown = yield* shownOf(search, request, walk, until)
  const nothing = shown.length === 0 && request.words.length > 0 && request.after === undefined
  const help = nothing ? yield* noHitHelp(search, walk.coverage.complete) : undefined
  const best = request.hits && search.unit === "session" ? bestOf(shown) : undefined
  return {
    sessions: shown.map((one) => one.match),
    more: walk.more,
    hidden: walk.hidden,
    coverage: walk.coverage,
    ...(help === undefined ? {} : { help }),
    ...(best === undefined ? {} : { best }),
  }
}

type Scored = { readonly match: SessionMatch; readonly score: number }

function* shownOf(
  search: Search,
  request: SearchRequest,
  walk: Walk,
  until: number,
): Steps<readonly Scored[]> {
  const { thorough = 0 } = request
  const look = function* (match: Match, bounds: Bounds): Steps<Scored> {
    const found = request.hits ? yield* hitsOf(search, request, match, walk, { ...bounds, until }) : NO_HITS
    const { score, ...hits } = found
    return { match: { session: match.entry.session, ...hits, reverted: match.reverted }, score }
  }
  const shown: Scored[] = []
  for (const [at, match] of walk.matches.entries())
    shown.push(yield* look(match, at < thorough ? SHOWN_BOUNDS : RANKED_BOUNDS))
  // The best match is looked through wherever it stands.
  const most = mostScored(shown)
  const best = most === undefined ? -1 : shown.indexOf(most)
  const match = walk.matches[best]
  if (match && best >= thorough && request.hits) shown[best] = yield* look(match, SHOWN_BOUNDS)
  return shown
}

const NO_HITS: SessionHits = { hits: [], alsoInForks: 0, score: 0 }

function mostScored(shown: readonly Scored[]): Scored | undefined {
  return shown.reduce<Scored | undefined>(
    (best, one) => (best === undefined || one.score > best.score ? one : best),
    undefined,
  )
}

function bestOf(shown: readonly Scored[]): SearchAnswer["best"] {
  const best = mostScored(shown)
  if (best === undefined) return undefined
  const messageID = best.match.hits[0]?.messageID
  return { sessionID: best.match.session.id, ...(messageID === undefined ? {} : { messageID }) }
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
    const score = yield* scoreOf(search, request, match, until)
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

/** How well a session answers; undefined when the time was over before all that is looked at of it was scored. */
function* scoreOf(
  search: Search,
  request: SearchRequest,
  match: Match,
  until: number,
): Steps<number | undefined> {
  if (performance.now() > until) return undefined
  const found = yield* bestMessages(search, match.entry, reachOf(request, match), { ...RANKED_BOUNDS, until })
  return found.late ? undefined : found.score
}

function reachOf(request: SearchRequest, match: Match): Reach {
  return { reverted: match.reverted || request.include.includes("reverted") }
}

function hitsOf(
  search: Search,
  request: SearchRequest,
  match: Match,
  walk: Walk,
  bounds: Bounds,
): Steps<SessionHits> {
  const reach = reachOf(request, match)
  return search.unit === "message"
    ? hitsPerMessage(search, match.entry, reach, request.hitsPerSession ?? HITS_PER_SESSION, walk.shown)
    : bestHits(search, match.entry, reach, bounds, walk.shown)
}
