import type { Database, Rows } from "../../storage/sqlite.ts"
import { isOneTrigram, mayHold, trigramQuery } from "../grams.ts"
import { bytesIn, numberIn } from "../rows.ts"
import { ridRange, sessionKeyOf } from "../schema.ts"
import type { Steps } from "../steps.ts"

// Per word: which messages of a session may hold it. Rows of the full-text index are pulled from the newest
// row id down, only as far as the session asked for, and kept by session; nothing is read of a text.

/** Rows pulled between two pauses: well below a millisecond. */
const PULL_ROWS = 2_048

/** Rows pulled before the walk: a word with no more is known completely and rules most sessions out at once. */
export const RARE_ROWS = 512

export type Candidates = {
  /** The folded word. */
  readonly folded: string
  /** The filter alone decides: no text needs to be compared. */
  readonly exact: boolean
  /** A first look: pulls RARE_ROWS. */
  probe(): void
  /** True once all rows are known. */
  rare(): boolean
  /** Row ids in the session, ascending. */
  inSession(key: number): Steps<readonly number[]>
  close(): void
}

/** The candidates of a folded word of any length. */
export function openCandidates(database: Database, folded: string): Candidates {
  const query = trigramQuery(folded)
  return query === undefined ? scanned(database, folded) : indexed(database, folded, query)
}

function indexed(database: Database, folded: string, query: string): Candidates {
  const bySession = new Map<number, number[]>()
  let rows: Rows | undefined
  const pulled = { lowest: Infinity, ended: false }

  const pull = (count: number): void => {
    rows ??= database.iterate("SELECT rowid AS rid FROM words WHERE words MATCH ? ORDER BY rowid DESC", query)
    for (let more = count; more > 0; more--) {
      const row = rows.next()
      if (!row) {
        pulled.ended = true
        rows.close()
        return
      }
      const rid = numberIn(row, "rid")
      pulled.lowest = rid
      const key = sessionKeyOf(rid)
      const list = bySession.get(key)
      if (list) list.push(rid)
      else bySession.set(key, [rid])
    }
  }

  return {
    folded,
    exact: isOneTrigram(folded),
    probe: () => pull(RARE_ROWS),
    rare: () => pulled.ended,
    *inSession(key) {
      const [from] = ridRange(key)
      while (!pulled.ended && pulled.lowest >= from) {
        pull(PULL_ROWS)
        yield "pause"
      }
      return (bySession.get(key) ?? []).toReversed()
    },
    close: () => rows?.close(),
  }
}

/** Words of one or two characters: every text of a session whose bit map may hold them. */
function scanned(database: Database, folded: string): Candidates {
  return {
    folded,
    exact: false,
    probe: () => undefined,
    rare: () => false,
    // oxlint-disable-next-line require-yield
    *inSession(key) {
      const bits = database.prepare("SELECT bits FROM grams WHERE key = ?").get(key)
      if (bits && !mayHold(bytesIn(bits, "bits"), folded)) return []
      const rows = database
        .prepare("SELECT rid FROM messages WHERE rid BETWEEN ? AND ? AND units > 0 ORDER BY rid")
        .all(...ridRange(key))
      return rows.map((row) => numberIn(row, "rid"))
    },
    close: () => undefined,
  }
}
