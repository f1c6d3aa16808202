import type { SearchAnswer } from "../history/contract.ts"
import type { Caller } from "../hosts/host.ts"
import { HISTORY_SEARCH_MESSAGES } from "./definitions/history.ts"
import { type InputOf, parseInput } from "./input.ts"
import { SEPARATOR } from "./search/describe.ts"
import { helpLines } from "./search/help-text.ts"
import { ANSWER_TARGET_BYTES, hitBlocks } from "./search/hit-block.ts"
import { FULL_SESSIONS, SESSIONS_SHOWN_MAX } from "./search/limits.ts"
import { cappedNote, counted, folderNotes, hiddenNotes, reachNotes } from "./search/notes.ts"
import { prepare } from "./search/prepare.ts"
import { askIndex } from "./search/request.ts"
import { indexFault } from "./search/index-state.ts"
import type { HistoryServices } from "./search/services.ts"
import { shownTitle } from "./search/session-line.ts"
import { textAnswer } from "./search/text-answer.ts"
import { clockOf } from "./search/when.ts"
import type { Tool } from "./tool.ts"

// Sessions in which every word occurs, with the messages that hold the words.

type Input = InputOf<typeof HISTORY_SEARCH_MESSAGES>

/** Searches message texts and titles. The answer is text; trouble is one line. */
export function historySearchMessages(services: HistoryServices): Tool {
  return {
    ...HISTORY_SEARCH_MESSAGES,
    async run(raw, caller) {
      const parsed = parseInput(HISTORY_SEARCH_MESSAGES, raw)
      if (!parsed.ok) return parsed.error
      return search(services, caller, parsed.value)
    },
  }
}

async function search(services: HistoryServices, caller: Caller, value: Input): Promise<string> {
  const prepared = await prepare(services, caller, value)
  if (!prepared.ok) return prepared.error
  const { filter, described } = prepared
  if (filter.words.length === 0)
    return `${HISTORY_SEARCH_MESSAGES.name}: \`query\` has no word to find; write one, or use history-search-edits for the edits of a file, history-search-sessions to list sessions`

  const sort = value.sort ?? "newest"
  const request = {
    ...filter,
    sort,
    hits: true,
    thorough: value.limit ?? FULL_SESSIONS,
    limit: Math.min(value.limit ?? SESSIONS_SHOWN_MAX, SESSIONS_SHOWN_MAX),
  }
  const found = await askIndex(
    services,
    caller,
    () => services.history.search(request, caller.signal),
    (answer) => answer.sessions.length === 0,
  )
  if (!found.ok) return indexFault(found.fault.message)
  return answerOf(services, caller, value, found.value, {
    described,
    path: filter.path,
    sort,
    late: found.late,
  })
}

async function answerOf(
  services: HistoryServices,
  caller: Caller,
  value: Input,
  answer: SearchAnswer,
  asked: {
    readonly described: string
    readonly path: string | undefined
    readonly sort: "newest" | "relevance"
    readonly late: readonly string[]
  },
): Promise<string> {
  const clock = clockOf(services.timeZone)
  const mask = services.options.maskSecrets
  const count = answer.sessions.length
  const order = asked.sort === "newest" ? "newest first" : "most relevant first"
  const head =
    count === 0
      ? `No session holds ${asked.described}`
      : `${counted(count, "session holds", "sessions hold")} ${asked.described}${SEPARATOR}${order}${bestMatch(answer, mask)}`
  return textAnswer({
    head,
    blocks:
      count === 0
        ? helpLines(answer.help, clock, services.options)
        : hitBlocks(answer.sessions, {
            caller: caller.sessionID,
            clock,
            mask,
            best: answer.best?.sessionID,
            limit: value.limit,
          }),
    notes: [
      ...(answer.more
        ? [
            `More sessions exist; narrow with words, a date or path:, or raise limit (max ${SESSIONS_SHOWN_MAX})`,
          ]
        : []),
      ...(count === 0 ? folderNotes(asked.path) : []),
      ...cappedNote(value.limit, SESSIONS_SHOWN_MAX),
      ...hiddenNotes(answer.hidden),
      ...(await reachNotes(services, answer.coverage)),
      ...asked.late,
      `Times: ${clock.zone}`,
    ],
    unit: count === 0 ? "lines" : "sessions",
    maxBytes:
      value.limit === undefined
        ? Math.min(ANSWER_TARGET_BYTES, services.maxAnswerBytes ?? ANSWER_TARGET_BYTES)
        : services.maxAnswerBytes,
    kept:
      count === 0
        ? undefined
        : answer.sessions.findIndex(({ session }) => session.id === answer.best?.sessionID),
  })
}

/** Which session answers best, where that is not the first one anyway. */
function bestMatch({ sessions, best }: SearchAnswer, mask: boolean): string {
  const match = sessions.find(({ session }) => session.id === best?.sessionID)
  if (match === undefined || match === sessions[0]) return ""
  const fields = [shownTitle(match.session.title, mask), match.session.id, best?.messageID ?? ""]
  return `${SEPARATOR}best match: ${fields.join(" ").trimEnd()}`
}
