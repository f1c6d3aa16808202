// The filter that a search makes of its arguments: query, role, date, include. The schemas are apart, because the
// `baton` command asks the same question without them.

import type { Filter, Hidden } from "../../history/contract.ts"
import type { Caller } from "../../hosts/host.ts"
import { parseDate } from "../../query/dates.ts"
import { parseQuery } from "../../query/parse.ts"
import type { Role } from "../../session/model.ts"
import { excludedEntries } from "./access.ts"
import { describeFilter } from "./describe.ts"
import { resolveScope } from "./scope.ts"
import type { HistoryServices } from "./services.ts"
import { clockOf } from "./when.ts"

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

/**
 * The filter of a search with the words that describe it in the answer. `scopeOf` decides what `project:` means.
 * Errors are one line.
 */
export async function prepare(
  services: HistoryServices,
  caller: Caller,
  given: SharedArguments,
  scopeOf: typeof resolveScope = resolveScope,
): Promise<Prepared> {
  const parsed = parseQuery(given.query ?? "")
  if (!parsed.ok) return parsed
  const zone = services.timeZone === undefined ? {} : { timeZone: services.timeZone }
  const date = given.date === undefined ? undefined : parseDate(given.date, { now: services.now(), ...zone })
  if (date !== undefined && !date.ok) return date
  const scope = await scopeOf(services, caller, parsed.query.project)
  if (!scope.ok) return scope
  const filter: Filter = {
    words: parsed.query.words,
    excluded: parsed.query.excluded,
    ...(parsed.query.path === undefined ? {} : { path: parsed.query.path, pathFrom: caller.directory }),
    scope: scope.scope,
    onlyScope: true,
    ...(given.role === undefined ? {} : { role: given.role }),
    ...(date?.from === undefined ? {} : { from: date.from }),
    ...(date?.to === undefined ? {} : { to: date.to }),
    include: [...new Set(given.include)],
    exclude: excludedEntries(services),
    callerSessionID: caller.sessionID,
  }
  return { ok: true, filter, described: describeFilter(filter, scope.name, clockOf(services.timeZone)) }
}
