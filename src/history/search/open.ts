import type { Role } from "../../session/model.ts"
import type { Database } from "../../storage/sqlite.ts"
import type { Catalog, Entry } from "../read/catalog.ts"
import type { DocumentKind, Filter } from "../contract.ts"
import { foldWord } from "../runs/grams.ts"
import type { Point } from "../read/reverted.ts"
import { type Candidates, openCandidates } from "./candidates.ts"
import { editedSessions } from "./edited.ts"
import { createMessageReader, type MessageReader } from "./messages.ts"

// A search under way: what was asked, and what is kept while it goes through the sessions.

export type Search = {
  readonly database: Database
  readonly catalog: Catalog
  readonly filter: Filter
  readonly kinds: ReadonlySet<DocumentKind> | undefined
  readonly unit: "session" | "message"
  readonly messages: MessageReader
  /** As asked for. */
  readonly words: readonly { readonly word: string; readonly candidates: Candidates }[]
  readonly tried: readonly Candidates[]
  readonly excluded: readonly Candidates[]
  /** Sessions that edited the file of `path`. */
  readonly edited: ReadonlySet<number> | undefined
  readonly caller: Entry | undefined
  /** Ends of sessions, by key; see limitsOf. */
  readonly limits: Map<number, Limits>
}

export type SearchOptions = {
  readonly kinds?: readonly DocumentKind[]
  readonly unit?: "session" | "message"
}

/** What a search keeps while it goes through the sessions. */
export function openSearch(
  database: Database,
  catalog: Catalog,
  filter: Filter,
  options: SearchOptions = {},
): Search {
  const { path } = filter
  const open = (word: string, role?: Role) => openCandidates(database, catalog, foldWord(word), role)
  const words = filter.words.map((word) => ({ word, candidates: open(word, filter.role) }))
  // A session is excluded whatever role says the word.
  const excluded = filter.excluded.map((word) => open(word))
  return {
    database,
    catalog,
    filter,
    kinds: options.kinds === undefined ? undefined : new Set(options.kinds),
    unit: options.unit ?? "session",
    messages: createMessageReader(database, catalog),
    words,
    tried: words.map((word) => word.candidates),
    excluded,
    edited: path === undefined ? undefined : editedSessions(database, catalog, { ...filter, path }),
    caller: filter.callerSessionID === undefined ? undefined : catalog.byID(filter.callerSessionID),
    limits: new Map(),
  }
}

/** Which of a session's messages may hold a word. */
export type Reach = { readonly reverted: boolean }

/** Messages from these on do not count: reverted ones, and for the calling session what is in its context. */
export type Limits = { readonly reverted: Point | undefined; readonly caller: Point | undefined }
