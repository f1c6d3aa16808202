import type { Database } from "../storage/sqlite.ts"

// The layout of the index file. A change here raises LAYOUT_VERSION: an older file is then rebuilt from the
// host, a newer one is left to the newer program.

/** `PRAGMA application_id`: "BatN". A file with another one is not ours. */
export const APPLICATION_ID = 0x4261_744e

/** `PRAGMA user_version`. */
export const LAYOUT_VERSION = 2

/**
 * Row ids of a session's messages: `key * MESSAGES_PER_SESSION + n`. One session is one range of row ids, so a
 * search walks to a session's hits without a join. Keys follow the time a session was created.
 */
export const MESSAGES_PER_SESSION = 2 ** 20

/** 2^53 row ids divided by the range of a session. */
export const MAX_SESSION_KEY = 2 ** 33 - 1

/** A key a fifth of a second since 2015: new sessions lie together, 54 years fit. */
const KEY_EPOCH_MS = Date.UTC(2015, 0, 1)
const KEY_STEP_MS = 200

/** The key a session created then should have; the next free one is taken. */
export function preferredKey(createdMs: number): number {
  const key = Math.floor((createdMs - KEY_EPOCH_MS) / KEY_STEP_MS)
  return Number.isFinite(key) ? Math.min(MAX_SESSION_KEY - 1_000_000, Math.max(1, key)) : 1
}

/** The session a message row belongs to. */
export function sessionKeyOf(rid: number): number {
  return Math.floor(rid / MESSAGES_PER_SESSION)
}

/** The row ids of a session's messages, both inclusive. */
export function ridRange(key: number): readonly [number, number] {
  return [key * MESSAGES_PER_SESSION, key * MESSAGES_PER_SESSION + MESSAGES_PER_SESSION - 1]
}

// Text is stored once, case preserved, in `texts`; `words` holds no text (contentless) and only which rows have
// which trigrams (detail=none): a filter, a quarter of the size of a full index. It is fed folded text.
const TABLES = `
CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES('change', 0);
CREATE TABLE sessions(
  key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, title TEXT NOT NULL, project TEXT NOT NULL,
  directory TEXT NOT NULL, parent TEXT, created INTEGER NOT NULL, updated INTEGER NOT NULL, archived INTEGER,
  reverted_from TEXT, handoff_from TEXT, fetched_at INTEGER NOT NULL, marker TEXT, marker_at INTEGER NOT NULL DEFAULT 0,
  messages INTEGER NOT NULL DEFAULT 0, next INTEGER NOT NULL DEFAULT 0, in_order INTEGER NOT NULL DEFAULT 1,
  last_created INTEGER NOT NULL DEFAULT 0, last_id TEXT NOT NULL DEFAULT '', shared INTEGER NOT NULL DEFAULT 0,
  removed INTEGER NOT NULL DEFAULT 0, change INTEGER NOT NULL);
CREATE INDEX sessions_change ON sessions(change);
CREATE TABLE grams(key INTEGER PRIMARY KEY, bits BLOB NOT NULL);
CREATE TABLE messages(
  rid INTEGER PRIMARY KEY, session INTEGER NOT NULL, id TEXT NOT NULL, created INTEGER NOT NULL, role TEXT NOT NULL,
  summary INTEGER NOT NULL, compaction INTEGER NOT NULL, units INTEGER NOT NULL, lost INTEGER NOT NULL,
  segments TEXT NOT NULL, print BLOB, fetched_at INTEGER NOT NULL);
CREATE UNIQUE INDEX messages_id ON messages(session, id);
CREATE INDEX messages_order ON messages(session, created, id);
CREATE INDEX messages_print ON messages(print) WHERE units > 0;
CREATE TABLE texts(rid INTEGER PRIMARY KEY, body TEXT NOT NULL);
CREATE VIRTUAL TABLE words USING fts5(
  body, tokenize = "trigram case_sensitive 1", content = '', contentless_delete = 1, detail = none);
CREATE TABLE paths(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, path TEXT NOT NULL);
CREATE TABLE edits(
  rid INTEGER NOT NULL, n INTEGER NOT NULL, at INTEGER NOT NULL, path INTEGER NOT NULL, moved_from INTEGER,
  kind TEXT NOT NULL, status TEXT NOT NULL, tool TEXT NOT NULL, PRIMARY KEY(rid, n)) WITHOUT ROWID;
CREATE INDEX edits_time ON edits(at);
CREATE INDEX edits_path ON edits(path, at);
CREATE INDEX edits_moved ON edits(moved_from, at) WHERE moved_from IS NOT NULL;
CREATE TABLE gone(session TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE gone_messages(session TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY(session, id)) WITHOUT ROWID;
CREATE TABLE forgotten(
  kind TEXT NOT NULL, value TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL, PRIMARY KEY(kind, value, since, until)) WITHOUT ROWID;
`

/** Writes the layout into an empty file. Erasing and giving space back must be chosen before the first table. */
export function createLayout(database: Database): void {
  database.exec("PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = DELETE")
  database.transaction("exclusive", () => {
    database.exec(TABLES)
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${LAYOUT_VERSION}`)
  })
  database.exec("PRAGMA journal_mode = WAL")
}

/** A log longer than this is cut back after a checkpoint. */
export const LOG_KEPT_BYTES = 4 * 1024 * 1024

/** What every connection of ours sets; none of it is stored in the file. */
export function tuneConnection(database: Database): void {
  database.exec(
    `PRAGMA secure_delete = ON; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY;
     PRAGMA journal_size_limit = ${LOG_KEPT_BYTES}`,
  )
}
