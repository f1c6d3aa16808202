import { fold } from "../text/fold.ts"
import type { Database, Row } from "../storage/sqlite.ts"
import type { StoredSession } from "./contract.ts"
import { countersOf } from "./change.ts"
import { createPlaces, type Places } from "./runs.ts"
import { numberIn, optionalNumber, optionalText, textIn } from "./rows.ts"
import { joinTitles } from "./titles.ts"

// The sessions' own data, kept in memory and brought up to date before each read: a search walks all sessions
// and should touch the file only for the few that can match.

export type Entry = {
  readonly key: number
  readonly session: StoredSession
  readonly foldedTitle: string
  /** Sessions of one project and directory have the same number, counted from 0. */
  readonly home: number
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
  /** Keys are below this. */
  readonly keyEnd: number
  /** Keys of the sessions whose folded title holds the word. */
  titled(folded: string): readonly number[]
  /** Where the sessions' texts are indexed. */
  readonly places: Places
}

/** A catalog that `refresh` brings to the state the connection sees. */
export function createCatalog(database: Database): { refresh(): Catalog } {
  let byKey = new Map<number, Entry>()
  let byID = new Map<string, Entry>()
  let entries: readonly Entry[] = []
  let titles = joinTitles(entries)
  let keyEnd = 0
  let seen = -1
  const places = createPlaces(database)
  const readEntry = createEntryReader()

  return {
    refresh: () => {
      const counters = countersOf(database)
      const { change } = counters
      if (change !== seen) {
        for (const row of database.prepare(`SELECT ${COLUMNS} FROM sessions WHERE change > ?`).all(seen)) {
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
          const rows = database.prepare(`SELECT ${COLUMNS} FROM sessions WHERE removed = 0`).all()
          byKey = new Map(rows.map((row) => [numberIn(row, "key"), readEntry(row)]))
          byID = new Map([...byKey.values()].map((entry) => [entry.session.id, entry]))
        }
        entries = [...byKey.values()].sort(newestFirst)
        titles = joinTitles(entries)
        keyEnd = entries.reduce((end, { key }) => Math.max(end, key + 1), 0)
        seen = change
      }
      const { holding } = titles
      return {
        entries,
        byKey: (key) => byKey.get(key),
        byID: (id) => byID.get(id),
        keyEnd,
        titled: holding,
        places: places.refresh(counters),
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

/** What an entry is made of: Node makes an object of each row, and every column costs. */
const COLUMNS =
  "key, id, title, project, directory, parent, created, updated, archived, reverted_from, handoff_from, fork_from, messages, oldest, newest, shared, removed"

type Home = { readonly home: number; readonly projectID: string; readonly directory: string }

/** Many sessions have their project and directory in common: one string each, and one number for both. */
function createEntryReader(): (row: Row) => Entry {
  const homes = new Map<string, Home>()
  return (row) => {
    const projectID = textIn(row, "project")
    const directory = textIn(row, "directory")
    const name = `${projectID}\0${directory}`
    const known = homes.get(name) ?? { home: homes.size, projectID, directory }
    homes.set(name, known)
    return readEntry(row, known)
  }
}

function readEntry(row: Row, { home, projectID, directory }: Home): Entry {
  const parentID = optionalText(row, "parent")
  const archived = optionalNumber(row, "archived")
  const revertedFrom = optionalText(row, "reverted_from")
  const handoffFrom = optionalText(row, "handoff_from")
  const forkedFrom = optionalText(row, "fork_from")
  const title = textIn(row, "title")
  return {
    key: numberIn(row, "key"),
    session: {
      id: textIn(row, "id"),
      title,
      projectID,
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
    home,
    shared: numberIn(row, "shared") === 1,
    oldest: optionalNumber(row, "oldest") ?? Infinity,
    newest: optionalNumber(row, "newest") ?? -Infinity,
  }
}
