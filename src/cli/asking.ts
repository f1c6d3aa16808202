import { statSync } from "node:fs"
import { resolve } from "node:path"
import type { Filter, Hidden } from "../history/contract.ts"
import type { Caller } from "../hosts/host.ts"
import { everywhere, parseQuery, quotedValue } from "../query/parse.ts"
import type { Role } from "../session/model.ts"
import { shownValue } from "../text/printable.ts"
import { HIDDEN } from "../tools/search/limits.ts"
import { prepare } from "../tools/search/prepare.ts"
import { resolveScope } from "../tools/search/scope.ts"
import type { HistoryServices, ProjectInfo } from "../tools/search/services.ts"
import type { Context } from "./context.ts"
import { projectAt } from "./project.ts"

// A person's question becomes the same filter that the tools make of a model's: one query language, one meaning.

export type Asked = {
  readonly filter: Filter
  /** The filter in words. */
  readonly described: string
  readonly sort: "newest" | "relevance"
  readonly limit?: number
}

export type AskResult = ({ readonly ok: true } & Asked) | { readonly ok: false; readonly error: string }

/** The options of a search; the command line has checked their values. */
export type AskOptions = {
  readonly role?: Role | undefined
  readonly date?: string | undefined
  readonly limit?: number | undefined
  readonly sort?: "newest" | "relevance" | undefined
  /** As it was typed, with commas between. */
  readonly include?: string | undefined
  readonly project?: string | undefined
}

/** The question as a filter. Outside of every known project all projects are meant. Errors are one line. */
export async function ask(context: Context, query: string, options: AskOptions): Promise<AskResult> {
  const { role, date, limit, sort, include, project } = options
  const kinds = (include ?? "")
    .split(",")
    .map((kind) => kind.trim())
    .filter(Boolean)
  const strange = kinds.find((kind) => !isHidden(kind))
  if (strange !== undefined)
    return {
      ok: false,
      error: `--include is ${shownValue(strange)}; write ${HIDDEN.join(", ")}, with commas between`,
    }
  const named =
    project === undefined ? query : `project:${quotedValue(folderOr(project, context.directory))} ${query}`
  const own = await ownProject(context, named)
  if (!own.ok) return own
  const prepared = await prepare(
    servicesFor(context, own.project),
    callerFor(context, own.project),
    {
      query: own.project === undefined ? everywhere(named) : named,
      ...(role && { role }),
      ...(date !== undefined && { date }),
      include: kinds.filter(isHidden),
    },
    scopeForPeople,
  )
  if (!prepared.ok) return prepared
  // A person here may read all of it, so what is in other projects is counted.
  const { callerSessionID: _, onlyScope: __, ...filter } = prepared.filter
  return {
    ok: true,
    filter,
    described: prepared.described,
    sort: sort ?? "newest",
    ...(limit === undefined ? {} : { limit }),
  }
}

/** In a shell `.` and `api` are folders too, where there is such a folder; to the query language they are ids. */
function folderOr(project: string, directory: string): string {
  if (project.trim() === "" || project.toLowerCase() === "all") return project
  const folder = resolve(directory, project)
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? folder : project
}

type OwnProject =
  | { readonly ok: true; readonly project: ProjectInfo | undefined }
  | { readonly ok: false; readonly error: string }

/** The project one stands in. Nobody looks for it where all are meant. */
async function ownProject(context: Context, query: string): Promise<OwnProject> {
  const parsed = parseQuery(query)
  if (!parsed.ok) return parsed
  if (parsed.query.project?.kind === "all") return { ok: true, project: undefined }
  const found = await projectAt(context.history(), context.directory)
  return found.ok ? { ok: true, project: found.value } : { ok: false, error: found.fault.message }
}

/** What `project:` means: as for the tools, but nobody has to be asked, so nothing is counted for a question. */
const scopeForPeople: typeof resolveScope = async (services, caller, project) =>
  project?.kind === "all"
    ? { ok: true, scope: { kind: "all" }, name: "all projects" }
    : resolveScope(services, caller, project, LISTS_PROJECTS)

/** What a person does about a project that is not there. */
const LISTS_PROJECTS = "`baton search --projects --project all` lists them"

function isHidden(kind: string): kind is Hidden {
  return HIDDEN.some((known) => known === kind)
}

/** The tools' services without a host: what is read comes from the index. */
export function servicesFor(context: Context, project: ProjectInfo | undefined): HistoryServices {
  const { options } = context
  return {
    history: context.history(),
    reader: noHost,
    options: { exclude: options.exclude, maskSecrets: options.maskSecrets },
    project: project ?? { id: "", directory: context.directory, worktree: context.directory },
    now: context.now,
  }
}

/** The person at this terminal, who may see everything that is not excluded. */
export function callerFor(context: Context, project: ProjectInfo | undefined): Caller {
  return {
    sessionID: "",
    messageID: "",
    directory: context.directory,
    projectID: project?.id ?? "",
    signal: context.signal,
    askOtherProject: () => Promise.resolve({ granted: true }),
  }
}

const nowhere = { ok: false, fault: { reason: "not-found", message: "no host is asked" } } as const
const noHost = { session: () => Promise.resolve(nowhere), messages: () => Promise.resolve(nowhere) }
