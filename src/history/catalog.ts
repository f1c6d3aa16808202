import { fold } from "../text/fold.ts"
import type { Database, Row } from "../storage/sqlite.ts"
import type { StoredSession } from "./contract.ts"
import { createPlaces, type Places } from "./runs.ts"
import { numberIn, optionalNumber, optionalText, textIn } from "./rows.ts"

// The sessions' own data, kept in memory and brought up to date before each read: a search walks all sessions
// and should touch the file only for the few that can match.

export type Entry = {
  readonly key: number
  readonly session: StoredSession
  readonly foldedTitle: string
  /** Holds messages that another session holds too. */
  readonly shared: boolean
  /** No stored message was created before or after; wider after a removal. */
  readonly oldest: number
  readonly newest: number
}

export type Catalog = {
  /** Newest activity first; equal times by id, descending. */
  readonly entries: readonly Entry[]
  byKey(key: number): Entry | undefined
  byID(id: string): Entry | undefined
  /** Where the sessions' texts are indexed. */
  readonly places: Places
}

/** A catalog that `refresh` brings to the state the connection sees. */
export function createCatalog(database: Database): { refresh(): Catalog } {
  let byKey = new Map<number, Entry>()
  let byID = new Map<string, Entry>()
  let entries: readonly Entry[] = []
  let seen = -1
  const places = createPlaces(database)

  return {
    refresh: () => {
      const change = Number(database.prepare("SELECT value FROM meta WHERE name = 'change'").get()?.["value"])
      if (change !== seen) {
        for (const row of database.prepare("SELECT * FROM sessions WHERE change > ?").all(seen)) {
          const key = numberIn(row, "key")
          const old = byKey.get(key)
          if (old) byID.delete(old.session.id)
          byKey.delete(key)
          if (numberIn(row, "removed") === 1) continue
          const entry = readEntry(row)
          byKey.set(key, entry)
          byID.set(entry.session.id, entry)
        }
        const count = Number(
          database.prepare("SELECT count(*) AS n FROM sessions WHERE removed = 0").get()?.["n"],
        )
        if (count !== byKey.size) {
          const rows = database.prepare("SELECT * FROM sessions WHERE removed = 0").all()
          byKey = new Map(rows.map((row) => [numberIn(row, "key"), readEntry(row)]))
          byID = new Map([...byKey.values()].map((entry) => [entry.session.id, entry]))
        }
        entries = [...byKey.values()].sort(newestFirst)
        seen = change
      }
      return {
        entries,
        byKey: (key) => byKey.get(key),
        byID: (id) => byID.get(id),
        places: places.refresh(),
      }
    },
  }
}

/** The order of every list: newest activity first, ties by id. */
export function newestFirst(one: Entry, other: Entry): number {
  return (
    other.session.updated - one.session.updated ||
    (one.session.id < other.session.id ? 1 : one.session.id > other.session.id ? -1 : 0)
  )
}

function readEntry(row: Row): Entry {
  const parentID = optionalText(row, "parent")
  const archived = optionalNumber(row, "archived")
  const revertedFrom = optionalText(row, "reverted_from")
  const handoffFrom = optionalText(row, "handoff_from")
  const forkedFrom = optionalText(row, "fork_from")
  const title = textIn(row, "title")
  const directory = textIn(row, "directory")
  return {
    key: numberIn(row, "key"),
    session: {
      id: textIn(row, "id"),
      title,
      projectID: textIn(row, "project"),
      directory,
      ...(parentID === undefined ? {} : { parentID }),
      created: numberIn(row, "created"),
      updated: numberIn(row, "updated"),
      ...(archived === undefined ? {} : { archived }),
      ...(revertedFrom === undefined ? {} : { revertedFrom }),
      ...(handoffFrom === undefined ? {} : { handoffFrom }),
      ...(forkedFrom === undefined ? {} : { forkedFrom }),
      messages: numberIn(row, "messages"),
    },
    foldedTitle: fold(title),
    shared: numberIn(row, "shared") === 1,
    oldest: optionalNumber(row, "oldest") ?? Infinity,
    newest: optionalNumber(row, "newest") ?? -Infinity,
  }
}
