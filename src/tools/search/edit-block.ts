// File edits in groups: the session and the prompt once, then a line for each edit that followed it.

import type { FileEdit } from "../../history/contract.ts"
import { cleanText } from "../../reading/content.ts"
import { isWithin, normalizePath } from "../../query/paths.ts"
import { oneLine } from "../../text/printable.ts"
import { sliceUnits } from "../../text/unicode.ts"
import { FIELD, forkMark, shownPath, shownTitle } from "./session-line.ts"
import type { Clock } from "./when.ts"

/** How much of a prompt is shown, in UTF-16 units. */
export const PROMPT_SHOWN_UNITS = 300

/** One block for each run of edits with one session and prompt; the order is kept. */
export function editBlocks(edits: readonly FileEdit[], clock: Clock, mask: boolean): readonly string[] {
  const blocks: string[][] = []
  let last: FileEdit | undefined
  for (const edit of edits) {
    const sameSession = last?.session.id === edit.session.id
    if (!sameSession || last?.prompt?.messageID !== edit.prompt?.messageID)
      blocks.push([...(sameSession ? [] : [headOf(edit, mask)]), promptOf(edit, mask)])
    blocks.at(-1)?.push(lineOf(edit, clock, mask))
    last = edit
  }
  return blocks.map((lines) => lines.join("\n"))
}

function headOf(edit: FileEdit, mask: boolean): string {
  const { session } = edit
  const subagent = session.parentID === undefined ? "" : `${FIELD}(subagent of ${session.parentID})`
  return [shownTitle(session.title, mask), session.id, shownPath(session.directory)].join(FIELD) + subagent
}

function promptOf(edit: FileEdit, mask: boolean): string {
  if (edit.prompt === undefined) return `${FIELD}no prompt before it`
  const line = oneLine(cleanText(edit.prompt.text, mask).text)
  const cut = edit.prompt.cut || line.length > PROMPT_SHOWN_UNITS
  const mark = cut ? "… [truncated]" : ""
  return `${FIELD}prompt ${edit.prompt.messageID}${FIELD}${sliceUnits(line, 0, PROMPT_SHOWN_UNITS)}${mark}`
}

function lineOf(edit: FileEdit, clock: Clock, mask: boolean): string {
  const from = edit.movedFrom === undefined ? "" : `${pathIn(edit, edit.movedFrom, mask)} -> `
  const marks = [
    edit.first ? "first edit of this file" : "",
    edit.reverted ? "reverted" : "",
    forkMark(edit.alsoInForks),
  ].filter((mark) => mark !== "")
  return [
    `${FIELD}${clock.time(edit.at)}`,
    edit.messageID,
    edit.status,
    edit.tool === "" || edit.tool === edit.kind ? edit.kind : `${edit.kind} by ${oneLine(edit.tool)}`,
    from + pathIn(edit, edit.path, mask),
    ...(marks.length === 0 ? [] : [`(${marks.join(", ")})`]),
  ].join(FIELD)
}

/** A path below the session's directory without it; the block's first line names it. */
function pathIn(edit: FileEdit, path: string, mask: boolean): string {
  const directory = normalizePath(edit.session.directory).replace(/\/$/, "")
  const below = directory !== "" && isWithin(directory, path) && path.length > directory.length + 1
  return shownPath(cleanText(below ? path.slice(directory.length + 1) : path, mask).text)
}
