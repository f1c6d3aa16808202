import { matchesPath } from "../../src/query/paths.ts"
import { fold } from "../../src/text/fold.ts"
import { type Documents, documentsOf, isHidden } from "../document.ts"
import { LIMIT, type Query } from "../queries.ts"
import { type Found, nameOf, newestFirst } from "../truth.ts"
import type { Answer, Subject, SubjectKind } from "./subject.ts"

// The floor: all folded text in memory, a session a buffer, looked through newest first until the answer is full.
// What no index can beat by much for common words, and what every index must beat for rare ones.

export const scan: SubjectKind = {
  name: "scan",
  exact: true,
  inMemory: true,
  behind: 1,
  open: async () => memory(),
  sizeOf: () => 0,
}

type Held = {
  readonly documents: Documents
  readonly title: string
  readonly text: Buffer
  /** Where each message begins in `text`. */
  readonly starts: readonly number[]
}

/** Between two messages; no UTF-8 text holds this byte. */
const BETWEEN = Buffer.from([0xff])

function memory(): Subject {
  const sessions: Held[] = []
  return {
    prepare: (session) => {
      const documents = documentsOf(session)
      return async () => void sessions.push(hold(documents))
    },
    finish: async () => {
      const key = (one: Held) => one.documents.session
      sessions.sort((a, b) => key(b).updated - key(a).updated || (key(a).id < key(b).id ? 1 : -1))
    },
    ask: async (query) => ask(sessions, query),
    close: async () => undefined,
  }
}

function hold(documents: Documents): Held {
  const starts: number[] = []
  const pieces: Buffer[] = []
  let length = 0
  for (const row of documents.rows) {
    const text = Buffer.from(fold(row.text))
    starts.push(length)
    pieces.push(text, BETWEEN)
    length += text.length + 1
  }
  // Only the searched text is kept; the rows keep what filters need.
  const rows = documents.rows.map((row) => ({ ...row, text: "", said: "" }))
  const { session } = documents
  return { documents: { session, rows }, title: fold(session.title), text: Buffer.concat(pieces), starts }
}

function ask(sessions: readonly Held[], query: Query): Answer {
  if (query.kind === "edits") return edits(sessions, query)
  const words = query.words.map((word) => ({ text: fold(word), bytes: Buffer.from(fold(word)) }))
  const excluded = query.excluded.map((word) => ({ text: fold(word), bytes: Buffer.from(fold(word)) }))
  const ids: string[] = []
  const projects = new Map<string, number>()
  for (const held of sessions) {
    const { session } = held.documents
    if (isHidden(session) || (query.project !== undefined && query.project !== session.projectID)) continue
    if (!isActive(held, query) || !isEdited(held, query)) continue
    if (!words.every((word) => held.title.includes(word.text) || holds(held, word.bytes, query))) continue
    if (excluded.some((word) => held.title.includes(word.text) || held.text.includes(word.bytes))) continue
    if (query.kind === "projects") projects.set(session.projectID, (projects.get(session.projectID) ?? 0) + 1)
    else if (ids.push(session.id) > LIMIT) break
  }
  if (query.kind === "projects")
    return { ids: [...projects].map(([id, count]) => `${id}=${count}`).sort(), complete: true }
  return { ids: ids.slice(0, LIMIT), complete: true }
}

function holds(held: Held, word: Buffer, query: Query): boolean {
  const { role, from = -Infinity, to = Infinity } = query
  for (let at = held.text.indexOf(word); at >= 0; at = held.text.indexOf(word, at + 1)) {
    const row = held.documents.rows[messageAt(held.starts, at)]
    if (row && (role ?? row.role) === row.role && row.created >= from && row.created <= to) return true
  }
  return false
}

function messageAt(starts: readonly number[], at: number): number {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((starts[middle] ?? 0) <= at) low = middle + 1
    else high = middle
  }
  return low - 1
}

function isActive({ documents }: Held, { from, to }: Query): boolean {
  if (from === undefined || to === undefined) return true
  const inDates = (at: number) => at >= from && at <= to
  return inDates(documents.session.updated) || documents.rows.some((row) => inDates(row.created))
}

function isEdited({ documents }: Held, { path }: Query): boolean {
  if (path === undefined) return true
  return documents.rows.some((row) =>
    row.edits.some((edit) => edit.status === "done" && matchesPath(path, edit.path)),
  )
}

function edits(sessions: readonly Held[], query: Query): Answer {
  const found: Found[] = []
  for (const { documents } of sessions) {
    if (documents.session.archived !== undefined) continue
    for (const row of documents.rows)
      for (const edit of row.edits)
        if (edit.status === "done" && (query.path === undefined || matchesPath(query.path, edit.path)))
          found.push({ updated: row.created, id: row.id, path: edit.path })
  }
  return { ids: found.sort(newestFirst).slice(0, LIMIT).map(nameOf), complete: true }
}
