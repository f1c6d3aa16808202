import { matchesPath } from "../src/query/paths.ts"
import { fold } from "../src/text/fold.ts"
import type { Corpus } from "./corpus/corpus.ts"
import { type Documents, documentsOf, isHidden } from "./document.ts"
import { LIMIT, QUERIES, type Query } from "./queries.ts"

// What every query must answer, by looking at every message; session by session, so that any corpus fits in memory.

/** `ids`: the first LIMIT of the answer. For edits `message path`, for projects `project=sessions`. */
export type Expected = { readonly id: string; readonly ids: readonly string[]; readonly total: number }

export type Truth = {
  readonly expected: readonly Expected[]
  readonly sessions: number
  readonly messages: number
  /** UTF-8 bytes of all searchable text, and of what users and assistants said. */
  readonly textBytes: number
  readonly saidBytes: number
}

/** Newest first, then the later id, then the earlier path. */
export type Found = { readonly updated: number; readonly id: string; readonly path?: string }

export function truthOf(corpus: Corpus, queries: readonly Query[] = QUERIES): Truth {
  const found = queries.map((query) => ({
    query,
    words: query.words.map(fold),
    excluded: query.excluded.map(fold),
  }))
  const lists = queries.map((): Found[] => [])
  const projects = queries.map(() => new Map<string, number>())
  const counts = { sessions: 0, messages: 0, textBytes: 0, saidBytes: 0 }
  for (const made of corpus.sessions()) {
    const documents = documentsOf(made)
    counts.sessions++
    for (const row of documents.rows) {
      counts.messages++
      counts.textBytes += Buffer.byteLength(row.text)
      counts.saidBytes += Buffer.byteLength(row.said)
    }
    const session = folded(documents)
    found.forEach((asked, at) => {
      const list = lists[at] ?? []
      if (asked.query.kind === "edits") list.push(...editsIn(session, asked.query))
      else if (matches(session, asked)) {
        const { projectID, updated, id } = documents.session
        list.push({ updated, id })
        projects[at]?.set(projectID, (projects[at]?.get(projectID) ?? 0) + 1)
      }
    })
  }
  const expected = queries.map((query, at) => {
    if (query.kind === "projects") return projectAnswer(query, projects[at] ?? new Map())
    const list = (lists[at] ?? []).sort(newestFirst)
    return { id: query.id, ids: list.slice(0, LIMIT).map(nameOf), total: list.length }
  })
  return { expected, ...counts }
}

type Asked = {
  readonly query: Query
  readonly words: readonly string[]
  readonly excluded: readonly string[]
}

type Folded = Documents & { readonly title: string; readonly texts: readonly string[] }

function folded(documents: Documents): Folded {
  return {
    ...documents,
    title: fold(documents.session.title),
    texts: documents.rows.map((row) => fold(row.text)),
  }
}

function matches(one: Folded, { query, words, excluded }: Asked): boolean {
  const { session, rows, texts, title } = one
  if (isHidden(session) || !isInScope(one, query)) return false
  const { from = -Infinity, to = Infinity, path } = query
  const inDates = (at: number) => at >= from && at <= to
  if (!inDates(session.updated) && !rows.some((row) => inDates(row.created))) return false
  if (path !== undefined && !rows.some((row) => row.edits.some((edit) => isEdit(edit, path)))) return false
  const allowed = rows.map((row) => (query.role ?? row.role) === row.role && inDates(row.created))
  const held = (word: string) => texts.some((text, at) => allowed[at] === true && text.includes(word))
  if (!words.every((word) => title.includes(word) || held(word))) return false
  return !excluded.some((word) => title.includes(word) || texts.some((text) => text.includes(word)))
}

function isInScope({ session }: Documents, query: Query): boolean {
  return query.project === undefined || query.project === session.projectID
}

function editsIn(one: Folded, query: Query): readonly Found[] {
  if (!isInScope(one, query) || one.session.archived !== undefined) return []
  return one.rows.flatMap((row) =>
    row.edits
      .filter((edit) => isEdit(edit, query.path))
      .map((edit) => ({ updated: row.created, id: row.id, path: edit.path })),
  )
}

function isEdit(edit: { readonly status: string; readonly path: string }, path: string | undefined): boolean {
  return edit.status === "done" && (path === undefined || matchesPath(path, edit.path))
}

function projectAnswer(query: Query, counts: ReadonlyMap<string, number>): Expected {
  const ids = [...counts].map(([id, count]) => `${id}=${count}`).sort()
  return { id: query.id, ids, total: ids.length }
}

export function newestFirst(one: Found, other: Found): number {
  if (one.updated !== other.updated) return other.updated - one.updated
  if (one.id !== other.id) return one.id < other.id ? 1 : -1
  return (one.path ?? "") < (other.path ?? "") ? -1 : 1
}

export function nameOf({ id, path }: Found): string {
  return path === undefined ? id : `${id} ${path}`
}
