// A session with a line for each word. Excerpts share a budget, so that ten sessions with two words each stay
// under 8 KB whatever the script; few hits get the longest excerpts.

import type { Hit, SessionMatch } from "../../history/contract.ts"
import { cleanText } from "../../reading/content.ts"
import { excerpt } from "../../text/excerpt.ts"
import { findFolded, fold } from "../../text/fold.ts"
import { oneLine } from "../../text/printable.ts"
import { shownWord, WORDS_SHOWN } from "./describe.ts"
import { FIELD, sessionMarks, shownPath, shownTitle } from "./session-line.ts"
import type { Clock } from "./when.ts"

/** What the blocks of one answer aim at: 8 KB with head and notes. */
export const BLOCKS_TARGET_BYTES = 7_400

/** The longest excerpt, in UTF-16 units. */
export const EXCERPT_MAX_UNITS = 300

/** The shortest useful one: the hit with a few words around it. */
export const EXCERPT_MIN_BYTES = 100

/** One block a session, with a line for each of the first words. `caller` is the session that asks. */
export function hitBlocks(
  sessions: readonly SessionMatch[],
  caller: string,
  clock: Clock,
  mask: boolean,
): readonly string[] {
  const heads = sessions.map((match) => headOf(match, caller, clock, mask))
  const lines = sessions.map(({ hits }) =>
    hits.slice(0, WORDS_SHOWN).map((hit) => ({ hit, start: startOf(hit) })),
  )
  const all = lines.flat()
  const fixed = [...heads, ...all.map((line) => line.start)].reduce(
    (sum, text) => sum + Buffer.byteLength(text) + 1,
    0,
  )
  const texts = all.filter((line) => line.hit.where === "message").length
  const maxBytes = Math.max(EXCERPT_MIN_BYTES, Math.floor((BLOCKS_TARGET_BYTES - fixed) / Math.max(1, texts)))
  return sessions.map(({ hits }, at) => {
    const shown = (lines[at] ?? []).map((line) => line.start + endOf(line.hit, maxBytes, mask))
    const left = hits.length > WORDS_SHOWN ? [`${FIELD}and ${hits.length - WORDS_SHOWN} more words`] : []
    return [heads[at], ...shown, ...left].join("\n")
  })
}

/** Of the calling session only what is no longer in the model's context is searched. */
const OWN_MARK = "this session, before its last compaction"

function headOf(match: SessionMatch, caller: string, clock: Clock, mask: boolean): string {
  const { session } = match
  const fields = [
    shownTitle(session.title, mask),
    session.id,
    shownPath(session.directory),
    clock.time(session.updated),
  ]
  return fields.join(FIELD) + sessionMarks(session, match, session.id === caller ? OWN_MARK : "")
}

function startOf(hit: Hit): string {
  const word = `${FIELD}${shownWord(hit.word)}${FIELD}`
  if (hit.where === "title") return `${word}in the title`
  return `${word}${sourceOf(hit)} ${hit.messageID ?? ""}${FIELD}`
}

/** Who said it, and what kind of text it is where that is not plain speech. */
export function sourceOf(hit: Pick<Hit, "role" | "kind" | "reverted">): string {
  const kind = hit.kind === hit.role || hit.kind === undefined ? "" : KINDS[hit.kind]
  const marks = [kind, hit.reverted === true ? "reverted" : ""].filter((mark) => mark !== "")
  return `${hit.role ?? ""}${marks.length === 0 ? "" : ` (${marks.join(", ")})`}`
}

const KINDS = {
  user: "",
  assistant: "",
  reasoning: "reasoning",
  tool: "tool",
  summary: "compaction summary",
} as const

function endOf(hit: Hit, maxBytes: number, mask: boolean): string {
  return hit.where === "title" ? "" : shorter(cleanText(hit.excerpt, mask).text, hit.word, maxBytes)
}

/** The excerpt around its hit in at most `maxBytes`, on one line. */
function shorter(text: string, word: string, maxBytes: number): string {
  const at = findFolded(text, fold(oneLine(word))) ?? { start: 0, end: 0 }
  let shown = excerpt(text, at, Math.min(EXCERPT_MAX_UNITS, maxBytes))
  for (let bytes = Buffer.byteLength(shown); bytes > maxBytes; bytes = Buffer.byteLength(shown))
    shown = excerpt(text, at, Math.floor((shown.length * maxBytes) / bytes) - 1)
  return shown
}
