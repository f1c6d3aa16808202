import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Filter, History, HistoryResult, SearchRequest } from "../../src/history/contract.ts"
import { openHistory } from "../../src/history/index.ts"
import { MESSAGES_PAGE } from "../../src/history/sync/pages.ts"
import type { CorpusSession } from "../corpus/corpus.ts"
import { LIMIT, type Query } from "../queries.ts"
import type { Answer, Subject, SubjectKind } from "./subject.ts"

// Our index as it ships: in its worker, through the one door, written as a backfill writes it (pages of a session,
// newest first).

/** Projects of an answer, as the tool asks. */
const PROJECTS = 100

export const engine: SubjectKind = {
  name: "engine",
  exact: true,
  inMemory: false,
  open: async (folder) => subjectOf(openHistory({ dataDir: folder, maskSecrets: true, keepAlive: true })),
  sizeOf: bytesBelow,
}

/** The index behind the subject's calls; the bench of appends and reads uses it directly. */
export function subjectOf(history: History): Subject {
  return {
    prepare: (session) => {
      // A host delivers whole texts. Those of the corpus are pieces until somebody reads them, and would be joined here.
      const delivered = structuredClone(session)
      return () => storeSession(history, delivered)
    },
    finish: async () => undefined,
    ask: (query) => ask(history, query),
    close: () => history.close(),
  }
}

export async function storeSession(history: History, { session, messages }: CorpusSession): Promise<void> {
  const fetchedAt = session.updated
  const whole = messages.length <= MESSAGES_PAGE
  for (let end = messages.length; end > 0; end -= MESSAGES_PAGE) {
    const start = Math.max(0, end - MESSAGES_PAGE)
    const change = {
      session,
      messages: messages.slice(start, end),
      ...(start === 0 ? { marker: "bench" } : {}),
    }
    got(
      await history.applyChanges({
        fetchedAt,
        sessions: [{ ...change, ...(whole ? { complete: true } : {}) }],
      }),
    )
  }
}

async function ask(history: History, query: Query): Promise<Answer> {
  const filter = filterOf(query)
  if (query.kind === "edits") {
    const { edits, coverage } = got(await history.edits({ ...filter, limit: LIMIT }))
    const done = edits.filter((edit) => edit.status === "done")
    return { ids: done.map((edit) => `${edit.messageID} ${edit.path}`), complete: coverage.complete }
  }
  if (query.kind === "projects") {
    const { projects, coverage } = got(await history.projects({ ...filter, limit: PROJECTS }))
    return { ids: projects.map((one) => `${one.id}=${one.sessions}`).sort(), complete: coverage.complete }
  }
  const request: SearchRequest = { ...filter, limit: LIMIT, sort: "newest", hits: query.kind === "search" }
  const { sessions, coverage } = got(await history.search(request))
  return { ids: sessions.map((match) => match.session.id), complete: coverage.complete }
}

function filterOf(query: Query): Filter {
  const { words, excluded, path, role, from, to, project } = query
  return {
    words,
    excluded,
    ...(path === undefined ? {} : { path }),
    ...(role === undefined ? {} : { role }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    scope: project === undefined ? { kind: "all" } : { kind: "some", projects: [project] },
    include: [],
  }
}

/** The value of an answer that must not be a fault. */
export function got<Value>(result: HistoryResult<Value>): Value {
  if (!result.ok) throw new Error(`${result.fault.reason}: ${result.fault.message}`)
  return result.value
}

export function bytesBelow(folder: string): number {
  let bytes = 0
  for (const name of readdirSync(folder, { recursive: true })) {
    const stat = statSync(join(folder, String(name)))
    if (stat.isFile()) bytes += stat.size
  }
  return bytes
}
