import type { Database } from "../../src/storage/sqlite.ts"
import { type Documents, documentsOf } from "../document.ts"
import { LIMIT, type Query } from "../queries.ts"
import { openFile, putSession, sizeOfFile, Sql, texts, whereMessage, whereSession } from "./sql.ts"
import type { Answer, Subject, SubjectKind } from "./subject.ts"

// The usual way to build such a search: FTS5 with the trigram tokenizer over an external content table that triggers keep
// in step, a session replaced as a whole, every hit of every word collected (and numbered within its session) before the
// limit.

export const trigram: SubjectKind = {
  name: "fts5",
  exact: true,
  inMemory: false,
  behind: 1,
  open,
  sizeOf: sizeOfFile,
}

/**
 * The title is a document of its own, with the role "title" and the time of the last activity. The keys and indexes are
 * those that such a design needs: a message once in its session, by project and time, and a session's in order.
 */
const LAYOUT = `
CREATE TABLE IF NOT EXISTS documents(
  rid INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES sessions(key), id TEXT NOT NULL, project TEXT NOT NULL,
  created INTEGER NOT NULL, seq INTEGER NOT NULL, role TEXT NOT NULL, body TEXT NOT NULL, UNIQUE(session, id));
CREATE INDEX IF NOT EXISTS documents_scope ON documents(project, role, created);
CREATE INDEX IF NOT EXISTS documents_order ON documents(session, role, seq);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(body, content = 'documents', content_rowid = 'rid', tokenize = 'trigram');
CREATE TRIGGER IF NOT EXISTS documents_put AFTER INSERT ON documents BEGIN
  INSERT INTO words(rowid, body) VALUES(new.rid, new.body); END;
CREATE TRIGGER IF NOT EXISTS documents_gone AFTER DELETE ON documents BEGIN
  INSERT INTO words(words, rowid, body) VALUES('delete', old.rid, old.body); END;
`

/** The tokenizer has nothing to look up for less. */
const SHORTEST = 3

async function open(folder: string): Promise<Subject> {
  const database = await openFile(folder, LAYOUT)
  const put = database.prepare(
    "INSERT INTO documents(session, id, project, created, seq, role, body) VALUES(?, ?, ?, ?, ?, ?, ?)",
  )
  const replace = (documents: Documents): void => {
    const key = putSession(database, documents)
    database.prepare("DELETE FROM documents WHERE session = ?").run(key)
    const { title, updated, projectID } = documents.session
    const all = [{ id: "", role: "title", created: updated, text: title }, ...documents.rows]
    all.forEach(({ id, role, created, text }, seq) => put.run(key, id, projectID, created, seq, role, text))
  }
  return {
    prepare: (made) => {
      const documents = documentsOf(made)
      return async () => database.transaction("immediate", () => replace(documents))
    },
    finish: async () => database.exec("PRAGMA wal_checkpoint(TRUNCATE)"),
    ask: async (query) => ask(database, query),
    close: async () => database.close(),
  }
}

function ask(database: Database, query: Query): Answer | undefined {
  if (query.kind === "edits") return { ids: texts(database, editsSql(query)), complete: true }
  if ([...query.words, ...query.excluded].some((word) => Array.from(word).length < SHORTEST)) return undefined
  const sql = new Sql()
  query.words.forEach((word, at) => {
    sql.add(at === 0 ? "WITH" : ",").add(`hits${at} AS MATERIALIZED (SELECT m.session, m.rid,`)
    sql.add("row_number() OVER (PARTITION BY m.session ORDER BY m.created, m.rid) AS n,")
    sql.add("count(*) OVER (PARTITION BY m.session) AS hits")
    sql.add("FROM words JOIN documents m ON m.rid = words.rowid WHERE words MATCH ?", phrase(word))
    sql.add("AND (m.role = 'title' OR (1")
    whereMessage(sql, query).add(")))")
  })
  if (query.kind === "projects") sql.add("SELECT s.project || '=' || count(*) AS id FROM sessions s")
  else
    sql.add(
      `SELECT s.id AS id${query.words.map((_, at) => `, hits${at}.rid AS r${at}`).join("")} FROM sessions s`,
    )
  query.words.forEach((_, at) => sql.add(`JOIN hits${at} ON hits${at}.session = s.key AND hits${at}.n = 1`))
  whereSession(sql.add("WHERE"), query, "documents")
  for (const word of query.excluded) {
    sql.add("AND s.key NOT IN (SELECT m.session FROM words JOIN documents m ON m.rid = words.rowid")
    sql.add("WHERE words MATCH ?)", phrase(word))
  }
  if (query.kind === "projects") sql.add("GROUP BY s.project ORDER BY id")
  else sql.add("ORDER BY s.updated DESC, s.id DESC LIMIT ?", LIMIT + 1)
  const rows = database.prepare(sql.text).all(...sql.values)
  const ids = rows.map((row) => String(row["id"]))
  if (query.kind === "projects") return { ids, complete: true }
  if (query.kind === "search") for (const row of rows.slice(0, LIMIT)) readHits(database, row, query)
  return { ids: ids.slice(0, LIMIT), complete: true }
}

/** The texts the excerpts are made of. */
function readHits(database: Database, row: Readonly<Record<string, unknown>>, query: Query): void {
  query.words.forEach((word, at) => {
    const text = database.prepare("SELECT body FROM documents WHERE rid = ?").get(Number(row[`r${at}`]))?.[
      "body"
    ]
    if (typeof text === "string") text.toLowerCase().indexOf(word.toLowerCase())
  })
}

/** Every edit numbered within its file, to know the first. */
function editsSql(query: Query): Sql {
  const sql = new Sql().add(
    "SELECT id FROM (SELECT e.message || ' ' || e.path AS id, e.at, e.message, e.path, s.archived,",
  )
  sql.add("row_number() OVER (PARTITION BY s.project, e.path ORDER BY e.at) AS n")
  sql.add("FROM edits e JOIN sessions s ON s.key = e.session) e WHERE e.archived = 0 AND e.n > 0")
  if (query.path !== undefined) sql.add("AND (e.path = ? OR e.path LIKE '%/' || ?)", query.path, query.path)
  return sql.add("ORDER BY e.at DESC, e.message DESC, e.path LIMIT ?", LIMIT)
}

function phrase(word: string): string {
  return `"${word.replaceAll('"', '""')}"`
}
