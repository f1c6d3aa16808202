// How a session is named in a text answer: nothing of it can look like a line or a field of ours.

import type { StoredSession } from "../../history/contract.ts"
import { cleanText } from "../../reading/content.ts"
import { cutBytes, cutJsonBytes } from "../../text/cut.ts"
import { oneLine, printableTitle } from "../../text/printable.ts"
import { sliceUnits } from "../../text/unicode.ts"

/** Between the fields of a line. */
export const FIELD = "  "

/** A title is a sentence; whole prompts as titles would crowd out what was found. */
export const TITLE_SHOWN_BYTES = 120

/** The title as a JSON string, secrets masked; a long one ends in `…`. */
export function shownTitle(title: string, mask: boolean): string {
  const cut = cutBytes(cleanText(title, mask).text, TITLE_SHOWN_BYTES)
  return printableTitle(cut.cut ? `${cut.text}…` : cut.text)
}

/** A title in a JSON answer: what its host shows is far shorter. */
export const TITLE_JSON_BYTES = 400

/** The title for a JSON answer, secrets masked; a long one ends in `…`. */
export function titleField(title: string, mask: boolean): string {
  const cut = cutJsonBytes(cleanText(title, mask).text, TITLE_JSON_BYTES)
  return cut.cut ? `${cut.text}…` : cut.text
}

/** A path as it is, or as a JSON string where it could be taken for several fields. */
export function shownPath(path: string): string {
  const short = pathField(path)
  const plain = oneLine(short)
  return plain === "" || /^["'\s]| {2}/.test(plain) ? printableTitle(short) : plain
}

/** UTF-16 units of a path: real ones are far shorter, and a broken one must not crowd out everything else. */
export const PATH_MAX_UNITS = 1_000

/** The path for a JSON answer; a longer one than any real one ends in `…`. */
export function pathField(path: string): string {
  return path.length > PATH_MAX_UNITS ? `${sliceUnits(path, 0, PATH_MAX_UNITS)}…` : path
}

/** What is special about a session, `own` first, in brackets; "" for an ordinary one. */
export function sessionMarks(
  session: StoredSession,
  match: { readonly alsoInForks: number; readonly reverted: boolean },
  own = "",
): string {
  const marks = [
    own,
    session.parentID === undefined ? "" : `subagent of ${session.parentID}`,
    session.handoffFrom === undefined ? "" : `handed off from ${session.handoffFrom}`,
    session.archived === undefined ? "" : "archived",
    match.reverted ? "only in reverted messages" : "",
    forkMark(match.alsoInForks),
  ].filter((mark) => mark !== "")
  return marks.length === 0 ? "" : `${FIELD}(${marks.join(", ")})`
}

/** `also in 1 fork`, or "". */
export function forkMark(forks: number): string {
  return forks === 0 ? "" : `also in ${forks} ${forks === 1 ? "fork" : "forks"}`
}
