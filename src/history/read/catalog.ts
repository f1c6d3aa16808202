import { fold } from "../../text/fold.ts"
import type { Database, Values } from "../../storage/sqlite.ts"
import type { StoredSession } from "../contract.ts"
import { countersOf, rowsOf } from "../file/change.ts"
import { checkOrder } from "../file/damage.ts"
import { checkCount, checkRow } from "../file/sums.ts"
import { createPlaces, type Places } from "../runs/runs.ts"
import { numberOf, optionalNumberOf, optionalTextOf, textOf } from "../file/rows.ts"
import { type Checked, createChecked } from "./checked.ts"
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

/** What sessions of one project and directory have in common. */
export type Home = { readonly home: number; readonly projectID: string; readonly directory: string }

export type Catalog = Listed & {
  /** By the number of the home; some have no session any more. */
  readonly allHomes: readonly Home[]
  byKey(key: number): Entry | undefined
  byID(id: string): Entry | undefined
  /** Keys of the sessions whose folded title holds the word. */
  titled(folded: string): readonly number[]
  /** Where the sessions' texts are indexed. */
  readonly places: Places
  /** Before anything of messages or edits is told. */
  readonly checked: Checked
}

export type Listed = {
  /** Newest activity first; equal times by id, descending. */
  readonly entries: readonly Entry[]
  /** Of each entry, in that order, its key and its home: by these alone a search goes past most sessions. */
  readonly keys: Uint32Array
  readonly homes: Uint32Array
  /** Keys are below this. */
  readonly keyEnd: number
}

/** A catalog that `refresh` brings to the state the connection sees. */
export function createCatalog(database: Database): { refresh(): Catalog } {
  let byKey = new Map<number, Entry>()
  let byID = new Map<string, Entry>()
  let listed = listOf([])
  let titles = joinTitles([])
  let seen = -1
  const places = createPlaces(database)
  const checked = createChecked(database)
  const reader = createEntryReader()

  /** Entries that are new or not what they were. */
  const readChanged = (): { readonly changed: readonly Entry[]; readonly sameTitles: boolean } => {
    const changed: Entry[] = []
    let sameTitles = true
    for (const row of database.prepare("SELECT * FROM sessions WHERE change > ?").values(seen)) {
      checkRow("sessions", row)
      const key = numberOf(row[0], "key")
      const old = byKey.get(key)
      if (old) byID.delete(old.session.id)
      byKey.delete(key)
      const entry = numberOf(row[1], "removed") === 1 ? undefined : reader.read(row)
      sameTitles &&= entry?.foldedTitle === old?.foldedTitle
      if (!entry) continue
      byKey.set(key, entry)
      byID.set(entry.session.id, entry)
      changed.push(entry)
    }
    const count = database.prepare("SELECT count(*) AS n FROM sessions WHERE removed = 0").get()?.["n"]
    return Number(count) === byKey.size ? { changed, sameTitles } : { changed: readAll(), sameTitles: false }
  }

  const readAll = (): readonly Entry[] => {
    checkOrder(database, "sessions")
    const rows = database.prepare("SELECT * FROM sessions NOT INDEXED").values()
    checkCount(database, rowsOf("sessions"), rows.length)
    for (const row of rows) checkRow("sessions", row)
    const all = rows.filter((row) => row[1] === 0).map(reader.read)
    byKey = new Map(all.map((entry) => [entry.key, entry]))
    byID = new Map(all.map((entry) => [entry.session.id, entry]))
    return all
  }

  return {
    refresh: () => {
      const counters = countersOf(database)
      if (counters.change !== seen) {
        const { changed, sameTitles } =
          seen === -1 ? { changed: readAll(), sameTitles: false } : readChanged()
        const kept = listed.entries.filter((entry) => byKey.get(entry.key) === entry)
        listed = listOf(merged(kept, changed.toSorted(newestFirst)))
        if (!sameTitles) titles = joinTitles(listed.entries)
        seen = counters.change
      }
      return {
        ...listed,
        allHomes: reader.allHomes,
        byKey: (key) => byKey.get(key),
        byID: (id) => byID.get(id),
        titled: titles.holding,
        places: places.refresh(counters),
        checked,
      }
    },
  }
}

function listOf(entries: readonly Entry[]): Listed {
  const keys = Uint32Array.from(entries, ({ key }) => key)
  const homes = Uint32Array.from(entries, ({ home }) => home)
  return { entries, keys, homes, keyEnd: keys.reduce((end, key) => Math.max(end, key + 1), 0) }
}

/** Both in order, and so is the result: most changes are of one session, and all of them are many to sort. */
function merged(some: readonly Entry[], others: readonly Entry[]): readonly Entry[] {
  const all: Entry[] = []
  let at = 0
  for (const other of others) {
    for (let one = some[at]; one && newestFirst(one, other) < 0; one = some[++at]) all.push(one)
    all.push(other)
  }
  return all.concat(some.slice(at))
}

/** The order of every list: newest activity first, ties by id. */
export function newestFirst(one: Entry, other: Entry): number {
  return (
    other.session.updated - one.session.updated ||
    (one.session.id < other.session.id ? 1 : one.session.id > other.session.id ? -1 : 0)
  )
}

/** Many sessions have their project and directory in common: one string each, and one number for both. */
function createEntryReader(): { readonly read: (row: Values) => Entry; readonly allHomes: readonly Home[] } {
  const byName = new Map<string, Home>()
  const allHomes: Home[] = []
  const homeOf = (projectID: string, directory: string): Home => {
    const name = `${projectID}\0${directory}`
    const known = byName.get(name)
    if (known) return known
    const home = { home: allHomes.length, projectID, directory }
    byName.set(name, home)
    allHomes.push(home)
    return home
  }
  return {
    allHomes,
    read: (row) => readEntry(row, homeOf(textOf(row[4], "project"), textOf(row[5], "directory"))),
  }
}

/** The columns in the order of the table (schema.ts). */
function readEntry(row: Values, { home, projectID, directory }: Home): Entry {
  const [key, , id, titled, , , created, updated, messages, shared, oldest, newest] = row
  const title = textOf(titled, "title")
  const parentID = optionalTextOf(row[12], "parent")
  const archived = optionalNumberOf(row[13], "archived")
  const revertedFrom = optionalTextOf(row[14], "reverted_from")
  const handoffFrom = optionalTextOf(row[15], "handoff_from")
  const forkedFrom = optionalTextOf(row[16], "fork_from")
  return {
    key: numberOf(key, "key"),
    session: {
      id: textOf(id, "id"),
      title,
      projectID,
      directory,
      ...(parentID === undefined ? {} : { parentID }),
      created: numberOf(created, "created"),
      updated: numberOf(updated, "updated"),
      ...(archived === undefined ? {} : { archived }),
      ...(revertedFrom === undefined ? {} : { revertedFrom }),
      ...(handoffFrom === undefined ? {} : { handoffFrom }),
      ...(forkedFrom === undefined ? {} : { forkedFrom }),
      messages: numberOf(messages, "messages"),
    },
    foldedTitle: fold(title),
    home,
    shared: numberOf(shared, "shared") === 1,
    oldest: optionalNumberOf(oldest, "oldest") ?? Infinity,
    newest: optionalNumberOf(newest, "newest") ?? -Infinity,
  }
}
