import type { FileEdit } from "../../history/contract.ts"
import { isWithin, normalizePath } from "../../query/paths.ts"
import { oneLine } from "../../text/printable.ts"
import { clipStart, widthOf, wrap } from "../layout.ts"
import { fileUrl, printable, sessionHead, shortPath, type Look } from "./text.ts"

// File edits, newest first: the session and the prompt once, then a line or two for each edit that followed.

/** Lines of a prompt that are shown. */
export const PROMPT_LINES = 3

/** One block for each run of edits with one session and prompt. `below` is told beneath an edit. */
export function editBlocks(
  edits: readonly FileEdit[],
  look: Look,
  below: (edit: FileEdit) => readonly string[] = () => [],
): readonly (readonly string[])[] {
  const blocks: string[][] = []
  let last: FileEdit | undefined
  for (const edit of edits) {
    const sameSession = last?.session.id === edit.session.id
    if (!sameSession || last?.prompt?.messageID !== edit.prompt?.messageID)
      blocks.push([...(sameSession ? [] : headOf(edit, look)), ...promptLines(edit, look)])
    blocks.at(-1)?.push(...editLines(edit, look), ...below(edit))
    last = edit
  }
  return blocks
}

function headOf(edit: FileEdit, look: Look): readonly string[] {
  const { session } = edit
  return sessionHead(session, session.parentID === undefined ? [] : [`subagent of ${session.parentID}`], look)
}

function promptLines(edit: FileEdit, look: Look): readonly string[] {
  const { paint, textColumns } = look.output
  if (edit.prompt === undefined) return [paint.faint("  no prompt before it")]
  const text = printable(edit.prompt.text, look) + (edit.prompt.cut ? "…" : "")
  const lines = wrap(text, textColumns - 4)
  const shown = lines.slice(0, PROMPT_LINES)
  const cut = lines.length > shown.length ? ["…"] : []
  return [
    paint.faint(`  prompt  ${edit.prompt.messageID}`),
    ...[...shown, ...cut].map((line) => `    ${line}`),
  ]
}

function editLines(edit: FileEdit, look: Look): readonly string[] {
  const { paint, columns } = look.output
  const tool = edit.tool === "" || edit.tool === edit.kind ? "" : ` by ${oneLine(edit.tool)}`
  const marks = [
    edit.status === "failed" ? paint.removed("failed") : "",
    edit.status === "unchanged" ? "changed nothing" : "",
    edit.first ? "first edit of this file" : "",
    edit.reverted ? "reverted" : "",
    edit.alsoInForks === 0 ? "" : `also in ${edit.alsoInForks} fork${edit.alsoInForks === 1 ? "" : "s"}`,
  ].filter((mark) => mark !== "")
  const what = `  ${paint.faint(look.clock.time(edit.at))}  ${edit.kind}${tool}`
  const marked = marks.length === 0 ? "" : `(${marks.join(", ")})`
  const from = edit.movedFrom === undefined ? "" : `${nameOf(edit, edit.movedFrom, look)} ->`
  const path = clipStart(nameOf(edit, edit.path, look), columns - 4)
  const link = paint.link(path, fileUrl(edit.path))
  return [
    ...inOneOrTwo(what, marked, `    ${marked}`, columns),
    ...inOneOrTwo(from === "" ? "" : `    ${clipStart(from, columns - 4)}`, link, `    ${link}`, columns),
    paint.faint(`    ${edit.messageID}`),
  ]
}

/** One line of both where they fit, else `second` below; without one of them the other alone. */
function inOneOrTwo(first: string, more: string, second: string, columns: number): readonly string[] {
  if (first === "") return [second]
  if (more === "") return [first]
  return widthOf(`${first} ${more}`) <= columns ? [`${first} ${more}`] : [first, second]
}

/** Below the session's directory without it: the block's head names it. */
function nameOf(edit: FileEdit, path: string, look: Look): string {
  return oneLine(relative(edit, path) ?? shortPath(path, look))
}

function relative(edit: FileEdit, path: string): string | undefined {
  const directory = normalizePath(edit.session.directory).replace(/\/$/, "")
  const below = directory !== "" && isWithin(directory, path) && path.length > directory.length + 1
  return below ? path.slice(directory.length + 1) : undefined
}
