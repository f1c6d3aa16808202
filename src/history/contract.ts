import type { Message, Role, Session } from "../session/model.ts"

// What the local history index can do, whatever engine is behind it. Values in, values out: no SQL, no
// driver and no thread shows here, so that a tool never depends on how the index works.

/** Expected trouble. Anything else is a bug and thrown. */
export type HistoryFault = {
  readonly reason:
    | "unavailable" // no usable SQLite, no folder, a newer layout: `message` says what to do
    | "read-only" // searches work, writes cannot
    | "busy" // another process kept the write lock for longer than WRITE_WAIT_MS; try again
    | "aborted" // the caller's signal
    | "closed" // close() was called
    | "failed" // anything SQLite reported
  readonly message: string
}

export type HistoryResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly fault: HistoryFault }

/** The index. Every call resolves, in order of its kind: writes among themselves, reads among themselves. */
export type History = {
  /**
   * The point at which a fetch begins, in an order that the index file keeps: higher than each one given before, to
   * whatever process. To be asked for before the host is asked.
   */
  beginFetch(signal?: AbortSignal): Promise<HistoryResult<number>>
  /** Stores what a host delivered. See Changes. */
  applyChanges(changes: Changes, signal?: AbortSignal): Promise<HistoryResult<Applied>>
  /** Sessions in which every word occurs; with hits and excerpts when `hits` is set. */
  search(request: SearchRequest, signal?: AbortSignal): Promise<HistoryResult<SearchAnswer>>
  /** Projects with the number of their matching sessions, largest first. */
  projects(request: ProjectsRequest, signal?: AbortSignal): Promise<HistoryResult<ProjectsAnswer>>
  /** File edits, newest first. */
  edits(request: EditsRequest, signal?: AbortSignal): Promise<HistoryResult<EditsAnswer>>
  /** What a sync needs to compare with the host's listing: every stored session's marker and times. */
  markers(signal?: AbortSignal): Promise<HistoryResult<readonly StoredMarker[]>>
  /** The stored session; absent when the index does not hold it. */
  session(id: string, signal?: AbortSignal): Promise<HistoryResult<StoredSession | undefined>>
  /** Stored messages in the host's order (created, then id), for reading when the host cannot. */
  messages(request: MessagesRequest, signal?: AbortSignal): Promise<HistoryResult<MessagesAnswer>>
  /** How sessions came of each other: handoffs, forks, subagents. */
  lineage(request: LineageRequest, signal?: AbortSignal): Promise<HistoryResult<LineageAnswer>>
  /** Projects that have sessions in `directory` or below it (slash-bounded); for `project:<path>`. */
  projectsIn(directory: string, signal?: AbortSignal): Promise<HistoryResult<readonly string[]>>
  /** Removes text for good: tombstones, erased bytes, space given back. */
  forget(target: ForgetTarget, signal?: AbortSignal): Promise<HistoryResult<Forgotten>>
  /** Notes for the status: how many sessions the host has, what failed. Stored too, for processes without a sync. */
  progress(progress: Progress): void
  status(): Promise<HistoryResult<Status>>
  /** Finishes the running write, closes the file, ends the worker. Idempotent. */
  close(): Promise<void>
}

// ---- writing ------------------------------------------------------------------------------------------

/**
 * One batch of a sync. Applied in short transactions; each checks and writes at once, so that two processes
 * need no other agreement than `fetchedAt`.
 *
 * - `sessions`: listing data. Written unless a later fetch wrote this session's row.
 * - `messages`: new or changed messages of a session; written by id unless a later fetch wrote that message or
 *   removed it. Cost follows the messages given, never the session. Unchanged ones cost a comparison.
 * - `complete: true`: `messages` is the whole session; stored messages that are not in it and were not
 *   written by a later fetch are removed.
 * - `removedMessages`, `removedSessions`: gone at the host. Writes of a fetch that began before are refused,
 *   until TOMBSTONE_FETCHES others have begun.
 */
export type Changes = {
  /** The point at which the fetch that delivered this began, as `beginFetch` gave it. No time: clocks are set. */
  readonly fetchedAt: number
  readonly sessions?: readonly SessionChange[]
  readonly removedSessions?: readonly string[]
}

export type SessionChange = {
  readonly session: Session
  /** The sync's change marker, opaque here. Stored after the messages of the same change, so that an
   * interrupted write is fetched again. Absent: the stored one stays. */
  readonly marker?: string
  readonly messages?: readonly Message[]
  readonly complete?: boolean
  readonly removedMessages?: readonly string[]
}

export type Applied = {
  /** Messages written, unchanged, removed. */
  readonly written: number
  readonly unchanged: number
  readonly removed: number
  /** Session ids of which something was refused because the index holds something later (or a tombstone). */
  readonly stale: readonly string[]
  /** Session ids that are forgotten: nothing of them is stored, also in future. */
  readonly forgotten: readonly string[]
}

// ---- searching ----------------------------------------------------------------------------------------

/**
 * Which sessions are searched. `projects` and `directories` (slash-bounded, itself and below) are united; `within` is
 * the sessions of one project in a directory and below it; `homes` are the sessions of a project in exactly that
 * directory, as `projects` answers name them.
 */
export type Scope =
  | { readonly kind: "all" }
  | { readonly kind: "some"; readonly projects?: readonly string[]; readonly directories?: readonly string[] }
  | { readonly kind: "within"; readonly project: string; readonly directory: string }
  | { readonly kind: "homes"; readonly homes: readonly Home[] }

/** Where sessions are: their project and their directory. */
export type Home = { readonly projectID: string; readonly directory: string }

/** What is hidden unless asked for, and then counted. */
export type Hidden = "subagents" | "archived" | "reverted"

/** The kind of text a hit is in. */
export type DocumentKind = "user" | "assistant" | "reasoning" | "tool" | "summary"

/** What all searches have in common. Words are substrings, compared case-folded; a phrase is a word. */
export type Filter = {
  readonly words: readonly string[]
  readonly excluded: readonly string[]
  /** As written behind `path:`. */
  readonly path?: string
  /** The folder in which a relative `path` is looked up, to know where a symlink of that name leads. */
  readonly pathFrom?: string
  readonly scope: Scope
  /**
   * No session outside the scope is looked at, also not to say that something is there: for whoever may not read them.
   * A count of them tells what their texts are, one guess at a time.
   */
  readonly onlyScope?: true
  readonly role?: Role
  /** Inclusive, milliseconds since the epoch. */
  readonly from?: number
  readonly to?: number
  readonly include: readonly Hidden[]
  /** Project ids and directory patterns that do not exist for any tool (`*` within, `**` across segments). */
  readonly exclude?: readonly string[]
  /** The calling session: only what is before its last compaction is searched. */
  readonly callerSessionID?: string
}

export type SearchRequest = Filter & {
  /** 1 or more; filters always apply before it. */
  readonly limit: number
  readonly sort: "newest" | "relevance"
  /** Fill `hits` with excerpts; without it no text is read that the match does not need. */
  readonly hits: boolean
  /** So many of the first sessions, and the best match, have their hits looked for thoroughly; absent: 0. */
  readonly thorough?: number
  /** Which texts words may be in; absent: all. */
  readonly kinds?: readonly DocumentKind[]
  /** "session" (default): the words may be spread over the session. "message": one message holds all (or the
   * title does); `hits` are then the newest such messages, at most `hitsPerSession`. */
  readonly unit?: "session" | "message"
  readonly hitsPerSession?: number
  /** Continue behind this session of an earlier answer with the same request (sort "newest" only). */
  readonly after?: { readonly updated: number; readonly sessionID: string }
}

export type SearchAnswer = {
  readonly sessions: readonly SessionMatch[]
  /** More sessions match than `limit`. */
  readonly more: boolean
  readonly hidden: HiddenCounts
  readonly coverage: Coverage
  /** Only when nothing was found and there were words. */
  readonly help?: NoHitHelp
  /** Of the sessions above the one that answers best, by the score of search/score.ts; only with `hits`, unit "session". */
  readonly best?: { readonly sessionID: string; readonly messageID?: string }
}

export type SessionMatch = {
  readonly session: StoredSession
  /**
   * Unit "session": the messages that together hold all words, fewest and best first, at most MESSAGES_SHOWN, then the
   * title for words that only it holds. Unit "message": one a message. Empty without `hits`.
   */
  readonly hits: readonly Hit[]
  /** Further messages that hold a word; `atLeast` when not all texts were looked at. Absent when there are none. */
  readonly others?: { readonly messages: number; readonly atLeast: boolean }
  /** Forks whose matches are all copies of this session's messages; they are not listed themselves. */
  readonly alsoInForks: number
  /** Matches only with reverted messages (include: reverted). */
  readonly reverted: boolean
}

export type Hit = {
  /** The word it is shown for: the first of `words` that no hit before it holds. */
  readonly word: string
  /** The words of the query, as they were asked for, that this message (or title) holds. */
  readonly words: readonly string[]
  readonly where: "title" | "message"
  /** Absent for a title. */
  readonly messageID?: string
  readonly role?: Role
  readonly kind?: DocumentKind
  readonly created?: number
  /** Position of the message among all stored ones of the session, from 0. Only with unit "message". */
  readonly index?: number
  /** True when the message is reverted. */
  readonly reverted?: boolean
  /** One printable line of at most EXCERPT_UNITS around the hit, ellipses included. */
  readonly excerpt: string
  /** The hit in the stored text (in the title for a title), UTF-16 units, end exclusive. */
  readonly at: { readonly start: number; readonly end: number }
}

/** Matching sessions that are not shown; `atLeast` when counting stopped early. */
export type HiddenCounts = {
  readonly subagents: number
  readonly archived: number
  readonly reverted: number
  readonly atLeast: boolean
  /** Kinds that the sessions not looked at have: a count of 0 means nothing for these. Absent when there are none. */
  readonly uncounted?: readonly Hidden[]
}

/** How far the answer reaches. `complete: false` when a bound stopped the scan: `searched` of `sessions`. */
export type Coverage = {
  readonly complete: boolean
  readonly searched: number
  readonly sessions: number
}

export type NoHitHelp = {
  /** In how many sessions of the scope each word occurs. */
  readonly words: readonly {
    readonly word: string
    readonly sessions: number
    readonly atLeast: boolean
    /** Up to CLOSE_SPELLINGS words of the index, only when `sessions` is 0. */
    readonly close: readonly string[]
  }[]
  /** Sessions that hold most and rarest of the words, best first, with the words they hold. */
  readonly closest: readonly { readonly session: StoredSession; readonly words: readonly string[] }[]
  /** Matching sessions in projects outside the scope (0 when the scope is "all", and with `onlyScope`). */
  readonly elsewhere: number
  /** Whether there are sessions outside the scope, whatever they hold. */
  readonly others: boolean
}

export type ProjectsRequest = Filter & { readonly limit: number }

export type ProjectsAnswer = {
  readonly projects: readonly {
    readonly id: string
    /** Directories of its matching sessions, sorted. */
    readonly directories: readonly string[]
    readonly sessions: number
    readonly updated: number
  }[]
  readonly more: boolean
  readonly hidden: HiddenCounts
  readonly coverage: Coverage
}

/** `from`/`to` limit the edits here; words, role and exclusions choose sessions; `path` chooses edits. Edits of
 * subagents are always included. */
export type EditsRequest = Filter & { readonly limit: number }

export type EditKind = "write" | "edit" | "add" | "update" | "delete" | "move" | "snapshot"
export type EditStatus = "done" | "failed" | "unchanged"

export type EditsAnswer = {
  /** `limit` counts the edits that happened (status "done"); failed and empty ones in between come with them. */
  readonly edits: readonly FileEdit[]
  /** More edits match; also when only failed and empty ones, of which at most `limit` come along, were left out. */
  readonly more: boolean
  readonly hidden: HiddenCounts
  readonly coverage: Coverage
  readonly help?: NoHitHelp
  /** When the index's earliest edit in scope was made: what is before is not known. */
  readonly knownSince?: number
}

export type FileEdit = {
  readonly session: StoredSession
  readonly messageID: string
  readonly at: number
  readonly path: string
  /** The old path of a move. */
  readonly movedFrom?: string
  readonly kind: EditKind
  readonly status: EditStatus
  /** The tool's name; empty for a snapshot. */
  readonly tool: string
  /** The earliest known edit of this path in its project. */
  readonly first: boolean
  readonly reverted: boolean
  readonly alsoInForks: number
  /** The user prompt before it: start of its text, at most PROMPT_UNITS, `cut` when longer. */
  readonly prompt?: { readonly messageID: string; readonly text: string; readonly cut: boolean }
}

// ---- reading ------------------------------------------------------------------------------------------

export type StoredSession = {
  readonly id: string
  readonly title: string
  readonly projectID: string
  readonly directory: string
  readonly parentID?: string
  readonly created: number
  /** Last activity as the host tells it. */
  readonly updated: number
  readonly archived?: number
  readonly revertedFrom?: string
  /** The session whose work was handed off to this one. */
  readonly handoffFrom?: string
  /** The session this one was forked from, where the host told it; otherwise copies tell (lineage.ts). */
  readonly forkedFrom?: string
  /** Stored messages, hidden ones included. */
  readonly messages: number
}

export type StoredMarker = {
  readonly sessionID: string
  readonly projectID: string
  readonly directory: string
  /** Absent: never completely stored. */
  readonly marker?: string
  /** The point at which the fetch of the stored listing data began (beginFetch). */
  readonly fetchedAt: number
}

/** A page of stored messages. `anchor` is exclusive unless `inclusive`; without it from the first or last. */
export type MessagesRequest = {
  readonly sessionID: string
  readonly anchor?: { readonly messageID: string } | { readonly index: number }
  readonly inclusive?: boolean
  readonly direction: "forward" | "back"
  readonly role?: Role
  /** 1..MESSAGES_PAGE_MAX. */
  readonly limit: number
  /** Cap of each `text` in UTF-16 units; 0 reads no text. */
  readonly maxChars: number
  readonly includeReverted?: boolean
  /** Which texts of a message are told; absent: all. "tool" is what tools answered, "tool-input" what they were asked. */
  readonly kinds?: readonly (DocumentKind | "tool-input")[]
}

export type MessagesAnswer =
  | {
      readonly found: true
      /** Oldest first, whatever the direction. */
      readonly messages: readonly StoredMessage[]
      /** More in the asked direction. */
      readonly more: boolean
      readonly total: number
      /** Reverted messages left out of the session. */
      readonly reverted: number
    }
  | { readonly found: false; readonly missing: "session" | "anchor" }

export type StoredMessage = {
  readonly id: string
  readonly role: Role
  readonly created: number
  /** Position among all stored messages, from 0. */
  readonly index: number
  readonly summary: boolean
  readonly text: string
  /** `text` was shortened to maxChars. */
  readonly cut: boolean
  /** Units that never got into the index (the caps of documents.ts). */
  readonly lost: number
  /** The documents that `text` holds, in order, a line break between; the last one may be cut. */
  readonly pieces?: readonly { readonly kind: DocumentKind; readonly start: number; readonly end: number }[]
  /** The kind of each of its documents that the request did not ask for. */
  readonly leftOut?: readonly (DocumentKind | "tool-input")[]
}

/** One session's relatives, or the families of a scope. */
export type LineageRequest = {
  /** Absent: every family with a session in the scope. */
  readonly sessionID?: string
  readonly scope: Scope
  readonly exclude?: readonly string[]
  /** Families, those with the latest activity first; each has at most LINEAGE_SESSIONS_MAX sessions. */
  readonly limit: number
}

export type LineageAnswer = {
  readonly families: readonly Family[]
  /** More families than `limit`. */
  readonly more: boolean
}

/** Sessions that are related, oldest first. A session without relatives is a family of one. */
export type Family = {
  readonly sessions: readonly StoredSession[]
  /** At most one to each session. */
  readonly links: readonly {
    readonly kind: "handoff" | "fork" | "subagent"
    /** The index may not hold it. */
    readonly from: string
    readonly to: string
  }[]
  /** Sessions left out of a very large family. */
  readonly left: number
}

// ---- keeping ------------------------------------------------------------------------------------------

export type ForgetTarget =
  | { readonly kind: "session"; readonly sessionID: string }
  | { readonly kind: "project"; readonly projectID: string }
  /** Messages created in the range, inclusive, and sessions that lie in it as a whole; a session that began in
   * it and went on keeps its later messages and loses its title. */
  | { readonly kind: "dates"; readonly from: number; readonly to: number; readonly projectID?: string }

export type Forgotten = {
  readonly sessions: number
  readonly messages: number
  /** False when a reader of another process kept old bytes in the log; maintenance tries again. */
  readonly erased: boolean
}

export type Progress = {
  /** Sessions the host listed; absent while unknown. */
  readonly total?: number
  readonly failed: number
  /** Backfill still to do. */
  readonly pending: number
  /** Listed sessions that are left out, by the option and by `forget`; absent where there are none. */
  readonly excluded?: number
  readonly forgotten?: number
}

/** Progress of a sync, and when it was noted. */
export type Reported = Progress & { readonly at: number }

export type Status = {
  readonly file: string
  readonly mode: "read-write" | "read-only"
  /** Runs in a worker thread, or in-process because that could not start. */
  readonly runs: "worker" | "in-process"
  readonly driver: string
  readonly sessions: number
  /** Sessions whose marker is stored: completely indexed. */
  readonly complete: number
  readonly messages: number
  readonly edits: number
  readonly bytes: number
  readonly logBytes: number
  readonly progress?: Progress
  /** What a sync of any process reported last, kept in the file; absent before the first complete listing. */
  readonly reported?: Reported
  /** Version of the file's layout. */
  readonly layout: number
  /** Rules that keep something out for good: forgotten sessions, projects and ranges of dates. */
  readonly forgotten: number
  /** When something from a host was stored last, by the clock of then; absent while nothing is. */
  readonly syncedAt?: number
  /** What happened to the file, one sentence each: foreign file, damaged one moved aside, older rebuilt. */
  readonly notes: readonly string[]
}
