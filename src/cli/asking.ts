import type { Filter } from "../history/contract.ts"
import type { Caller } from "../hosts/host.ts"
import { parseQuery } from "../query/parse.ts"
import type { Role } from "../session/model.ts"
import { prepare } from "../tools/search/request.ts"
import { choice, choices, wholeNumber } from "../tools/search/arguments.ts"
import { HIDDEN } from "../tools/search/request.ts"
import type { HistoryServices, ProjectInfo } from "../tools/search/services.ts"
import * as z from "zod"
import { shownValue } from "../text/printable.ts"
import { typedOptions } from "./typed-options.ts"
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

/** The options of a search as they were typed. */
export type AskOptions = {
  readonly role?: string | undefined
  readonly date?: string | undefined
  readonly limit?: string | undefined
  readonly sort?: string | undefined
  readonly include?: string | undefined
  readonly project?: string | undefined
}

const shape = {
  role: choice(["user", "assistant"]).optional(),
  date: z.string().optional(),
  limit: wholeNumber(1).optional(),
  sort: choice(["newest", "relevance"]).optional(),
  include: choices(HIDDEN).optional(),
  project: z.string().optional(),
}

/** The question as a filter. Outside of every known project all projects are meant. Errors are one line. */
export async function ask(context: Context, query: string, options: AskOptions): Promise<AskResult> {
  const strange = options.include?.split(",").find((kind) => !HIDDEN.some((known) => known === kind.trim()))
  if (strange !== undefined)
    return {
      ok: false,
      error: `--include is ${shownValue(strange)}; write ${HIDDEN.join(", ")}, with commas between`,
    }
  const parsed = typedOptions(shape, options)
  if (!parsed.ok) return parsed
  const { role, date, limit, sort, include, project } = parsed.value
  const own = await projectAt(context.history(), context.directory)
  if (!own.ok) return { ok: false, error: own.fault.message }
  const whole = withProject(query, project, own.value)
  const given: { query: string; role?: Role; date?: string; include?: (typeof HIDDEN)[number][] } = {
    query: whole,
    ...(role && { role }),
    ...(date && { date }),
    ...(include && { include }),
  }
  const prepared = await prepare(servicesFor(context, own.value), callerFor(context, own.value), given)
  if (!prepared.ok) return prepared
  const { callerSessionID: _, ...filter } = prepared.filter
  return {
    ok: true,
    filter,
    described: prepared.described,
    sort: sort ?? "newest",
    ...(limit === undefined ? {} : { limit }),
  }
}

function withProject(query: string, wanted: string | undefined, own: ProjectInfo | undefined): string {
  if (wanted !== undefined) return `project:${quoted(wanted)} ${query}`
  if (own !== undefined) return query
  const parsed = parseQuery(query)
  return parsed.ok && parsed.query.project === undefined ? `project:all ${query}` : query
}

function quoted(value: string): string {
  return `"${value.replaceAll('"', '\\"')}"`
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
