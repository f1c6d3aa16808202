import { statSync } from "node:fs"
import { join } from "node:path"
import { type Database, openDatabase, sqliteDriver, type SqlValue } from "../../src/storage/sqlite.ts"
import type { Documents } from "../document.ts"
import { isHidden } from "../document.ts"
import type { Query } from "../queries.ts"

// What both SQL baselines share: the file, its sessions and edits, and the conditions of a query that are not words.

export const SESSIONS = `
CREATE TABLE IF NOT EXISTS sessions(
  key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, title TEXT NOT NULL, project TEXT NOT NULL, updated INTEGER NOT NULL,
  hidden INTEGER NOT NULL, archived INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS sessions_updated ON sessions(updated DESC, id DESC);
CREATE TABLE IF NOT EXISTS edits(session INTEGER NOT NULL, message TEXT NOT NULL, at INTEGER NOT NULL, path TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS edits_session ON edits(session);
CREATE INDEX IF NOT EXISTS edits_at ON edits(at);
CREATE INDEX IF NOT EXISTS edits_path ON edits(path, at);
`

const FILE = "baseline.sqlite"

/** WAL and otherwise SQLite's own settings, as a program has them that sets nothing. */
export async function openFile(folder: string, layout: string): Promise<Database> {
  const driver = await sqliteDriver()
  if (!driver) throw new Error("This runtime has no SQLite.")
  const database = openDatabase(driver, join(folder, FILE), { busyTimeoutMs: 1_000 })
  database.exec("PRAGMA journal_mode = WAL")
  database.exec(SESSIONS + layout)
  return database
}

export function sizeOfFile(folder: string): number {
  return statSync(join(folder, FILE)).size
}

/** Replaces the session's row and edits; its key. */
export function putSession(database: Database, { session, rows }: Documents): number {
  database
    .prepare(
      `INSERT INTO sessions(id, title, project, updated, hidden, archived) VALUES(?, ?, ?, ?, ?, ?)
       ON CONFLICT(id) DO UPDATE SET title = excluded.title, updated = excluded.updated`,
    )
    .run(
      session.id,
      session.title,
      session.projectID,
      session.updated,
      isHidden(session) ? 1 : 0,
      session.archived === undefined ? 0 : 1,
    )
  const key = Number(database.prepare("SELECT key FROM sessions WHERE id = ?").get(session.id)?.["key"])
  database.prepare("DELETE FROM edits WHERE session = ?").run(key)
  const put = database.prepare("INSERT INTO edits VALUES(?, ?, ?, ?)")
  for (const row of rows)
    for (const edit of row.edits) if (edit.status === "done") put.run(key, row.id, row.created, edit.path)
  return key
}

/** A statement's text and its values, joined in order. */
export class Sql {
  readonly values: SqlValue[] = []
  text = ""

  add(text: string, ...values: readonly SqlValue[]): this {
    this.text += ` ${text}`
    this.values.push(...values)
    return this
  }
}

/** Conditions on the session `s`; `table` holds its messages with a time. */
export function whereSession(sql: Sql, query: Query, table: string): Sql {
  sql.add("s.hidden = 0")
  if (query.project !== undefined) sql.add("AND s.project = ?", query.project)
  const { from, to, path } = query
  if (from !== undefined && to !== undefined) {
    sql.add(`AND (s.updated BETWEEN ? AND ? OR EXISTS (SELECT 1 FROM ${table} m`, from, to)
    sql.add("WHERE m.session = s.key AND m.created BETWEEN ? AND ?))", from, to)
  }
  if (path !== undefined) {
    sql.add("AND EXISTS (SELECT 1 FROM edits e WHERE e.session = s.key")
    sql.add("AND (e.path = ? OR e.path LIKE '%/' || ?))", path, path)
  }
  return sql
}

/** Conditions on a message `m`. */
export function whereMessage(sql: Sql, query: Query): Sql {
  if (query.role !== undefined) sql.add("AND m.role = ?", query.role)
  if (query.from !== undefined && query.to !== undefined)
    sql.add("AND m.created BETWEEN ? AND ?", query.from, query.to)
  return sql
}

export function texts(database: Database, sql: Sql): readonly string[] {
  return database
    .prepare(sql.text)
    .all(...sql.values)
    .map((row) => String(row["id"]))
}
