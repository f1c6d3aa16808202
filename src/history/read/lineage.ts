import type { Database } from "../../storage/sqlite.ts"
import type { Catalog, Entry } from "./catalog.ts"
import { newestFirst } from "./catalog.ts"
import type { Family, LineageAnswer, LineageRequest } from "../contract.ts"
import { bytesIn, numberIn } from "../file/rows.ts"
import { scopeTest } from "../search/scope.ts"
import type { Steps } from "../steps.ts"

// How sessions came of each other. Hosts tell of handoffs (our note in the session) and subagents (its parent); a
// fork is told by OpenCode 2, and otherwise by its copied messages, which are older than the session they are in.

/** Sessions of one family that are returned: more is no picture of anything. */
export const LINEAGE_SESSIONS_MAX = 500

type Link = Family["links"][number]

export function* readLineage(
  database: Database,
  catalog: Catalog,
  request: LineageRequest,
): Steps<LineageAnswer> {
  const inScope = scopeTest({ scope: request.scope, ...(request.exclude && { exclude: request.exclude }) })
  const visible = scopeTest({ scope: { kind: "all" }, ...(request.exclude && { exclude: request.exclude }) })
  const seen = new Map<string, Link>()
  const neighbours = new Map<string, Set<string>>()
  for (const entry of catalog.entries) {
    if (!visible(entry)) continue
    const link = linkTo(database, catalog, entry)
    if (entry.shared) yield "pause"
    if (link === undefined || hides(catalog, link.from, visible)) continue
    seen.set(link.to, link)
    join(neighbours, link.from, link.to)
    join(neighbours, link.to, link.from)
  }

  const starts =
    request.sessionID === undefined
      ? catalog.entries.filter((entry) => neighbours.has(entry.session.id) && inScope(entry))
      : catalog.entries.filter((entry) => entry.session.id === request.sessionID && visible(entry))
  const families: Family[] = []
  const placed = new Set<string>()
  let more = false
  for (const start of starts) {
    if (placed.has(start.session.id)) continue
    if (families.length >= request.limit) {
      more = true
      break
    }
    families.push(familyOf(catalog, neighbours, seen, start.session.id, placed))
    yield "pause"
  }
  return { families, more }
}

/** What a session came of. A subagent has its parent, whatever else it holds. */
function linkTo(database: Database, catalog: Catalog, entry: Entry): Link | undefined {
  const { id, parentID, handoffFrom, forkedFrom } = entry.session
  if (parentID !== undefined && parentID !== id) return { kind: "subagent", from: parentID, to: id }
  if (handoffFrom !== undefined && handoffFrom !== id) return { kind: "handoff", from: handoffFrom, to: id }
  if (forkedFrom !== undefined && forkedFrom !== id) return { kind: "fork", from: forkedFrom, to: id }
  const original = entry.shared ? originalOf(database, catalog, entry) : undefined
  return original === undefined ? undefined : { kind: "fork", from: original.session.id, to: id }
}

/** The session in which a fork's last copied message was written. */
function originalOf(database: Database, catalog: Catalog, entry: Entry): Entry | undefined {
  catalog.checked.copies(catalog.entries.filter((one) => one.shared))
  const copied = database
    .prepare(
      "SELECT print, created FROM messages WHERE session = ? AND created < ? AND units > 0 ORDER BY created DESC, id DESC LIMIT 1",
    )
    .get(entry.key, entry.session.created)
  if (copied === undefined) return undefined
  const written = numberIn(copied, "created")
  return database
    .prepare("SELECT DISTINCT session FROM messages WHERE print = ? AND units > 0 AND session <> ?")
    .all(bytesIn(copied, "print"), entry.key)
    .map((row) => catalog.byKey(numberIn(row, "session")))
    .filter((other) => other !== undefined)
    .filter((other) => other.session.created < entry.session.created && other.session.created <= written)
    .sort(newestFirst)
    .at(-1)
}

function hides(catalog: Catalog, id: string, visible: (entry: Entry) => boolean): boolean {
  const entry = catalog.byID(id)
  return entry !== undefined && !visible(entry)
}

function join(neighbours: Map<string, Set<string>>, one: string, other: string): void {
  const known = neighbours.get(one)
  if (known === undefined) neighbours.set(one, new Set([other]))
  else known.add(other)
}

function familyOf(
  catalog: Catalog,
  neighbours: ReadonlyMap<string, ReadonlySet<string>>,
  links: ReadonlyMap<string, Link>,
  start: string,
  placed: Set<string>,
): Family {
  const found: string[] = [start]
  placed.add(start)
  for (let at = 0; at < found.length; at++) {
    for (const id of neighbours.get(found[at] ?? "") ?? []) {
      if (placed.has(id)) continue
      placed.add(id)
      found.push(id)
    }
  }
  // Nearest relatives of the start come first, so that a cut leaves out the farthest.
  const shown = new Set(found.slice(0, LINEAGE_SESSIONS_MAX))
  const sessions = [...shown]
    .map((id) => catalog.byID(id)?.session)
    .filter((session) => session !== undefined)
    .sort((one, other) => one.created - other.created || (one.id < other.id ? -1 : 1))
  return {
    sessions,
    links: sessions.flatMap((session) => {
      const link = links.get(session.id)
      return link === undefined ? [] : [link]
    }),
    left: found.length - shown.size,
  }
}
