import type { HiddenCounts, SearchAnswer, SearchRequest, SessionMatch } from "../history/contract.ts"
import type { Caller } from "../hosts/host.ts"
import { parseQuery } from "../query/parse.ts"
import { cleanText } from "../reading/content.ts"
import { MATCHES_SHOWN_MAX, SESSION_LIST, SESSION_LIST_DEFAULT } from "./definitions/sessions.ts"
import { type InputOf, parseInput } from "./input.ts"
import { excludedEntries } from "./search/access.ts"
import { fitAround, HEAD_BYTES, itemBytes, jsonAnswer, jsonError } from "./search/json.ts"
import { counted, reachNotes } from "./search/notes.ts"
import { askIndex } from "./search/request.ts"
import { everyProject, ownScope, type NamedScope } from "./search/scope.ts"
import { DEFAULT_ANSWER_BYTES, type HistoryServices } from "./search/services.ts"
import { indexFault } from "./search/index-state.ts"
import { cursorFor, readCursor, refusalOf } from "./search/list-cursor.ts"
import { shownWord, WORDS_SHOWN } from "./search/describe.ts"
import { pathField, titleField } from "./search/session-line.ts"
import type { Tool } from "./tool.ts"

// Sessions of all projects, most recently updated first, with the indexes of matching messages for session_read.

type Input = InputOf<typeof SESSION_LIST>

/** Lists sessions. The answer is a JSON string; trouble is `{ error }`. */
export function sessionList(services: HistoryServices): Tool {
  return {
    ...SESSION_LIST,
    async run(raw, caller) {
      const parsed = parseInput(SESSION_LIST, raw)
      return parsed.ok ? list(services, caller, parsed.value) : jsonError(parsed.error)
    },
  }
}

async function list(services: HistoryServices, caller: Caller, value: Input): Promise<string> {
  const words = wordsOf(value.search ?? "")
  if (!words.ok) return jsonError(words.error)
  const every = await everyProject(services, caller)
  if (!every.ok && every.refused !== true) return jsonError(every.error)
  const named: NamedScope = every.ok ? every : ownScope(services, caller)
  const request: SearchRequest = {
    words: words.words,
    excluded: [],
    scope: named.scope,
    onlyScope: true,
    // The tool has no argument to ask for archived sessions: every session can be reached.
    include: ["archived"],
    exclude: excludedEntries(services),
    // A search must not find the prompt that asks; a plain list shows no text of the calling session.
    ...(words.words.length === 0 ? {} : { callerSessionID: caller.sessionID }),
    limit: value.limit ?? SESSION_LIST_DEFAULT,
    sort: "newest",
    hits: words.words.length > 0,
    kinds: ["user", "assistant"],
    unit: "message",
    hitsPerSession: MATCHES_SHOWN_MAX,
  }
  const cursor = value.cursor === undefined ? undefined : readCursor(value.cursor)
  if (value.cursor !== undefined && cursor === undefined)
    return jsonError(refusalOf(value.cursor, "it is not one of this tool"))
  if (cursor !== undefined) {
    const changed = await cursor.check(request, caller.sessionID, (ask) =>
      services.history.search(ask, caller.signal),
    )
    if (changed !== undefined) return jsonError(refusalOf(value.cursor ?? "", changed))
  }

  const found = await askIndex<SearchAnswer>(
    services,
    caller,
    () => services.history.search({ ...request, ...(cursor && { after: cursor.after }) }, caller.signal),
    (answer) => answer.sessions.length === 0 && cursor === undefined,
  )
  if (!found.ok) return jsonError(indexFault(found.fault.message))

  const mask = services.options.maskSecrets
  const rows = found.value.sessions.map((match) => rowOf(match, mask))
  const room = (services.maxAnswerBytes ?? DEFAULT_ANSWER_BYTES) - HEAD_BYTES
  const { end } = fitAround(rows.map(itemBytes), 0, room)
  const shown = found.value.sessions.slice(0, end)
  const more = found.value.more || end < rows.length
  const next = more ? cursorFor(request, caller.sessionID, cursor, shown) : undefined
  const { hidden, coverage, help } = found.value
  const notes = [
    every.ok ? "" : `Only sessions of this project: ${every.error}`,
    subagentsNote(hidden),
    hidden.reverted === 0
      ? ""
      : `${counted(hidden.reverted, "session")} with matches only in reverted messages left out`,
    end < rows.length ? `${counted(rows.length - end, "session")} did not fit and come with the cursor` : "",
    ...(await reachNotes(services, coverage)),
    ...found.late,
    ...(help?.words ?? [])
      .filter((word) => word.sessions === 0)
      .slice(0, WORDS_SHOWN)
      .map((word) => `no session holds ${shownWord(word.word)}${closeTo(word.close)}`),
  ].filter((note) => note !== "")
  return jsonAnswer(
    { ...(next === undefined ? {} : { cursor: next }), ...(notes.length === 0 ? {} : { notes }) },
    "sessions",
    rows.slice(0, end),
  )
}

function subagentsNote({ subagents, atLeast, uncounted }: HiddenCounts): string {
  const way = `history-search-sessions with include ["subagents"] lists them`
  if (subagents > 0)
    return `${counted(subagents, "subagent session")}${atLeast ? " or more" : ""} left out; ${way}`
  return uncounted?.includes("subagents") === true ? `subagent sessions left out, not counted; ${way}` : ""
}

function closeTo(close: readonly string[]): string {
  return close.length === 0 ? "" : `; close spellings: ${close.join(", ")}`
}

type Words =
  | { readonly ok: true; readonly words: readonly string[] }
  | { readonly ok: false; readonly error: string }

/** The words of `search`, quotes as in a query; qualifiers and exclusions belong to the other tools. */
function wordsOf(search: string): Words {
  const parsed = parseQuery(search)
  if (!parsed.ok) return parsed
  const { words, excluded, path, project } = parsed.query
  if (excluded.length === 0 && path === undefined && project === undefined) return { ok: true, words }
  return {
    ok: false,
    error: `${SESSION_LIST.name}: \`search\` takes words and phrases only, all projects are searched; for -word, path: and project: use history-search-sessions`,
  }
}

function rowOf(match: SessionMatch, mask: boolean) {
  const { session } = match
  const matches = match.hits.flatMap((hit) =>
    hit.index === undefined ? [] : [{ index: hit.index, snippet: cleanText(hit.excerpt, mask).text }],
  )
  return {
    sessionID: session.id,
    title: titleField(session.title, mask),
    directory: pathField(session.directory),
    updated: new Date(session.updated).toISOString(),
    messages: session.messages,
    ...(session.archived === undefined ? {} : { archived: true }),
    ...(match.alsoInForks === 0 ? {} : { alsoInForks: match.alsoInForks }),
    ...(matches.length === 0 ? {} : { matches }),
  }
}
