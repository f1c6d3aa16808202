import type { Database } from "../../src/storage/sqlite.ts"
import { documentsOf } from "../document.ts"
import { LIMIT, type Query } from "../queries.ts"
import { openFile, putSession, sizeOfFile, Sql, texts, whereMessage, whereSession } from "./sql.ts"
import type { Answer, Subject, SubjectKind } from "./subject.ts"

// SQL LIKE per word over a table of messages, newest session first, ended at the limit: what a search without an
// index is. Over all text, and over only what users and assistants said (a quarter of it).

export const likeAll = likeOver("like", "text")
export const likeSaid = likeOver("like-said", "said")

const LAYOUT = `
CREATE TABLE IF NOT EXISTS messages(
  session INTEGER NOT NULL, id TEXT NOT NULL, role TEXT NOT NULL, created INTEGER NOT NULL, body TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS messages_session ON messages(session, created);
`

function likeOver(name: string, column: "text" | "said"): SubjectKind {
  return {
    name,
    exact: column === "text",
    inMemory: false,
    behind: 1,
    open: (folder) => open(folder, column),
    sizeOf: sizeOfFile,
  }
}

async function open(folder: string, column: "text" | "said"): Promise<Subject> {
  const database = await openFile(folder, LAYOUT)
  const put = database.prepare("INSERT INTO messages VALUES(?, ?, ?, ?, ?)")
  return {
    prepare: (session) => {
      const documents = documentsOf(session)
      return async () =>
        database.transaction("immediate", () => {
          const key = putSession(database, documents)
          database.prepare("DELETE FROM messages WHERE session = ?").run(key)
          for (const row of documents.rows) put.run(key, row.id, row.role, row.created, row[column])
        })
    },
    finish: async () => database.exec("PRAGMA wal_checkpoint(TRUNCATE)"),
    ask: async (query) => ask(database, query),
    close: async () => database.close(),
  }
}

function ask(database: Database, query: Query): Answer | undefined {
  if (query.kind === "edits") return { ids: texts(database, editsSql(query)), complete: true }
  const sql = new Sql()
  if (query.kind === "projects") sql.add("SELECT s.project || '=' || count(*) AS id FROM sessions s WHERE")
  else sql.add("SELECT s.id AS id FROM sessions s WHERE")
  whereSession(sql, query, "messages")
  for (const word of query.words) {
    const pattern = patternOf(word)
    sql.add("AND (s.title LIKE ? ESCAPE '\\' OR EXISTS (SELECT 1 FROM messages m", pattern)
    sql.add("WHERE m.session = s.key AND m.body LIKE ? ESCAPE '\\'", pattern)
    whereMessage(sql, query).add("))")
  }
  for (const word of query.excluded) {
    const pattern = patternOf(word)
    sql.add("AND NOT (s.title LIKE ? ESCAPE '\\' OR EXISTS (SELECT 1 FROM messages m", pattern)
    sql.add("WHERE m.session = s.key AND m.body LIKE ? ESCAPE '\\'))", pattern)
  }
  if (query.kind === "projects") sql.add("GROUP BY s.project ORDER BY id")
  else sql.add("ORDER BY s.updated DESC, s.id DESC LIMIT ?", LIMIT + 1)
  const ids = texts(database, sql)
  return { ids: query.kind === "projects" ? ids : ids.slice(0, LIMIT), complete: true }
}

function editsSql(query: Query): Sql {
  const sql = new Sql().add(
    "SELECT e.message || ' ' || e.path AS id FROM edits e JOIN sessions s ON s.key = e.session",
  )
  sql.add("WHERE s.archived = 0")
  if (query.path !== undefined) sql.add("AND (e.path = ? OR e.path LIKE '%/' || ?)", query.path, query.path)
  return sql.add("ORDER BY e.at DESC, e.message DESC, e.path LIMIT ?", LIMIT)
}

function patternOf(word: string): string {
  return `%${word.replaceAll(/[\\%_]/g, "\\$&")}%`
}
