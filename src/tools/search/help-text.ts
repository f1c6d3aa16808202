// No hit is an answer: what each word finds alone, close spellings, and sessions that come near.

import type { NoHitHelp } from "../../history/contract.ts"
import { oneLine } from "../../text/printable.ts"
import { shownWord, shownWords } from "./describe.ts"
import { counted } from "./notes.ts"
import { FIELD, shownPath, shownTitle } from "./session-line.ts"
import type { Clock } from "./when.ts"

/** The lines of the help; empty without one. */
export function helpLines(help: NoHitHelp | undefined, clock: Clock, mask: boolean): readonly string[] {
  if (help === undefined) return []
  return [
    ...help.words.map((word) => wordLine(word)),
    ...(help.closest.length === 0 ? [] : ["Closest sessions; they do not hold every word:"]),
    ...help.closest.map(
      ({ session, words }) =>
        `${FIELD}${[
          shownTitle(session.title, mask),
          session.id,
          shownPath(session.directory),
          clock.time(session.updated),
        ].join(FIELD)}${FIELD}holds ${shownWords(words)}`,
    ),
    ...(help.elsewhere === 0
      ? []
      : [`${counted(help.elsewhere, "match", "matches")} in other projects (add project:all to the query)`]),
  ]
}

function wordLine(word: NoHitHelp["words"][number]): string {
  const name = `${FIELD}${shownWord(word.word)}: `
  if (word.sessions > 0)
    return `${name}in ${word.atLeast ? `${word.sessions} or more sessions` : counted(word.sessions, "session")}`
  if (word.close.length === 0) return `${name}in no session`
  return `${name}in no session; close spellings: ${word.close.map((close) => shownWord(oneLine(close))).join(", ")}`
}
