// The arguments that the three searches share, read once: query, role, date, sort, include, limit.

import type { Filter, Hidden, HistoryResult } from "../../history/contract.ts"
import type { Caller } from "../../hosts/host.ts"
import { parseDate } from "../../query/dates.ts"
import { parseQuery } from "../../query/parse.ts"
import type { Role } from "../../session/model.ts"
import { excludedEntries } from "./access.ts"
import { choice, choices, wholeNumber } from "./arguments.ts"
import { describeFilter } from "./describe.ts"
import { resolveScope } from "./scope.ts"
import type { HistoryServices } from "./services.ts"
import { clockOf } from "./when.ts"

export const HIDDEN = ["subagents", "archived", "reverted"] as const

/** Arguments of all searches beside the query and the limit. */
export const sharedInput = {
  role: choice(["user", "assistant"]).optional(),
  include: choices(HIDDEN).optional(),
  sort: choice(["newest", "relevance"]).optional(),
}

/** The limit of a search; more than `cap` is lowered to it and told. */
export function limitInput(defaultLimit: number, cap: number, more = "") {
  const words = defaultLimit === cap ? `Default and max ${cap}` : `Default ${defaultLimit}, max ${cap}`
  return wholeNumber(1)
    .optional()
    .describe(words + more)
}

export type SharedArguments = {
  readonly query?: string | undefined
  readonly role?: Role | undefined
  readonly date?: string | undefined
  readonly include?: readonly Hidden[] | undefined
  readonly sort?: "newest" | "relevance" | undefined
}

export type Prepared =
  | { readonly ok: true; readonly filter: Filter; readonly described: string }
  | { readonly ok: false; readonly error: string }

/** The filter of a search with the words that describe it in the answer. Errors are one line. */
export async function prepare(
  services: HistoryServices,
  caller: Caller,
  given: SharedArguments,
): Promise<Prepared> {
  const parsed = parseQuery(given.query ?? "")
  if (!parsed.ok) return parsed
  const zone = services.timeZone === undefined ? {} : { timeZone: services.timeZone }
  const date = given.date === undefined ? undefined : parseDate(given.date, { now: services.now(), ...zone })
  if (date !== undefined && !date.ok) return date
  const scope = await resolveScope(services, caller, parsed.query.project)
  if (!scope.ok) return scope
  const filter: Filter = {
    words: parsed.query.words,
    excluded: parsed.query.excluded,
    ...(parsed.query.path === undefined ? {} : { path: parsed.query.path }),
    scope: scope.scope,
    ...(given.role === undefined ? {} : { role: given.role }),
    ...(date?.from === undefined ? {} : { from: date.from }),
    ...(date?.to === undefined ? {} : { to: date.to }),
    include: given.include ?? [],
    exclude: excludedEntries(services),
    callerSessionID: caller.sessionID,
  }
  return { ok: true, filter, described: describeFilter(filter, scope.name, clockOf(services.timeZone)) }
}

/** Asks the index; an answer of nothing is asked again after catching up with the host. */
export async function askIndex<Answer>(
  services: HistoryServices,
  caller: Caller,
  ask: () => Promise<HistoryResult<Answer>>,
  isNothing: (answer: Answer) => boolean,
): Promise<HistoryResult<Answer>> {
  const first = await ask()
  if (!first.ok || !isNothing(first.value) || services.catchUp === undefined) return first
  await services.catchUp(caller.signal)
  return ask()
}
