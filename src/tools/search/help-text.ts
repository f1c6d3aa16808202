// No hit is an answer: what each word finds alone, close spellings, and sessions that come near.

import type { NoHitHelp } from "../../history/contract.ts"
import { oneLine } from "../../text/printable.ts"
import { shownWord, shownWords } from "./describe.ts"
import { counted } from "./notes.ts"
import type { HistoryServices } from "./services.ts"
import { FIELD, shownPath, shownTitle } from "./session-line.ts"
import type { Clock } from "./when.ts"

/** The lines of the help; empty without one. Of other projects only that they are there, where they may be asked for. */
export function helpLines(
  help: NoHitHelp | undefined,
  clock: Clock,
  options: HistoryServices["options"],
): readonly string[] {
  if (help === undefined) return []
  return [
    ...help.words.map((word) => wordLine(word)),
    ...(help.closest.length === 0 ? [] : ["Closest sessions; they do not hold every word:"]),
    ...help.closest.map(
      ({ session, words }) =>
        `${FIELD}${[
          shownTitle(session.title, options.maskSecrets),
          session.id,
          shownPath(session.directory),
          clock.time(session.updated),
        ].join(FIELD)}${FIELD}holds ${shownWords(words)}`,
    ),
    ...(help.others && options.otherProjects !== "deny"
      ? ["Other projects were not searched (project:all in the query asks for them)"]
      : []),
  ]
}

function wordLine(word: NoHitHelp["words"][number]): string {
  const name = `${FIELD}${shownWord(word.word)}: `
  if (word.sessions > 0)
    return `${name}in ${word.atLeast ? `${word.sessions} or more sessions` : counted(word.sessions, "session")}`
  if (word.close.length === 0) return `${name}in no session`
  return `${name}in no session; close spellings: ${word.close.map((close) => shownWord(oneLine(close))).join(", ")}`
}
