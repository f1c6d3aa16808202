// No hit is an answer: what each word finds alone, close spellings, and sessions that come near.

import type { NoHitHelp } from "../../history/contract.ts"
import { oneLine } from "../../text/printable.ts"
import { shownWord, shownWords } from "./describe.ts"
import { counted } from "./notes.ts"
import type { HistoryServices } from "./services.ts"
import { FIELD, shownPath, shownTitle } from "./session-line.ts"
import type { Clock } from "./when.ts"

/** The lines of the help; empty without one. What other projects hold is not told where they may not be searched. */
export function helpLines(
  help: NoHitHelp | undefined,
  clock: Clock,
  options: HistoryServices["options"],
): readonly string[] {
  if (help === undefined) return []
  const elsewhere = options.otherProjects === "deny" ? 0 : help.elsewhere
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
    ...(elsewhere === 0
      ? []
      : [`${counted(elsewhere, "match", "matches")} in other projects (add project:all to the query)`]),
  ]
}

function wordLine(word: NoHitHelp["words"][number]): string {
  const name = `${FIELD}${shownWord(word.word)}: `
  if (word.sessions > 0)
    return `${name}in ${word.atLeast ? `${word.sessions} or more sessions` : counted(word.sessions, "session")}`
  if (word.close.length === 0) return `${name}in no session`
  return `${name}in no session; close spellings: ${word.close.map((close) => shownWord(oneLine(close))).join(", ")}`
}
