import type { Database, SqlValue } from "../../storage/sqlite.ts"
import { DamageError } from "../file/damage.ts"
import { numberOf, textOf } from "../file/rows.ts"
import { ridRange } from "../file/schema.ts"
import { checkRow, checkTable } from "../file/sums.ts"

// What is read by way of an index can lack rows without a sign. So before anything of a session's messages is told, its
// rows and their indexes are held against each other, once while the file is open; the same for all edits. Each throws
// DamageError.

export type Checked = {
  /** The session has the messages it should, and its indexes lead to each. */
  messages(session: Counted): void
  /** All of these sessions, and the index by which copies of a message are found. */
  copies(sessions: Iterable<Counted>): void
  /** All edits and paths. */
  edits(): void
}

/** A session's key and how many messages it has. */
export type Counted = { readonly key: number; readonly session: { readonly messages: number } }

/** Inside of reads that see one state of the file. */
export function createChecked(database: Database): Checked {
  const sessions = new Set<number>()
  const prints = new Set<number>()
  let edits = false

  const messages = (session: Counted): void => {
    if (sessions.has(session.key)) return
    checkMessages(database, session)
    sessions.add(session.key)
  }

  return {
    messages,
    copies: (all) => {
      for (const session of all) {
        messages(session)
        if (prints.has(session.key)) continue
        checkPrints(database, session.key)
        prints.add(session.key)
      }
    },
    edits: () => {
      if (edits) return
      checkTable(database, "paths")
      checkTable(database, "edits")
      edits = true
    },
  }
}

function checkMessages(database: Database, { key, session }: Counted): void {
  const rows = database.prepare("SELECT * FROM messages WHERE rid BETWEEN ? AND ?").values(...ridRange(key))
  const byRid = new Map<SqlValue | undefined, Place>()
  for (const row of rows) {
    checkRow("messages", row)
    byRid.set(row[0], { id: textOf(row[2], "id"), created: numberOf(row[3], "created") })
  }
  const inOrder = database
    .prepare(
      "SELECT rid, id, created FROM messages INDEXED BY messages_order WHERE session = ? ORDER BY created, id",
    )
    .values(key)
  const byID = database
    .prepare("SELECT rid, id FROM messages INDEXED BY messages_id WHERE session = ? ORDER BY id")
    .values(key)
  let last: Place | undefined
  for (const [rid, id, created] of inOrder) {
    const row = byRid.get(rid)
    if (row === undefined || row.id !== id || row.created !== created) throw lost()
    if (last !== undefined && !isBefore(last, row)) throw lost()
    last = row
  }
  let before: string | undefined
  for (const [rid, idValue] of byID) {
    const id = textOf(idValue, "id")
    if (byRid.get(rid)?.id !== id || (before !== undefined && !isLess(before, id))) throw lost()
    before = id
  }
  // Each of them in order, so none is there twice.
  for (const found of [rows, inOrder, byID]) if (found.length !== session.messages) throw lost()
}

type Place = { readonly id: string; readonly created: number }

function isBefore(one: Place, other: Place): boolean {
  return one.created < other.created || (one.created === other.created && isLess(one.id, other.id))
}

/** SQLite orders by the bytes of UTF-8, which is the order of JavaScript but for what lies outside of the first plane. */
function isLess(one: string, other: string): boolean {
  return one < other || Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0
}

function checkPrints(database: Database, key: number): void {
  const range = ridRange(key)
  const texts = "SELECT count(*) FROM messages m NOT INDEXED WHERE m.rid BETWEEN ? AND ? AND m.units > 0"
  const [stored] = database.prepare(texts).values(...range)
  const [found] = database
    .prepare(
      `${texts} AND EXISTS (SELECT 1 FROM messages c INDEXED BY messages_print
       WHERE c.print = m.print AND c.units > 0 AND c.rid = m.rid)`,
    )
    .values(...range)
  if (stored?.[0] !== found?.[0]) throw lost()
}

function lost(): DamageError {
  return new DamageError("Messages are missing or out of order.")
}
