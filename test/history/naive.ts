import type { SearchRequest } from "../../src/history/contract.ts"
import { fold } from "../../src/text/fold.ts"
import type { Message, Session } from "../../src/session/model.ts"

// What a search must answer, by looking at everything: the plainest reading of the rules, no index, no order of work.
// For histories of plain text messages without forks and calling session.

export type NaiveHistory = ReadonlyMap<
  string,
  { readonly session: Session; readonly messages: readonly Message[] }
>

export type NaiveAnswer = {
  readonly sessions: readonly { readonly id: string; readonly hits: readonly (string | undefined)[] }[]
  readonly subagents: number
  readonly archived: number
}

export function naiveSearch(history: NaiveHistory, request: SearchRequest): NaiveAnswer {
  const sessions: { id: string; updated: number; hits: (string | undefined)[] }[] = []
  const hidden = { subagents: 0, archived: 0 }
  for (const { session, messages } of history.values()) {
    if (request.scope.kind === "some" && !request.scope.projects?.includes(session.projectID)) continue
    const hits = naiveHits(session, messages, request)
    if (hits === undefined) continue
    if (session.parentID !== undefined && !request.include.includes("subagents")) hidden.subagents++
    else if (session.archived !== undefined && !request.include.includes("archived")) hidden.archived++
    else sessions.push({ id: session.id, updated: session.updated, hits })
  }
  sessions.sort((one, other) => other.updated - one.updated || (one.id < other.id ? 1 : -1))
  return { sessions: sessions.map(({ id, hits }) => ({ id, hits })), ...hidden }
}

/** Per word the id of the first message that holds it, undefined for a title; undefined when the session does not match. */
function naiveHits(
  session: Session,
  all: readonly Message[],
  request: SearchRequest,
): (string | undefined)[] | undefined {
  const ordered = [...all].sort((one, other) => one.created - other.created || (one.id < other.id ? -1 : 1))
  const cut =
    session.revertedFrom === undefined
      ? -1
      : ordered.findIndex((message) => message.id === session.revertedFrom)
  const messages = cut < 0 ? ordered : ordered.slice(0, cut)
  const { from = -Infinity, to = Infinity } = request
  const inDates = (at: number) => at >= from && at <= to
  const active = inDates(session.updated) || all.some((message) => inDates(message.created))
  if (!active && (request.from !== undefined || request.to !== undefined)) return undefined
  const title = fold(session.title)
  for (const word of request.excluded.map(fold)) {
    if (title.includes(word) || messages.some((message) => holds(message, word))) return undefined
  }
  const hits: (string | undefined)[] = []
  for (const word of request.words.map(fold)) {
    const allowed = messages.filter(
      (message) => (request.role ?? message.role) === message.role && inDates(message.created),
    )
    const hit = allowed.find((message) => holds(message, word))
    if (!hit && !title.includes(word)) return undefined
    hits.push(hit?.id)
  }
  return hits
}

function holds(message: Message, word: string): boolean {
  return fold(message.parts.map((part) => (part.type === "text" ? part.text : "")).join("\n")).includes(word)
}
