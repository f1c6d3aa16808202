import type { NoHitHelp, SearchAnswer } from "../../history/contract.ts"
import {
  EDITS_SHOWN_MAX,
  FULL_SESSIONS,
  LISTED_DEFAULT,
  PROJECTS_MAX,
  SESSIONS_SHOWN_MAX,
} from "../../tools/search/limits.ts"
import { counted } from "../../tools/search/notes.ts"
import { ask, type Asked, type AskOptions } from "../asking.ts"
import type { Context } from "../context.ts"
import { clip } from "../layout.ts"
import { foundSome, type Outcome, trouble } from "../outcome.ts"
import { projectBlock, writeAnswer } from "../view/answer.ts"
import { editBlocks } from "../view/edits.ts"
import { hitBlocks } from "../view/hits.ts"
import { writeJson } from "../view/json.ts"
import { editsJson, projectsJson, sessionsJson } from "../view/search-json.ts"
import { lookFor, marksOf, sessionHead, titleOf, type Look } from "../view/text.ts"

// `baton search`: messages, or with a flag sessions, projects or edits. The same filter and the same index as the
// agent's tools; only limits differ, because nobody's context is filled here.

export type SearchOptions = AskOptions & {
  readonly sessions?: boolean | undefined
  readonly projects?: boolean | undefined
  readonly edits?: boolean | undefined
  readonly json?: boolean | undefined
}

export async function search(context: Context, query: string, options: SearchOptions): Promise<Outcome> {
  const { sessions, projects, edits, json, ...askOptions } = options
  const views = Object.entries({ sessions, projects, edits }).filter(([, wanted]) => wanted === true)
  if (views.length > 1)
    return trouble(`--${views.map(([view]) => view).join(" and --")} exclude each other; write one of them`)
  const asked = await ask(context, query, askOptions)
  if (!asked.ok) return trouble(asked.error)
  const run = { context, asked, json: json === true, look: lookFor(context) }
  if (projects === true) return searchProjects(run)
  if (edits === true) return searchEdits(run)
  if (sessions !== true && asked.filter.words.length === 0)
    return trouble(
      "the query has no word to find; write one, or use --sessions, --projects or --edits to list",
    )
  return searchSessions(run, sessions !== true)
}

type Run = { readonly context: Context; readonly asked: Asked; readonly json: boolean; readonly look: Look }

async function searchSessions(run: Run, hits: boolean): Promise<Outcome> {
  const { context, asked, look } = run
  const limit = asked.limit ?? (hits && run.json ? SESSIONS_SHOWN_MAX : LISTED_DEFAULT)
  const found = await context
    .history()
    .search({ ...asked.filter, sort: asked.sort, hits, thorough: FULL_SESSIONS, limit }, context.signal)
  if (!found.ok) return trouble(found.fault.message)
  const answer = found.value
  const count = answer.sessions.length
  if (run.json)
    await writeJson(context.output, sessionsJson(asked, answer, hits, context.options.maskSecrets))
  else {
    const head = hits
      ? `${count === 0 ? "No session holds" : counted(count, "session holds", "sessions hold")} `
      : `${count === 0 ? "No session" : counted(count, "session")} · `
    const order = asked.sort === "newest" ? "newest first" : "most relevant first"
    const blocks = () =>
      hits
        ? hitBlocks(answer.sessions, asked.filter.words, look)
        : answer.sessions.map((match) => sessionHead(match.session, marksOf(match.session, match), look))
    await writeAnswer(run, { count, head, order: `${order}${bestMatch(answer, look)}` }, blocks, answer)
  }
  return foundSome(count)
}

/** The title is in full where its session is shown. */
const BEST_TITLE_COLUMNS = 40

/** Which session answers best, where that is not the first one anyway. */
function bestMatch({ sessions, best }: SearchAnswer, look: Look): string {
  const match = sessions.find(({ session }) => session.id === best?.sessionID)
  if (match === undefined || match === sessions[0]) return ""
  const title = clip(titleOf(match.session, look), BEST_TITLE_COLUMNS)
  return ` · best match: ${[title, match.session.id, best?.messageID ?? ""].join(" ").trimEnd()}`
}

async function searchProjects(run: Run): Promise<Outcome> {
  const { context, asked, look } = run
  const limit = asked.limit ?? PROJECTS_MAX
  const found = await context.history().projects({ ...asked.filter, limit }, context.signal)
  if (!found.ok) return trouble(found.fault.message)
  const { projects } = found.value
  const count = projects.length
  const help = count === 0 ? await helpFor(run) : undefined
  if (run.json)
    await writeJson(context.output, projectsJson(asked, found.value, help, context.options.maskSecrets))
  else {
    const head = `${count === 0 ? "No project" : counted(count, "project")} · `
    const blocks = () => projects.map((one) => projectBlock(one, look))
    await writeAnswer(run, { count, head, order: "most sessions first" }, blocks, { ...found.value, help })
  }
  return foundSome(count)
}

/** What a search for sessions says about words that are in no project. */
async function helpFor({ context, asked }: Run): Promise<NoHitHelp | undefined> {
  const request = { ...asked.filter, sort: asked.sort, hits: false, limit: 1 }
  const found = await context.history().search(request, context.signal)
  return found.ok ? found.value.help : undefined
}

async function searchEdits(run: Run): Promise<Outcome> {
  const { context, asked, look } = run
  const limit = asked.limit ?? EDITS_SHOWN_MAX
  const found = await context.history().edits({ ...asked.filter, limit }, context.signal)
  if (!found.ok) return trouble(found.fault.message)
  const { edits } = found.value
  const count = edits.length
  if (run.json) await writeJson(context.output, editsJson(asked, found.value, context.options.maskSecrets))
  else {
    const head = `${count === 0 ? "No edit" : counted(count, "edit")} · `
    await writeAnswer(run, { count, head, order: "newest first" }, () => editBlocks(edits, look), found.value)
  }
  return foundSome(count)
}
