import type { Database } from "../../storage/sqlite.ts"
import { COUNTED, rowsOf, WHOLE_RUNS } from "./change.ts"
import { schemaSum } from "./sums.ts"

// The layout of the index file. A change here raises LAYOUT_VERSION: an older file is then rebuilt from the
// host, a newer one is left to the newer program.

/** `PRAGMA application_id`: "BatN". A file with another one is not ours. */
export const APPLICATION_ID = 0x4261_744e

/** `PRAGMA user_version`. */
export const LAYOUT_VERSION = 8

/** How long SQLite itself waits for another process before a read; only while that one opens or repairs the file. */
export const READ_BUSY_MS = 250

/**
 * Row ids of a session's messages: `key * MESSAGES_PER_SESSION + n`. One session is one range of row ids, so its texts
 * lie together and a block is a range. Keys count up: a session stored later is appended, not squeezed in.
 */
export const MESSAGES_PER_SESSION = 2 ** 20

/** The session a message row belongs to. */
export function sessionKeyOf(rid: number): number {
  return Math.floor(rid / MESSAGES_PER_SESSION)
}

/** The row ids of a session's messages, both inclusive. */
export function ridRange(key: number): readonly [number, number] {
  return [key * MESSAGES_PER_SESSION, key * MESSAGES_PER_SESSION + MESSAGES_PER_SESSION - 1]
}

/** Where the grams from this one on lie in a run's rows. */
export function gramKey(run: number, gram: number): number {
  return run * GRAMS_PER_RUN + gram
}

/** More than there are grams (grams.ts). */
const GRAMS_PER_RUN = 2 ** 20

/** The last part of a path, small letters as far as SQLite knows them: what `path:` is looked up by. */
export const PATH_NAME = "lower(substr(key, 1 + length(rtrim(key, replace(key, '/', '')))))"

// Text is stored once, in `texts`. `grams` holds no text, only which blocks of a run have which sequences of up to
// six bytes: a filter. `common` has the few words most texts hold, and in which blocks they are for certain. `tail`
// lists texts that no run has yet, `dead` those whose old text a run still has. `sum`: sums.ts. Of a run its state is
// not in the sum.
const TABLES = `
CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL, again INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES('change', 0, 0), ('tail', 0, 0), ('runs', 0, 0), ('keys', 0, 0), ('fetch', 0, 0);
CREATE TABLE sessions(
  key INTEGER PRIMARY KEY, removed INTEGER NOT NULL DEFAULT 0, id TEXT NOT NULL UNIQUE, title TEXT NOT NULL,
  project TEXT NOT NULL, directory TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL,
  messages INTEGER NOT NULL DEFAULT 0, shared INTEGER NOT NULL DEFAULT 0, oldest INTEGER, newest INTEGER, parent TEXT,
  archived INTEGER, reverted_from TEXT, handoff_from TEXT, fork_from TEXT, fetched_at INTEGER NOT NULL, marker TEXT,
  marker_at INTEGER NOT NULL DEFAULT 0, next INTEGER NOT NULL DEFAULT 0, change INTEGER NOT NULL,
  sum INTEGER NOT NULL DEFAULT 0);
CREATE INDEX sessions_change ON sessions(change);
CREATE TABLE messages(
  rid INTEGER PRIMARY KEY, session INTEGER NOT NULL, id TEXT NOT NULL, created INTEGER NOT NULL, role TEXT NOT NULL,
  summary INTEGER NOT NULL, compaction INTEGER NOT NULL, units INTEGER NOT NULL, lost INTEGER NOT NULL,
  segments TEXT NOT NULL, print BLOB, fetched_at INTEGER NOT NULL, sum INTEGER NOT NULL);
CREATE UNIQUE INDEX messages_id ON messages(session, id);
CREATE INDEX messages_order ON messages(session, created, id);
CREATE INDEX messages_print ON messages(print) WHERE units > 0;
CREATE TABLE texts(rid INTEGER PRIMARY KEY, flags INTEGER NOT NULL, sum INTEGER NOT NULL, body NOT NULL);
CREATE TABLE tail(
  rid INTEGER PRIMARY KEY, stamp INTEGER NOT NULL, units INTEGER NOT NULL, created INTEGER NOT NULL,
  user INTEGER NOT NULL, sum INTEGER NOT NULL);
CREATE TABLE dead(rid INTEGER PRIMARY KEY, sum INTEGER NOT NULL);
CREATE TABLE runs(
  id INTEGER PRIMARY KEY, state TEXT NOT NULL, at INTEGER NOT NULL, units INTEGER NOT NULL, shift INTEGER NOT NULL,
  sum INTEGER NOT NULL DEFAULT 0, directory BLOB NOT NULL);
CREATE TABLE grams(id INTEGER PRIMARY KEY, sum INTEGER NOT NULL, body BLOB NOT NULL);
CREATE TABLE common(run INTEGER NOT NULL, word TEXT NOT NULL, bits BLOB NOT NULL, sum INTEGER NOT NULL, PRIMARY KEY(run, word)) WITHOUT ROWID;
CREATE TABLE paths(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, path TEXT NOT NULL, sum INTEGER NOT NULL);
CREATE INDEX paths_name ON paths(${PATH_NAME});
CREATE TABLE edits(
  rid INTEGER NOT NULL, n INTEGER NOT NULL, at INTEGER NOT NULL, path INTEGER NOT NULL, moved_from INTEGER,
  kind TEXT NOT NULL, status TEXT NOT NULL, tool TEXT NOT NULL, sum INTEGER NOT NULL,
  PRIMARY KEY(rid, n)) WITHOUT ROWID;
CREATE INDEX edits_time ON edits(at);
CREATE INDEX edits_path ON edits(path, at);
CREATE INDEX edits_moved ON edits(moved_from, at) WHERE moved_from IS NOT NULL;
CREATE TABLE gone(session TEXT PRIMARY KEY, at INTEGER NOT NULL, sum INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE gone_messages(session TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL, sum INTEGER NOT NULL, PRIMARY KEY(session, id)) WITHOUT ROWID;
CREATE TABLE forgotten(
  kind TEXT NOT NULL, value TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL, sum INTEGER NOT NULL,
  PRIMARY KEY(kind, value, since, until)) WITHOUT ROWID;
`

/** Counts rows as they come and go, whoever writes them. */
function counting(): string {
  const add = (name: string, by: string) =>
    `UPDATE meta SET value = value + ${by}, again = again + ${by} WHERE name = '${name}';`
  const tables = COUNTED.map(
    (table) => `
INSERT INTO meta VALUES('${rowsOf(table)}', 0, 0);
CREATE TRIGGER ${table}_in AFTER INSERT ON ${table} BEGIN ${add(rowsOf(table), "1")} END;
CREATE TRIGGER ${table}_out AFTER DELETE ON ${table} BEGIN ${add(rowsOf(table), "-1")} END;`,
  )
  return `${tables.join("")}
INSERT INTO meta VALUES('${WHOLE_RUNS}', 0, 0);
CREATE TRIGGER runs_in AFTER INSERT ON runs BEGIN ${add(WHOLE_RUNS, "(new.state = 'whole')")} END;
CREATE TRIGGER runs_out AFTER DELETE ON runs BEGIN ${add(WHOLE_RUNS, "-(old.state = 'whole')")} END;
CREATE TRIGGER runs_state AFTER UPDATE OF state ON runs
  BEGIN ${add(WHOLE_RUNS, "(new.state = 'whole') - (old.state = 'whole')")} END;`
}

/** A stretch of texts is one or two pages: at a hundred thousand messages reading pages is most of a comparison. */
const PAGE_BYTES = 16 * 1024

/** Writes the layout into an empty file. Erasing and giving space back must be chosen before the first table. */
export function createLayout(database: Database): void {
  database.exec(
    `PRAGMA page_size = ${PAGE_BYTES}; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = DELETE`,
  )
  database.transaction("exclusive", () => {
    database.exec(TABLES + counting())
    const sum = schemaSum(database)
    database.prepare("INSERT INTO meta VALUES('schema', ?1, ?1), ('serial', ?2, ?2)").run(sum, newSerial())
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${LAYOUT_VERSION}`)
  })
  database.exec("PRAGMA journal_mode = WAL")
}

/** A log longer than this is cut back after a checkpoint; a shorter one is written over, which costs less than growing anew. */
export const LOG_KEPT_BYTES = 32 * 1024 * 1024

/** 32 MB: a page that changes often is written to the file once for many changes. */
const CHECKPOINT_PAGES = 2_000

/** Pages a connection keeps, in KiB. A larger cache makes no search faster: the system has the pages. */
export const CACHE_KIB = { reading: 4_000, writing: 8_000 } as const

/** What every connection of ours sets; none of it is stored in the file. */
export function tuneConnection(database: Database, cacheKiB: number): void {
  database.exec(
    `PRAGMA secure_delete = ON; PRAGMA recursive_triggers = ON; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -${cacheKiB}; PRAGMA temp_store = MEMORY;
     PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA journal_size_limit = ${LOG_KEPT_BYTES}`,
  )
}

/** Tells this file from one that takes its place: 1 to 2,047. */
function newSerial(): number {
  return 1 + Math.floor(Math.random() * 2047)
}
