import type { ProjectsAnswer, SearchAnswer } from "../../history/contract.ts"
import { oneLine } from "../../text/printable.ts"
import { counted, folderNotes } from "../../tools/search/notes.ts"
import type { Asked } from "../asking.ts"
import type { Context } from "../context.ts"
import { clip, wrapLines } from "../layout.ts"
import { helpLines, hiddenLines, reachLines } from "./notes.ts"
import { shortPath, type Look } from "./text.ts"

// The answer to a search as people read it: what was found in one line, the blocks, and what is not shown.

export type Answered = Pick<SearchAnswer, "more" | "hidden" | "coverage"> & {
  readonly help?: SearchAnswer["help"] | undefined
}

export type Told = {
  readonly count: number
  /** Before what was asked: `3 sessions hold `. */
  readonly head: string
  /** How the blocks are sorted; told of more than one. */
  readonly order: string
}

/** Writes it; `blocks` are laid out only after the first line is out, which does not wait for the last one. */
export async function writeAnswer(
  run: { readonly context: Context; readonly asked: Asked; readonly look: Look },
  told: Told,
  blocks: () => readonly (readonly string[])[],
  answer: Answered,
): Promise<void> {
  const { context, asked, look } = run
  const { paint, textColumns } = context.output
  const order = told.count < 2 ? "" : ` · ${told.order}`
  await context.output.lines(
    wrapLines(`${told.head}${asked.described}${order}`, textColumns).map(paint.faint),
  )
  const notes = [
    ...(told.count === 0 ? folderNotes(asked.filter.path) : []),
    ...(answer.more ? ["more match: a higher --limit shows them"] : []),
    ...hiddenLines(answer.hidden),
    ...(await reachLines({ history: context.history() }, answer.coverage)),
  ]
  await context.output.lines([
    ...blocks().flatMap((block) => ["", ...block]),
    ...(told.count === 0 ? helpLines(answer.help, look) : []),
    ...(notes.length === 0 ? [] : [""]),
    ...notes.flatMap((note) => wrapLines(note, textColumns)).map(paint.faint),
  ])
}

export function projectBlock(project: ProjectsAnswer["projects"][number], look: Look): readonly string[] {
  const { paint, columns } = look.output
  return [
    `${paint.strong(counted(project.sessions, "session"))}  ${paint.faint(`last ${look.clock.time(project.updated)}`)}`,
    paint.faint(`  ${clip(oneLine(project.id), columns - 2)}`),
    ...project.directories.map((directory) => `  ${clip(shortPath(directory, look), columns - 2)}`),
  ]
}
