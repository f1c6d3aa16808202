import type { Hit, SessionMatch } from "../../history/contract.ts"
import { cleanText } from "../../reading/content.ts"
import { excerpt } from "../../text/excerpt.ts"
import { findFolded, fold } from "../../text/fold.ts"
import { oneLine } from "../../text/printable.ts"
import { shownWords } from "./describe.ts"
import { FULL_SESSIONS } from "./limits.ts"
import { FIELD, sessionMarks, shownPath, shownTitle } from "./session-line.ts"
import type { Clock } from "./when.ts"

// Sessions with their hits. The first ones, and always the best match, are shown in full: a line for each message, its
// excerpt around the words. The others take one line each. Excerpts share a budget, whatever the script.

/** What the blocks of one answer aim at: ANSWER_TARGET_BYTES with head and notes; 8 KB where a limit asks for many in full. */
export const BLOCKS_TARGET_BYTES = 5_400
export const BLOCKS_ASKED_BYTES = 7_400

/** The whole answer, where the call does not ask for a number of sessions. */
export const ANSWER_TARGET_BYTES = 6 * 1024

/** The longest excerpt, in UTF-16 units. */
export const EXCERPT_MAX_UNITS = 300

/** The shortest useful one: the hit with a few words around it. */
export const EXCERPT_MIN_BYTES = 100

export type HitBlocks = {
  /** The session that asks. */
  readonly caller: string
  readonly clock: Clock
  readonly mask: boolean
  /** The session that answers best. */
  readonly best: string | undefined
  /** The `limit` of the call: so many are shown in full. */
  readonly limit: number | undefined
}

/** One block a session, in their order. */
export function hitBlocks(sessions: readonly SessionMatch[], shown: HitBlocks): readonly string[] {
  const isFull = (match: SessionMatch, at: number) =>
    at < (shown.limit ?? FULL_SESSIONS) || match.session.id === shown.best
  const blocks = sessions.map((match, at) =>
    isFull(match, at) ? fullOf(match, shown) : briefOf(match, shown),
  )
  const fixed = blocks.reduce((sum, block) => sum + fixedBytes(block), 0)
  const texts = blocks.reduce((sum, { lines }) => sum + lines.filter((line) => line.text !== "").length, 0)
  const target = shown.limit === undefined ? BLOCKS_TARGET_BYTES : BLOCKS_ASKED_BYTES
  const maxBytes = Math.max(EXCERPT_MIN_BYTES, Math.floor((target - fixed) / Math.max(1, texts)))
  return blocks.map(({ head, lines, rest }) =>
    [head, ...lines.map(({ start, text, word }) => start + shorter(text, word, maxBytes)), ...rest].join(
      "\n",
    ),
  )
}

type Line = { readonly start: string; readonly text: string; readonly word: string }
type Block = { readonly head: string; readonly lines: readonly Line[]; readonly rest: readonly string[] }

function fixedBytes({ head, lines, rest }: Block): number {
  return [head, ...lines.map((line) => line.start), ...rest].reduce(
    (sum, text) => sum + Buffer.byteLength(text) + 1,
    0,
  )
}

function fullOf(match: SessionMatch, shown: HitBlocks): Block {
  return {
    head: headOf(match, shown),
    lines: match.hits.map((hit) => lineOf(hit, shown.mask)),
    rest:
      match.others === undefined || match.others.messages === 0 ? [] : [`${FIELD}${othersOf(match.others)}`],
  }
}

/** Title, id, date, the best message, how many match. */
function briefOf(match: SessionMatch, shown: HitBlocks): Block {
  const { session, hits, others } = match
  const messages = hits.filter((hit) => hit.messageID !== undefined)
  const best = messages[0]?.messageID ?? "in the title"
  const count = messages.length + (others?.messages ?? 0)
  const counted = count < 2 ? "" : `${FIELD}${count}${others?.atLeast === true ? " or more" : ""} messages`
  const fields = [shownTitle(session.title, shown.mask), session.id, shown.clock.time(session.updated), best]
  return { head: fields.join(FIELD) + counted + marksOf(match, shown), lines: [], rest: [] }
}

function othersOf({ messages, atLeast }: NonNullable<SessionMatch["others"]>): string {
  return `+ ${messages}${atLeast ? " or more" : ""} more ${messages === 1 && !atLeast ? "message" : "messages"}`
}

/** Of the calling session only what is no longer in the model's context is searched. */
const OWN_MARK = "this session, before its last compaction"

function headOf(match: SessionMatch, shown: HitBlocks): string {
  const { session } = match
  const fields = [
    shownTitle(session.title, shown.mask),
    session.id,
    shownPath(session.directory),
    shown.clock.time(session.updated),
  ]
  return fields.join(FIELD) + marksOf(match, shown)
}

function marksOf(match: SessionMatch, { caller }: HitBlocks): string {
  return sessionMarks(match.session, match, match.session.id === caller ? OWN_MARK : "")
}

function lineOf(hit: Hit, mask: boolean): Line {
  const words = `${FIELD}${shownWords(hit.words)}${FIELD}`
  if (hit.where === "title") return { start: `${words}in the title`, text: "", word: hit.word }
  const start = `${words}${sourceOf(hit)} ${hit.messageID ?? ""}${FIELD}`
  return { start, text: cleanText(hit.excerpt, mask).text, word: hit.word }
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

/** The excerpt around its hit in at most `maxBytes`, on one line. */
function shorter(text: string, word: string, maxBytes: number): string {
  const at = findFolded(text, fold(oneLine(word))) ?? { start: 0, end: 0 }
  let shown = excerpt(text, at, Math.min(EXCERPT_MAX_UNITS, maxBytes))
  for (let bytes = Buffer.byteLength(shown); bytes > maxBytes; bytes = Buffer.byteLength(shown))
    shown = excerpt(text, at, Math.floor((shown.length * maxBytes) / bytes) - 1)
  return shown
}
