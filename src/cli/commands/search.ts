import type { EditsAnswer, ProjectsAnswer, SearchAnswer } from "../../history/contract.ts"
import { oneLine } from "../../text/printable.ts"
import {
  EDITS_SHOWN_MAX,
  LISTED_DEFAULT,
  PROJECTS_MAX,
  SESSIONS_SHOWN_MAX,
} from "../../tools/search/limits.ts"
import { counted } from "../../tools/search/notes.ts"
import { ask, type Asked, type AskOptions } from "../asking.ts"
import type { Context } from "../context.ts"
import { clip, wrapLines } from "../layout.ts"
import { foundSome, type Outcome, trouble } from "../outcome.ts"
import { editBlocks } from "../view/edits.ts"
import { hitBlocks } from "../view/hits.ts"
import {
  askedJson,
  editJson,
  helpJson,
  hitJson,
  jsonText,
  matchJson,
  reachJson,
  timeJson,
  writeJson,
} from "../view/json.ts"
import { helpLines, hiddenLines, reachLines } from "../view/notes.ts"
import { lookOf, marksOf, sessionHead, shortPath, type Look } from "../view/text.ts"

// `baton search`: messages, or with a flag sessions, projects or edits. The same filter and the same index as the
// agent's tools; only limits differ, because nobody's context is filled here.

export type SearchOptions = AskOptions & {
  readonly sessions?: boolean | undefined
  readonly projects?: boolean | undefined
  readonly edits?: boolean | undefined
  readonly json?: boolean | undefined
}

export async function search(context: Context, query: string, options: SearchOptions): Promise<Outcome> {
  const views = (["sessions", "projects", "edits"] as const).filter((view) => options[view] === true)
  if (views.length > 1) return trouble(`--${views.join(" and --")} exclude each other; write one of them`)
  const asked = await ask(context, query, {
    role: options.role,
    date: options.date,
    limit: options.limit,
    sort: options.sort,
    include: options.include,
    project: options.project,
  })
  if (!asked.ok) return trouble(asked.error)
  const run = { context, asked, json: options.json === true, look: lookFor(context) }
  if (views[0] === "projects") return searchProjects(run)
  if (views[0] === "edits") return searchEdits(run)
  if (views[0] === undefined && asked.filter.words.length === 0)
    return trouble(
      "the query has no word to find; write one, or use --sessions, --projects or --edits to list",
    )
  return searchSessions(run, views[0] === undefined)
}

export function lookFor(context: Context): Look {
  return lookOf(context.output, context.options.maskSecrets, context.env["HOME"])
}

type Run = { readonly context: Context; readonly asked: Asked; readonly json: boolean; readonly look: Look }

async function searchSessions(run: Run, hits: boolean): Promise<Outcome> {
  const { context, asked, look } = run
  const limit = asked.limit ?? (hits && run.json ? SESSIONS_SHOWN_MAX : LISTED_DEFAULT)
  const found = await context
    .history()
    .search({ ...asked.filter, sort: asked.sort, hits, limit }, context.signal)
  if (!found.ok) return trouble(found.fault.message)
  const answer = found.value
  const count = answer.sessions.length
  if (run.json) await writeJson(context.output, sessionsJson(run, answer, hits))
  else {
    const what = hits ? counted(count, "session holds", "sessions hold") : counted(count, "session")
    const blocks = () =>
      hits
        ? hitBlocks(answer.sessions, asked.filter.words, look)
        : answer.sessions.map((match) => sessionHead(match.session, marksOf(match.session, match), look))
    const order = asked.sort === "newest" ? "newest first" : "most relevant first"
    const head = hits
      ? `${count === 0 ? "No session holds" : what} `
      : `${count === 0 ? "No session" : what} · `
    await write(run, { count, head, order }, blocks, answer)
  }
  return foundSome(count)
}

function sessionsJson(run: Run, answer: SearchAnswer, hits: boolean) {
  const text = jsonText(run.context.options.maskSecrets)
  return {
    kind: hits ? "messages" : "sessions",
    asked: askedJson(run.asked),
    count: answer.sessions.length,
    sessions: answer.sessions.map((match) => ({
      ...matchJson(match, text),
      ...(hits ? { hits: match.hits.map((hit) => hitJson(hit, text)) } : {}),
    })),
    ...reachJson(answer),
    ...helpJson(answer.help, text),
  }
}

async function searchProjects(run: Run): Promise<Outcome> {
  const { context, asked, look } = run
  const limit = asked.limit ?? PROJECTS_MAX
  const found = await context.history().projects({ ...asked.filter, limit }, context.signal)
  if (!found.ok) return trouble(found.fault.message)
  const { projects } = found.value
  if (run.json)
    await writeJson(context.output, {
      kind: "projects",
      asked: askedJson(asked),
      count: projects.length,
      projects: projects.map((project) => ({
        projectID: project.id,
        directories: project.directories,
        sessions: project.sessions,
        updated: timeJson(project.updated),
      })),
      ...reachJson(found.value),
    })
  else
    await write(
      run,
      {
        head: `${projects.length === 0 ? "No project" : counted(projects.length, "project")} · `,
        order: "most sessions first",
        count: projects.length,
      },
      () => projects.map((one) => projectBlock(one, look)),
      found.value,
    )
  return foundSome(projects.length)
}

function projectBlock(project: ProjectsAnswer["projects"][number], look: Look): readonly string[] {
  const { paint, columns } = look.output
  return [
    `${paint.strong(counted(project.sessions, "session"))}  ${paint.faint(`last ${look.clock.time(project.updated)}`)}`,
    paint.faint(`  ${clip(oneLine(project.id), columns - 2)}`),
    ...project.directories.map((directory) => `  ${clip(shortPath(directory, look), columns - 2)}`),
  ]
}

async function searchEdits(run: Run): Promise<Outcome> {
  const { context, asked } = run
  const limit = asked.limit ?? EDITS_SHOWN_MAX
  const found = await context.history().edits({ ...asked.filter, limit }, context.signal)
  if (!found.ok) return trouble(found.fault.message)
  const { edits } = found.value
  if (run.json) await writeJson(context.output, editsJson(asked, found.value, context.options.maskSecrets))
  else
    await write(
      run,
      {
        head: `${edits.length === 0 ? "No edit" : counted(edits.length, "edit")} · `,
        order: "newest first",
        count: edits.length,
      },
      () => editBlocks(edits, run.look),
      found.value,
    )
  return foundSome(edits.length)
}

export function editsJson(asked: Asked, answer: EditsAnswer, maskSecrets: boolean) {
  const text = jsonText(maskSecrets)
  return {
    kind: "edits",
    asked: askedJson(asked),
    count: answer.edits.length,
    edits: answer.edits.map((edit) => editJson(edit, text)),
    knownSince: timeJson(answer.knownSince),
    ...reachJson(answer),
    ...helpJson(answer.help, text),
  }
}

/** A head, the blocks with a free line between, and what is not shown. */
async function write(
  run: Pick<Run, "context" | "asked" | "look">,
  asWords: { readonly count: number; readonly head: string; readonly order: string },
  blocks: () => readonly (readonly string[])[],
  answer: Pick<SearchAnswer, "more" | "hidden" | "coverage" | "help">,
): Promise<void> {
  const { context, asked, look } = run
  const { paint, textColumns } = context.output
  const order = asWords.count < 2 ? "" : ` · ${asWords.order}`
  // What was found is told before it is laid out: the first line does not wait for the last one.
  await context.output.lines(
    wrapLines(`${asWords.head}${asked.described}${order}`, textColumns).map(paint.faint),
  )
  const notes = [
    ...(answer.more ? ["more match: a higher --limit shows them"] : []),
    ...hiddenLines(answer.hidden),
    ...(await reachLines({ history: context.history() }, answer.coverage)),
  ]
  await context.output.lines([
    ...blocks().flatMap((block) => ["", ...block]),
    ...(asWords.count === 0 ? helpLines(answer.help, look) : []),
    ...(notes.length === 0 ? [] : [""]),
    ...notes.flatMap((note) => wrapLines(note, textColumns)).map(paint.faint),
  ])
}
