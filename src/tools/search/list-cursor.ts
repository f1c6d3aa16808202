// The cursor of session_list belongs to one query over one order of sessions. It carries both, and is refused
// when either is another: going on would repeat or skip sessions.

import { createHash } from "node:crypto"
import * as z from "zod/mini"
import type { HistoryResult, SearchAnswer, SearchRequest, SessionMatch } from "../../history/contract.ts"
import { shownValue } from "../../text/printable.ts"
import { parseJson } from "../../text/json.ts"

type After = { readonly updated: number; readonly sessionID: string }

export type ListCursor = {
  /** The last session that was shown. */
  readonly after: After
  /** Sessions shown before, over all pages, and their print; the calling one, which moves with every call, apart. */
  readonly shown: number
  readonly print: string
  /** Why this cursor cannot go on with a request; undefined when it can. */
  check(
    request: SearchRequest,
    caller: string,
    search: (request: SearchRequest) => Promise<HistoryResult<SearchAnswer>>,
  ): Promise<string | undefined>
}

/** The cursor behind the sessions `shown` of a page that began at `before`. */
export function cursorFor(
  request: SearchRequest,
  caller: string,
  before: ListCursor | undefined,
  shown: readonly SessionMatch[],
): string | undefined {
  const last = shown.at(-1)?.session
  if (last === undefined) return undefined
  const others = withoutCaller(shown, caller)
  const print = printOf(others, before?.print ?? "")
  const value = [queryPrint(request), last.updated, last.id, (before?.shown ?? 0) + others.length, print]
  return Buffer.from(JSON.stringify(value)).toString("base64url")
}

/** The cursor that was written by `cursorFor`; undefined for anything else. */
export function readCursor(cursor: string): ListCursor | undefined {
  const parsed = shape.safeParse(parseJson(Buffer.from(cursor, "base64url").toString()))
  if (!parsed.success) return undefined
  const [query, updated, sessionID, shown, print] = parsed.data
  return {
    after: { updated, sessionID },
    shown,
    print,
    async check(request, caller, search) {
      if (query !== queryPrint(request)) return "it belongs to another search"
      const again = await search({ ...request, hits: false, limit: shown + 1 })
      if (!again.ok) return again.fault.message
      const now = withoutCaller(again.value.sessions, caller).slice(0, shown)
      return printOf(now, "") === print
        ? undefined
        : "the index changed since, so sessions would repeat or be skipped"
    },
  }
}

/** The one line that refuses a cursor. */
export function refusalOf(cursor: string, why: string): string {
  return `session_list: cursor ${shownValue(cursor)} is refused: ${why}; call again without cursor`
}

const shape = z.tuple([
  z.string(),
  z.number(),
  z.string(),
  z.int().check(z.minimum(0), z.maximum(1_000_000)),
  z.string(),
])

function queryPrint(request: SearchRequest): string {
  return digest(JSON.stringify([request.words, request.scope, request.exclude]))
}

/** A chain over the sessions in order, each with its last activity. */
function printOf(sessions: readonly SessionMatch[], start: string): string {
  return sessions.reduce(
    (print, { session }) => digest(JSON.stringify([print, session.id, session.updated])),
    start,
  )
}

function withoutCaller(sessions: readonly SessionMatch[], caller: string): readonly SessionMatch[] {
  return sessions.filter((match) => match.session.id !== caller)
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 16)
}
