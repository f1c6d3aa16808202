import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { deserialize, serialize } from "node:v8"
import type {
  Changes,
  Filter,
  History,
  HistoryResult,
  SearchRequest,
  SessionChange,
} from "../../src/history/contract.ts"
import { openHistory } from "../../src/history/index.ts"
import { MESSAGES_PAGE } from "../../src/history/sync/pages.ts"
import { STORED_BEHIND } from "../../src/history/sync/work.ts"
import { FULL_SESSIONS } from "../../src/tools/search/limits.ts"
import type { CorpusSession } from "../corpus/corpus.ts"
import { LIMIT, type Query } from "../queries.ts"
import type { Answer, Subject, SubjectKind } from "./subject.ts"

// Our index as it ships: in its worker, through the one door, written as a backfill writes it (pages of a session,
// newest first, some sessions on their way at a time).

/** Projects of an answer, as the tool asks. */
const PROJECTS = 100

export const engine: SubjectKind = {
  name: "engine",
  exact: true,
  inMemory: false,
  behind: STORED_BEHIND,
  open: async (folder) =>
    subjectOf(() => openHistory({ dataDir: folder, maskSecrets: true, keepAlive: true })),
  sizeOf: bytesBelow,
}

function subjectOf(open: () => History): Subject {
  let history = open()
  return {
    prepare: (session) => {
      // As a host's answers: read when they are stored, and until then of no weight for this process's memory.
      const answers = changesOf(session).map((changes) => serialize(changes))
      return async () => {
        for (const answer of answers) got(await history.applyChanges(deserialize(answer)))
      }
    },
    // Closing indexes what still waits for it.
    finish: async () => {
      await history.close()
      history = open()
    },
    ask: (query) => ask(history, query),
    close: () => history.close(),
  }
}

export async function storeSession(history: History, session: CorpusSession): Promise<void> {
  for (const changes of changesOf(session)) got(await history.applyChanges(changes))
}

/** What a backfill writes of a session: its pages, newest first; the marker comes with the last. */
function changesOf({ session, messages }: CorpusSession): readonly Changes[] {
  const whole = messages.length <= MESSAGES_PAGE
  const pages: Changes[] = []
  for (let end = messages.length; end > 0; end -= MESSAGES_PAGE) {
    const start = Math.max(0, end - MESSAGES_PAGE)
    const change: SessionChange = {
      session,
      messages: messages.slice(start, end),
      ...(start === 0 ? { marker: "bench" } : {}),
      ...(whole ? { complete: true } : {}),
    }
    pages.push({ fetchedAt: session.updated, sessions: [change] })
  }
  return pages
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
  const request: SearchRequest = {
    ...filter,
    limit: LIMIT,
    sort: "newest",
    hits: query.kind === "search",
    thorough: FULL_SESSIONS,
  }
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
