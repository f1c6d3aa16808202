import type {
  EditsAnswer,
  FileEdit,
  Filter,
  HiddenCounts,
  History,
  HistoryResult,
  Hit,
  MessagesAnswer,
  MessagesRequest,
  NoHitHelp,
  Progress,
  ProjectsAnswer,
  SearchAnswer,
  SearchRequest,
  SessionMatch,
  StoredMessage,
  StoredSession,
} from "../../src/history/contract.ts"
import { messageDocuments, type Segment } from "../../src/history/documents/documents.ts"
import { editsOf } from "../../src/history/documents/edits.ts"
import { excluder } from "../../src/history/sync/exclude.ts"
import { isPlacedIn } from "../../src/history/real-paths.ts"
import { matchesPath } from "../../src/query/paths.ts"
import { isBefore } from "../../src/reading/cursor.ts"
import type { Message, Session } from "../../src/session/model.ts"
import { excerpt } from "../../src/text/excerpt.ts"
import { findFolded, fold } from "../../src/text/fold.ts"
import { cutUnits } from "../../src/text/cut.ts"

// The contract of the index by plain loops over everything: what the tools are tested against where the engine
// itself is not the subject. No forks and no bounds: those tests run over the engine.

type Entry = { session: Session; messages: Message[] }

export type MemoryHistory = History & {
  /** Makes every call answer this fault, or none. */
  fail(message: string | undefined): void
  /** Calls by name, in order. */
  readonly calls: string[]
}

export function memoryHistory(): MemoryHistory {
  const entries = new Map<string, Entry>()
  const calls: string[] = []
  let fault: string | undefined
  let progress: Progress | undefined

  function answer<Value>(call: string, value: () => Value): Promise<HistoryResult<Value>> {
    calls.push(call)
    if (fault !== undefined)
      return Promise.resolve({ ok: false, fault: { reason: "unavailable", message: fault } })
    return Promise.resolve({ ok: true, value: value() })
  }

  return {
    calls,
    fail: (message) => (fault = message),
    beginFetch: () => answer("beginFetch", () => 1),
    applyChanges(changes) {
      return answer("applyChanges", () => {
        let written = 0
        for (const change of changes.sessions ?? []) {
          const known = entries.get(change.session.id)?.messages ?? []
          const given = new Map((change.messages ?? []).map((message) => [message.id, message]))
          const removed = new Set(change.removedMessages)
          const kept = change.complete
            ? []
            : known.filter((message) => !given.has(message.id) && !removed.has(message.id))
          written += given.size
          const messages = [...kept, ...given.values()].toSorted((a, b) => (isBefore(a, b) ? -1 : 1))
          entries.set(change.session.id, { session: change.session, messages })
        }
        for (const id of changes.removedSessions ?? []) entries.delete(id)
        return { written, unchanged: 0, removed: 0, stale: [], forgotten: [] }
      })
    },
    search: (request) => answer("search", () => search([...entries.values()], request)),
    projects: (request) => answer("projects", () => projects([...entries.values()], request, request.limit)),
    edits: (request) => answer("edits", () => edits([...entries.values()], request, request.limit)),
    markers: () => answer("markers", () => []),
    session: (id) =>
      answer("session", () => {
        const entry = entries.get(id)
        return entry === undefined ? undefined : storedSession(entry)
      }),
    messages: (request) => answer("messages", () => messages(entries.get(request.sessionID), request)),
    lineage: () => answer("lineage", () => ({ families: [], more: false })),
    projectsIn: (directory) =>
      answer("projectsIn", () => [
        ...new Set(
          [...entries.values()]
            .filter((entry) => isPlacedIn(directory, entry.session.directory))
            .map((entry) => entry.session.projectID),
        ),
      ]),
    forget: () => answer("forget", () => ({ sessions: 0, messages: 0, erased: true })),
    progress(given) {
      progress = given
    },
    status: () =>
      answer("status", () => ({
        file: "/index",
        mode: "read-write" as const,
        runs: "in-process" as const,
        driver: "memory",
        sessions: entries.size,
        complete: entries.size,
        messages: 0,
        edits: 0,
        bytes: 0,
        logBytes: 0,
        layout: 0,
        forgotten: 0,
        notes: [],
        ...(progress === undefined ? {} : { progress }),
      })),
    close: () => Promise.resolve(),
  }
}

function storedSession(entry: Entry): StoredSession {
  const { metadata: _, ...session } = entry.session
  return { ...session, messages: entry.messages.length }
}

function textOf(entry: Entry, message: Message): ReturnType<typeof messageDocuments> {
  return messageDocuments(message, { maskSecrets: true, directory: entry.session.directory })
}

function revertIndex(entry: Entry): number {
  const at = entry.messages.findIndex((message) => message.id === entry.session.revertedFrom)
  return at < 0 ? entry.messages.length : at
}

function inScope(entry: Entry, filter: Filter): boolean {
  const { session } = entry
  if (excluder(filter.exclude ?? [])(session)) return false
  const scope = filter.scope
  if (scope.kind === "some") {
    const project = (scope.projects ?? []).includes(session.projectID)
    const directory = (scope.directories ?? []).some((folder) => isPlacedIn(folder, session.directory))
    if (!project && !directory) return false
  }
  if (scope.kind === "within") {
    if (session.projectID !== scope.project || !isPlacedIn(scope.directory, session.directory)) return false
  }
  if (scope.kind === "homes") {
    const isHome = (home: { projectID: string; directory: string }) =>
      home.projectID === session.projectID && home.directory === session.directory
    if (!scope.homes.some(isHome)) return false
  }
  if (filter.path !== undefined && !editRows(entry).some((edit) => matchesPath(filter.path ?? "", edit.path)))
    return false
  const whole = [session.title, ...entry.messages.map((message) => textOf(entry, message).text)]
  return !filter.excluded.some((word) => whole.some((text) => fold(text).includes(fold(word))))
}

function hiddenAs(entry: Entry, filter: Filter): "subagents" | "archived" | undefined {
  if (entry.session.parentID !== undefined && !filter.include.includes("subagents")) return "subagents"
  if (entry.session.archived !== undefined && !filter.include.includes("archived")) return "archived"
  return undefined
}

function searchable(entry: Entry, filter: Filter, reverted: boolean): readonly Message[] {
  const end = reverted ? entry.messages.length : revertIndex(entry)
  const compaction = entry.messages.findLastIndex((message) => message.summary)
  return entry.messages
    .slice(0, filter.callerSessionID === entry.session.id ? Math.max(0, compaction) : end)
    .filter(
      (message) =>
        (filter.role === undefined || message.role === filter.role) &&
        message.created >= (filter.from ?? -Infinity) &&
        message.created <= (filter.to ?? Infinity),
    )
}

function hitsOf(
  entry: Entry,
  request: SearchRequest | Filter,
  reverted: boolean,
): readonly Hit[] | undefined {
  const unit = "unit" in request ? (request.unit ?? "session") : "session"
  const kinds = "kinds" in request ? request.kinds : undefined
  const candidates = searchable(entry, request, reverted)
  const find = (message: Message, word: string): Hit | undefined => {
    const documents = textOf(entry, message)
    for (const segment of documents.segments) {
      if (kinds !== undefined && !kinds.includes(segment.kind)) continue
      const text = documents.text.slice(segment.start, segment.end)
      const at = findFolded(text, fold(word))
      if (at === undefined) continue
      const index = entry.messages.indexOf(message)
      return {
        word,
        words: [word],
        where: "message",
        messageID: message.id,
        role: message.role,
        kind: segment.kind,
        created: message.created,
        excerpt: excerpt(text, at, 300),
        at,
        ...(unit === "message" ? { index } : {}),
        ...(index >= revertIndex(entry) ? { reverted: true } : {}),
      }
    }
    return undefined
  }
  const title = (word: string): Hit | undefined => {
    const at = findFolded(entry.session.title, fold(word))
    return at && { word, words: [word], where: "title", excerpt: excerpt(entry.session.title, at, 300), at }
  }
  if (unit === "message") {
    if (request.words.length === 0) return []
    const per = "hitsPerSession" in request ? (request.hitsPerSession ?? 3) : 3
    const found: Hit[] = []
    for (const message of candidates.toReversed()) {
      const hits = request.words.map((word) => find(message, word))
      if (hits[0] && hits.every((hit) => hit !== undefined) && found.length < per) found.push(hits[0])
    }
    return found.length > 0 || request.words.every((word) => title(word)) ? found : undefined
  }
  const hits = request.words.map(
    (word) => candidates.map((m) => find(m, word)).find((hit) => hit) ?? title(word),
  )
  if (!hits.every((hit) => hit !== undefined)) return undefined
  if (
    request.words.length === 0 &&
    (request.from ?? request.to ?? request.role) !== undefined &&
    candidates.length === 0
  )
    return undefined
  return byMessage(hits)
}

/** Messages that hold a word and are not among the hits. */
function othersOf(entry: Entry, request: SearchRequest, reverted: boolean, hits: readonly Hit[]) {
  const holding = searchable(entry, request, reverted).filter((message) => {
    const { text } = textOf(entry, message)
    return request.words.some((word) => findFolded(text, fold(word)))
  })
  const shown = hits.filter((hit) => hit.messageID !== undefined).length
  return holding.length > shown ? { others: { messages: holding.length - shown, atLeast: false } } : {}
}

/** One hit a message, with all the words that it is the first to hold. */
function byMessage(hits: readonly Hit[]): readonly Hit[] {
  const merged = new Map<string, Hit>()
  for (const hit of hits) {
    const key = hit.messageID ?? "title"
    const known = merged.get(key)
    merged.set(key, known ? { ...known, words: [...known.words, hit.word] } : hit)
  }
  return [...merged.values()].sort(
    (one, other) => Number(one.where === "title") - Number(other.where === "title"),
  )
}

function matching(
  entries: readonly Entry[],
  request: SearchRequest | Filter,
): {
  shown: { entry: Entry; hits: readonly Hit[]; reverted: boolean }[]
  hidden: HiddenCounts
  scoped: readonly Entry[]
} {
  const counts = { subagents: 0, archived: 0, reverted: 0 }
  const shown: { entry: Entry; hits: readonly Hit[]; reverted: boolean }[] = []
  const scoped = entries.filter((entry) => inScope(entry, request))
  for (const entry of scoped) {
    const plain = hitsOf(entry, request, false)
    const hits = plain ?? hitsOf(entry, request, true)
    if (hits === undefined) continue
    const hidden = hiddenAs(entry, request)
    if (hidden !== undefined) counts[hidden]++
    else if (plain === undefined && !request.include.includes("reverted")) counts.reverted++
    else shown.push({ entry, hits, reverted: plain === undefined })
  }
  shown.sort(
    (a, b) =>
      b.entry.session.updated - a.entry.session.updated || (a.entry.session.id < b.entry.session.id ? -1 : 1),
  )
  return { shown, hidden: { ...counts, atLeast: false }, scoped }
}

function search(entries: readonly Entry[], request: SearchRequest): SearchAnswer {
  const found = matching(entries, request)
  const after = request.after
  const rest =
    after === undefined
      ? found.shown
      : found.shown.filter(
          ({ entry: { session } }) =>
            session.updated < after.updated ||
            (session.updated === after.updated && session.id > after.sessionID),
        )
  const sessions: SessionMatch[] = rest.slice(0, request.limit).map(({ entry, hits, reverted }) => ({
    session: storedSession(entry),
    hits: request.hits ? hits : [],
    ...(request.hits && request.unit !== "message" ? othersOf(entry, request, reverted, hits) : {}),
    alsoInForks: 0,
    reverted,
  }))
  const none = sessions.length === 0 && request.words.length > 0 && after === undefined
  return {
    sessions,
    more: rest.length > request.limit,
    hidden: found.hidden,
    coverage: { complete: true, searched: found.scoped.length, sessions: found.scoped.length },
    ...(none ? { help: help(entries, found.scoped, request) } : {}),
  }
}

function help(entries: readonly Entry[], scoped: readonly Entry[], request: Filter): NoHitHelp {
  const holds = (entry: Entry, word: string) =>
    hitsOf(entry, { ...request, words: [word] }, false) !== undefined
  const visible = scoped.filter((entry) => hiddenAs(entry, request) === undefined)
  const known = new Set(
    scoped.flatMap((entry) =>
      [entry.session.title, ...entry.messages.map((message) => textOf(entry, message).text)].flatMap((text) =>
        text.toLowerCase().split(/[^\p{L}]+/u),
      ),
    ),
  )
  const close = (word: string) =>
    [...known].filter(
      (other) => other.length > 3 && (other.startsWith(word.slice(0, 4)) || word.startsWith(other)),
    )
  const everywhere = matching(entries, { ...request, scope: { kind: "all" } }).shown
  return {
    words: request.words.map((word) => {
      const sessions = visible.filter((entry) => holds(entry, word)).length
      return {
        word,
        sessions,
        atLeast: false,
        close: sessions === 0 ? close(word.toLowerCase()).slice(0, 3) : [],
      }
    }),
    closest: visible
      .map((entry) => ({
        session: storedSession(entry),
        words: request.words.filter((word) => holds(entry, word)),
      }))
      .filter((entry) => entry.words.length > 0)
      .toSorted((a, b) => b.words.length - a.words.length)
      .slice(0, 3),
    elsewhere: request.scope.kind === "all" || request.onlyScope === true ? 0 : everywhere.length,
    others:
      matching(entries, { ...EVERYTHING, exclude: request.exclude ?? [] }).scoped.length > scoped.length,
  }
}

const EVERYTHING = { words: [], excluded: [], scope: { kind: "all" }, include: [] } as const

function projects(entries: readonly Entry[], request: Filter, limit: number): ProjectsAnswer {
  const found = matching(entries, request)
  const groups = [...Map.groupBy(found.shown, ({ entry }) => entry.session.projectID)].map(([id, group]) => ({
    id,
    directories: [...new Set(group.map(({ entry }) => entry.session.directory))].toSorted(),
    sessions: group.length,
    updated: Math.max(...group.map(({ entry }) => entry.session.updated)),
  }))
  groups.sort((a, b) => b.sessions - a.sessions || (a.id < b.id ? -1 : 1))
  return {
    projects: groups.slice(0, limit),
    more: groups.length > limit,
    hidden: found.hidden,
    coverage: { complete: true, searched: found.scoped.length, sessions: found.scoped.length },
  }
}

function editRows(entry: Entry): FileEdit[] {
  const session = storedSession(entry)
  const reverted = revertIndex(entry)
  return entry.messages.flatMap((message, index) =>
    editsOf(message, entry.session.directory).map((edit) => {
      const asked = entry.messages.slice(0, index).findLast((earlier) => earlier.role === "user")
      const text = asked && cutUnits(textOf(entry, asked).text, 300)
      return {
        ...edit,
        session,
        messageID: message.id,
        at: message.created,
        first: false,
        reverted: index >= reverted,
        alsoInForks: 0,
        ...(asked && text ? { prompt: { messageID: asked.id, text: text.text, cut: text.cut } } : {}),
      }
    }),
  )
}

function edits(entries: readonly Entry[], request: Filter, limit: number): EditsAnswer {
  const { from: _from, to: _to, path: _path, ...chooses } = request
  const edited = entries.filter((entry) => editRows(entry).length > 0)
  const found = matching(edited, { ...chooses, include: [...request.include, "subagents"] })
  const all = found.shown
    .flatMap(({ entry }) => editRows(entry))
    .toReversed()
    .toSorted((a, b) => b.at - a.at)
  const firsts = new Map<string, FileEdit>()
  for (const row of entries.flatMap(editRows).toSorted((a, b) => a.at - b.at)) {
    const key = `${row.session.projectID} ${row.path}`
    if (row.status === "done" && !firsts.has(key)) firsts.set(key, row)
  }
  const isFirst = (row: FileEdit) =>
    firsts.get(`${row.session.projectID} ${row.path}`)?.messageID === row.messageID
  const rows = all
    .filter((row) => row.at >= (request.from ?? -Infinity) && row.at <= (request.to ?? Infinity))
    .filter(
      (row) =>
        request.path === undefined ||
        matchesPath(request.path, row.path) ||
        (row.movedFrom !== undefined && matchesPath(request.path, row.movedFrom)),
    )
    .filter((row) => !row.reverted || request.include.includes("reverted"))
    .map((row) => ({ ...row, first: isFirst(row) }))
  const earliest = all.at(-1)?.at
  return {
    edits: rows.slice(0, limit),
    more: rows.length > limit,
    hidden: found.hidden,
    coverage: { complete: true, searched: found.scoped.length, sessions: found.scoped.length },
    ...(earliest === undefined ? {} : { knownSince: earliest }),
    ...(rows.length === 0 && request.words.length > 0 ? { help: help(entries, found.scoped, request) } : {}),
  }
}

function kindOf({ kind, input }: Segment) {
  return input ? "tool-input" : kind
}

function messages(entry: Entry | undefined, request: MessagesRequest): MessagesAnswer {
  if (entry === undefined) return { found: false, missing: "session" }
  const { anchor, inclusive = false, direction } = request
  const all = entry.messages
  const at =
    anchor === undefined
      ? undefined
      : "index" in anchor
        ? anchor.index
        : all.findIndex((message) => message.id === anchor.messageID)
  if (at !== undefined && (at < 0 || at > all.length)) return { found: false, missing: "anchor" }
  const visible = request.includeReverted ? all.length : revertIndex(entry)
  const eligible = (index: number) =>
    index >= 0 && index < visible && (request.role === undefined || all[index]?.role === request.role)
  const step = direction === "forward" ? 1 : -1
  const start = at === undefined ? (direction === "forward" ? 0 : all.length - 1) : inclusive ? at : at + step
  const picked: number[] = []
  let more = false
  for (let index = start; index >= 0 && index < all.length && !more; index += step) {
    if (!eligible(index)) continue
    if (picked.length === request.limit) more = true
    else picked.push(index)
  }
  const found = (direction === "forward" ? picked : picked.toReversed()).flatMap((index): StoredMessage[] => {
    const message = all[index]
    if (message === undefined) return []
    const { text, segments } = textOf(entry, message)
    const isAsked = (segment: Segment) => request.kinds?.includes(kindOf(segment)) ?? true
    const asked = segments.filter(isAsked).map(({ start, end }) => text.slice(start, end))
    const leftOut = segments.filter((segment) => !isAsked(segment)).map(kindOf)
    const cut = cutUnits(request.maxChars === 0 ? "" : asked.join("\n"), request.maxChars)
    const { id, role, created, summary } = message
    return [{ id, role, created, index, summary, text: cut.text, cut: cut.cut, lost: 0, leftOut }]
  })
  return { found: true, messages: found, more, total: all.length, reverted: all.length - visible }
}
