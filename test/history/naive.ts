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
  /** With the first message of each word, undefined for a word of the title, and the messages that hold each word. */
  readonly sessions: readonly NaiveMatch[]
  readonly subagents: number
  readonly archived: number
}

export type NaiveMatch = {
  readonly id: string
  readonly words: readonly { readonly first: string | undefined; readonly holding: readonly string[] }[]
}

export function naiveSearch(history: NaiveHistory, request: SearchRequest): NaiveAnswer {
  const sessions: (NaiveMatch & { updated: number })[] = []
  const hidden = { subagents: 0, archived: 0 }
  for (const { session, messages } of history.values()) {
    if (request.scope.kind === "some" && !request.scope.projects?.includes(session.projectID)) continue
    const words = naiveWords(session, messages, request)
    if (words === undefined) continue
    if (session.parentID !== undefined && !request.include.includes("subagents")) hidden.subagents++
    else if (session.archived !== undefined && !request.include.includes("archived")) hidden.archived++
    else sessions.push({ id: session.id, updated: session.updated, words })
  }
  sessions.sort((one, other) => other.updated - one.updated || (one.id < other.id ? 1 : -1))
  return { sessions: sessions.map(({ id, words }) => ({ id, words })), ...hidden }
}

/** The words of a session that matches; undefined for one that does not. */
function naiveWords(
  session: Session,
  all: readonly Message[],
  request: SearchRequest,
): NaiveMatch["words"] | undefined {
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
  const words: NaiveMatch["words"][number][] = []
  for (const word of request.words.map(fold)) {
    const allowed = messages.filter(
      (message) => (request.role ?? message.role) === message.role && inDates(message.created),
    )
    const holding = allowed.filter((message) => holds(message, word)).map((message) => message.id)
    if (holding.length === 0 && !title.includes(word)) return undefined
    words.push({ first: holding[0], holding })
  }
  return words
}

function holds(message: Message, word: string): boolean {
  return fold(message.parts.map((part) => (part.type === "text" ? part.text : "")).join("\n")).includes(word)
}
