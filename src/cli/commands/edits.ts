import { statSync } from "node:fs"
import { relative, resolve, sep } from "node:path"
import type { FileEdit } from "../../history/contract.ts"
import { quotedValue } from "../../query/parse.ts"
import { cleanText } from "../../reading/content.ts"
import { printableLines } from "../../text/printable.ts"
import { EDITS_SHOWN_MAX } from "../../tools/search/limits.ts"
import { counted } from "../../tools/search/notes.ts"
import { ask, type AskOptions } from "../asking.ts"
import type { Context } from "../context.ts"
import { storedPage } from "../conversation.ts"
import { type DiffLine, diffOf } from "../diff.ts"
import { clip, wrapLines } from "../layout.ts"
import { editsThroughMoves } from "../moves.ts"
import { foundSome, type Outcome, trouble } from "../outcome.ts"
import { projectAt } from "../project.ts"
import { editBlocks } from "../view/edits.ts"
import { editJson, jsonText, writeJson } from "../view/json.ts"
import { helpLines, reachLines } from "../view/notes.ts"
import { editsJson } from "../view/search-json.ts"
import { lookFor, type Look } from "../view/text.ts"

// `baton edits <path>`: a file's history, the prompt behind each change, and the change itself on request.

/** Lines of one diff that are shown; `--json` has all of them. */
export const DIFF_LINES = 60

export type EditsOptions = AskOptions & {
  readonly diff?: boolean | undefined
  readonly json?: boolean | undefined
}

export async function edits(context: Context, given: string, options: EditsOptions): Promise<Outcome> {
  const path = given.replaceAll("\\", "/")
  if (path.trim() === "") return trouble("the path is empty; write a file, like src/auth.ts")
  const own = await projectAt(context.history(), context.directory)
  if (!own.ok) return trouble(own.fault.message)
  const onDisk = statSync(resolve(context.directory, path), { throwIfNoEntry: false })
  const typed = onDisk?.isDirectory() === true && !path.endsWith("/") ? `${path}/` : path
  const meant = pathFor(typed, context.directory, own.value?.worktree)
  const query = `path:${quotedValue(meant)}`
  const { date, limit, project } = options
  const asked = await ask(context, query, { date, limit, project })
  if (!asked.ok) return trouble(asked.error)
  const found = await editsThroughMoves(
    context.history(),
    {
      ...asked.filter,
      pathFrom: own.value?.worktree ?? context.directory,
      include: ["archived", "reverted", "subagents"],
    },
    asked.limit ?? EDITS_SHOWN_MAX,
    context.signal,
  )
  if (!found.ok) return trouble(found.fault.message)
  const answer = found.value
  const diffs =
    options.diff === true ? await diffsOf(context, answer.edits) : new Map<FileEdit, readonly DiffLine[]>()

  if (options.json === true) {
    const text = jsonText(context.options.maskSecrets)
    await writeJson(context.output, {
      ...editsJson(asked, answer, context.options.maskSecrets),
      edits: answer.edits.map((edit) => ({
        ...editJson(edit, text),
        ...(options.diff === true
          ? {
              diff:
                diffs
                  .get(edit)
                  ?.map(({ kind, text }) => kind + text)
                  .join("\n") ?? null,
            }
          : {}),
      })),
    })
    return foundSome(answer.edits.length)
  }

  const look = lookFor(context)
  const { paint, textColumns } = context.output
  const below = (edit: FileEdit) => (options.diff === true ? diffLines(diffs.get(edit), look) : [])
  const notes = [
    ...(answer.more ? ["there are more: a higher --limit shows them"] : []),
    ...(answer.knownSince === undefined
      ? []
      : [`the index knows edits here since ${look.clock.time(answer.knownSince)}`]),
    ...(await reachLines({ history: context.history() }, answer.coverage)),
  ]
  const count = answer.edits.length
  await context.output.lines([
    ...wrapLines(
      `${count === 0 ? "No edit" : counted(count, "edit")} · ${asked.described}${count > 1 ? " · newest first" : ""}`,
      textColumns,
    ).map(paint.faint),
    ...editBlocks(answer.edits, look, below).flatMap((block) => ["", ...block]),
    ...(count === 0 ? helpLines(answer.help, look) : []),
    ...(notes.length === 0
      ? []
      : ["", ...notes.flatMap((note) => wrapLines(note, textColumns)).map(paint.faint)]),
  ])
  return foundSome(count)
}

/**
 * The path as the query means it. What stands below the project is named from its root, so that the same file is
 * found in every worktree; a name that is typed in a folder is meant there.
 */
export function pathFor(path: string, directory: string, root: string | undefined): string {
  const folder = /[/\\]$/.test(path) ? "/" : ""
  const whole = resolve(directory, path)
  if (root === undefined) return /^\.{1,2}([/\\]|$)/.test(path) ? whole + folder : path
  const inside = relative(root, whole)
  if (inside === "" || inside.startsWith("..") || inside === whole) return whole + folder
  return inside.replaceAll(sep, "/") + folder
}

async function diffsOf(
  context: Context,
  edits: readonly FileEdit[],
): Promise<Map<FileEdit, readonly DiffLine[]>> {
  const diffs = new Map<FileEdit, readonly DiffLine[]>()
  for (const edit of edits) {
    const page = await storedPage(
      context.history(),
      {
        sessionID: edit.session.id,
        anchor: { messageID: edit.messageID },
        inclusive: true,
        direction: "forward",
        limit: 1,
      },
      context.signal,
    )
    const message = page.ok ? page.value.messages[0] : undefined
    if (message?.id !== edit.messageID) continue
    const texts = (message.pieces ?? [])
      .filter((piece) => piece.kind === "tool")
      .map((piece) => message.text.slice(piece.start, piece.end))
    const diff = diffOf(edit, texts)
    if (diff === undefined) continue
    const clean = (text: string) => printableLines(cleanText(text, context.options.maskSecrets).text)
    diffs.set(
      edit,
      diff.map(({ kind, text }) => ({ kind, text: clean(text) })),
    )
  }
  return diffs
}

function diffLines(diff: readonly DiffLine[] | undefined, look: Look): readonly string[] {
  const { paint, columns } = look.output
  if (diff === undefined) return [paint.faint("    the history does not hold the change itself")]
  const colour = { "+": paint.added, "-": paint.removed, " ": paint.faint }
  const shown = diff.slice(0, DIFF_LINES)
  const left = diff.length - shown.length
  return [
    ...shown.map(
      ({ kind, text }) => `    ${colour[kind](clip(kind + text.replaceAll("\t", "    "), columns - 4))}`,
    ),
    ...(left === 0 ? [] : [paint.faint(`    … ${counted(left, "more line")}, all with --json`)]),
  ]
}
