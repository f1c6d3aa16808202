import type { Filter, NoHitHelp, ProjectsAnswer, SearchAnswer, SessionMatch } from "../history/contract.ts"
import type { Caller } from "../hosts/host.ts"
import { oneLine } from "../text/printable.ts"
import { HISTORY_SEARCH_SESSIONS } from "./definitions/history.ts"
import { type InputOf, parseInput } from "./input.ts"
import { SEPARATOR } from "./search/describe.ts"
import { helpLines } from "./search/help-text.ts"
import { LISTED_DEFAULT, LISTED_MAX, PROJECTS_MAX } from "./search/limits.ts"
import { cappedNote, counted, folderNotes, hiddenNotes, reachNotes } from "./search/notes.ts"
import { prepare } from "./search/prepare.ts"
import { askIndex } from "./search/request.ts"
import { indexFault } from "./search/index-state.ts"
import type { HistoryServices } from "./search/services.ts"
import { FIELD, sessionMarks, shownPath, shownTitle } from "./search/session-line.ts"
import { textAnswer } from "./search/text-answer.ts"
import { clockOf, type Clock } from "./search/when.ts"
import type { Tool } from "./tool.ts"

// Matching sessions, or the projects they belong to; no message text.

/** Directories named of one project; a machine of worktrees has hundreds. */
export const PROJECT_DIRECTORIES_SHOWN = 8

type Input = InputOf<typeof HISTORY_SEARCH_SESSIONS>

/** Lists sessions or projects. The answer is text; trouble is one line. */
export function historySearchSessions(services: HistoryServices): Tool {
  return {
    ...HISTORY_SEARCH_SESSIONS,
    async run(raw, caller) {
      const parsed = parseInput(HISTORY_SEARCH_SESSIONS, raw)
      if (!parsed.ok) return parsed.error
      const prepared = await prepare(services, caller, parsed.value)
      if (!prepared.ok) return prepared.error
      return parsed.value.show === "projects"
        ? listProjects(services, caller, parsed.value, prepared)
        : listSessions(services, caller, parsed.value, prepared)
    },
  }
}

type Asked = { readonly filter: Filter; readonly described: string }

async function listSessions(
  services: HistoryServices,
  caller: Caller,
  value: Input,
  asked: Asked,
): Promise<string> {
  const sort = value.sort ?? "newest"
  const limit = Math.min(value.limit ?? LISTED_DEFAULT, LISTED_MAX)
  const found = await askIndex<SearchAnswer>(
    services,
    caller,
    () => services.history.search({ ...asked.filter, sort, hits: false, limit }, caller.signal),
    (answer) => answer.sessions.length === 0,
  )
  if (!found.ok) return indexFault(found.fault.message)
  const { sessions, more, hidden, coverage, help } = found.value
  const clock = clockOf(services.timeZone)
  const mask = services.options.maskSecrets
  const order = sort === "newest" ? "newest first" : "most relevant first"
  return textAnswer({
    head:
      sessions.length === 0
        ? `No session${SEPARATOR}${asked.described}`
        : `${counted(sessions.length, "session")}${SEPARATOR}${asked.described}${SEPARATOR}${order}`,
    blocks:
      sessions.length === 0
        ? helpLines(help, clock, services.options)
        : sessions.map((match) => sessionRow(match, caller.sessionID, clock, mask)),
    notes: [
      ...(more ? [`More sessions exist; narrow the query or raise limit (max ${LISTED_MAX})`] : []),
      ...(sessions.length === 0 ? folderNotes(asked.filter.path) : []),
      ...cappedNote(value.limit, LISTED_MAX),
      ...hiddenNotes(hidden),
      ...(await reachNotes(services, coverage)),
      ...found.late,
      `Times: ${clock.zone}`,
    ],
    unit: "lines",
    maxBytes: services.maxAnswerBytes,
  })
}

function sessionRow(match: SessionMatch, caller: string, clock: Clock, mask: boolean): string {
  const { session } = match
  const fields = [
    shownTitle(session.title, mask),
    session.id,
    clock.time(session.updated),
    shownPath(session.directory),
    `project ${oneLine(session.projectID)}`,
  ]
  return fields.join(FIELD) + sessionMarks(session, match, session.id === caller ? "this session" : "")
}

async function listProjects(
  services: HistoryServices,
  caller: Caller,
  value: Input,
  asked: Asked,
): Promise<string> {
  const limit = Math.min(value.limit ?? PROJECTS_MAX, PROJECTS_MAX)
  const found = await askIndex<ProjectsAnswer>(
    services,
    caller,
    () => services.history.projects({ ...asked.filter, limit }, caller.signal),
    (answer) => answer.projects.length === 0,
  )
  if (!found.ok) return indexFault(found.fault.message)
  const { projects, more, hidden, coverage } = found.value
  const clock = clockOf(services.timeZone)
  const help = projects.length === 0 ? await helpFor(services, caller, asked) : undefined
  return textAnswer({
    head:
      projects.length === 0
        ? `No project${SEPARATOR}${asked.described}`
        : `${counted(projects.length, "project")}${SEPARATOR}${asked.described}${SEPARATOR}most sessions first`,
    blocks:
      projects.length === 0
        ? helpLines(help, clock, services.options)
        : projects.map((project) => projectRow(project, clock)),
    notes: [
      ...(more ? [`More projects exist; narrow the query or raise limit (max ${PROJECTS_MAX})`] : []),
      ...(projects.length === 0 ? folderNotes(asked.filter.path) : []),
      ...cappedNote(value.limit, PROJECTS_MAX),
      ...hiddenNotes(hidden),
      ...(await reachNotes(services, coverage)),
      ...found.late,
      `Times: ${clock.zone}`,
    ],
    unit: "lines",
    maxBytes: services.maxAnswerBytes,
  })
}

/** What a search for sessions says about words that are in no project. */
async function helpFor(
  services: HistoryServices,
  caller: Caller,
  asked: Asked,
): Promise<NoHitHelp | undefined> {
  const request = { ...asked.filter, sort: "newest", hits: false, limit: 1 } as const
  const found = await services.history.search(request, caller.signal)
  return found.ok ? found.value.help : undefined
}

function projectRow(project: ProjectsAnswer["projects"][number], clock: Clock): string {
  const shown = project.directories.slice(0, PROJECT_DIRECTORIES_SHOWN)
  const left = project.directories.length - shown.length
  const directories = shown.map(shownPath).join(", ") + (left === 0 ? "" : ` and ${left} more`)
  return [
    counted(project.sessions, "session"),
    oneLine(project.id),
    directories,
    `last ${clock.time(project.updated)}`,
  ].join(FIELD)
}
