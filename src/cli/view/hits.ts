import type { Hit, SessionMatch } from "../../history/contract.ts"
import { excerpt } from "../../text/excerpt.ts"
import { findFolded, fold } from "../../text/fold.ts"
import { oneLine } from "../../text/printable.ts"
import { counted } from "../../tools/search/notes.ts"
import { sourceOf } from "../../tools/search/hit-block.ts"
import { wrap } from "../layout.ts"
import { foldedWords, highlight, marksOf, printable, sessionHead, type Look } from "./text.ts"

// Sessions with their hits: where it was said, then the words around it, the hits marked.

/** Lines one hit may take; the rest is a `baton read` away. */
export const HIT_LINES = 3

/** Blocks of lines, one a session. */
export function hitBlocks(
  sessions: readonly SessionMatch[],
  words: readonly string[],
  look: Look,
): readonly (readonly string[])[] {
  const folded = foldedWords(words)
  return sessions.map((match) => [
    ...sessionHead(match.session, marksOf(match.session, match), look),
    ...match.hits.flatMap((hit) => hitLines(hit, folded, look)),
    ...othersLine(match, look),
  ])
}

function othersLine({ others }: SessionMatch, { output }: Look): readonly string[] {
  if (others === undefined || others.messages === 0) return []
  return [
    output.paint.faint(`  + ${counted(others.messages, "more message")}${others.atLeast ? " or more" : ""}`),
  ]
}

function hitLines(hit: Hit, words: readonly string[], look: Look): readonly string[] {
  const { paint, textColumns } = look.output
  if (hit.where === "title") return [paint.faint("  in the title")]
  const room = textColumns - 4
  const text = printable(hit.excerpt, look)
  const at = findFolded(text, fold(oneLine(hit.word))) ?? { start: 0, end: 0 }
  // Wide characters take two columns each: what does not fit then is cut by the line count.
  const lines = wrap(excerpt(text, at, room * HIT_LINES - 8), room).slice(0, HIT_LINES)
  return [
    paint.faint(`  ${sourceOf(hit)}  ${hit.messageID ?? ""}`),
    ...lines.map((line) => `    ${highlight(line, words, paint)}`),
  ]
}
