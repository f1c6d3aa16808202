import type { Message, Session } from "../../../src/session/model.ts"
import type {
  Applied,
  Changes,
  History,
  HistoryFault,
  HistoryResult,
  MessagesAnswer,
  Progress,
  SessionChange,
} from "../../../src/history/contract.ts"

// An index in memory that keeps the contract of writing: dated writes, tombstones, markers, forgetting. It
// cannot search.

type Row = { session: Session; fetchedAt: number; marker?: string }

export type MemoryHistory = History & {
  /** Message ids of a session, in the host's order. */
  ids(sessionID: string): readonly string[]
  text(sessionID: string, messageID: string): string
  title(sessionID: string): string | undefined
  sessionIDs(): readonly string[]
  /** Every batch that came, the refused ones included. */
  readonly writes: Changes[]
  readonly reports: Progress[]
  closed(): boolean
  /** The next writes answer this. */
  fault: HistoryFault | undefined
  /** Calls that have not answered. */
  pending(): number
}

export function memoryHistory(): MemoryHistory {
  const rows = new Map<string, Row>()
  const messages = new Map<string, Map<string, { message: Message; fetchedAt: number }>>()
  const tombstones = new Map<string, number>()
  const forgottenIDs = new Set<string>()
  const writes: Changes[] = []
  const reports: Progress[] = []
  let isClosed = false
  let calls = 0
  let fetches = 0

  const answer = async <Value>(work: () => HistoryResult<Value>): Promise<HistoryResult<Value>> => {
    calls += 1
    await Promise.resolve()
    try {
      if (isClosed) return { ok: false, fault: { reason: "closed", message: "the index is closed" } }
      return work()
    } finally {
      calls -= 1
    }
  }

  function apply(changes: Changes): Applied {
    const applied = { written: 0, unchanged: 0, removed: 0 }
    const stale = new Set<string>()
    const forgotten = new Set<string>()
    for (const sessionID of changes.removedSessions ?? []) {
      if ((rows.get(sessionID)?.fetchedAt ?? 0) > changes.fetchedAt) {
        stale.add(sessionID)
        continue
      }
      applied.removed += messages.get(sessionID)?.size ?? 0
      rows.delete(sessionID)
      messages.delete(sessionID)
      tombstones.set(sessionID, changes.fetchedAt)
    }
    for (const change of changes.sessions ?? []) {
      const { id } = change.session
      if (forgottenIDs.has(id)) forgotten.add(id)
      else if ((tombstones.get(id) ?? -1) >= changes.fetchedAt) stale.add(id)
      else applySession(change, changes.fetchedAt, applied, stale)
    }
    return { ...applied, stale: [...stale], forgotten: [...forgotten] }
  }

  function applySession(
    change: SessionChange,
    fetchedAt: number,
    applied: { written: number; unchanged: number; removed: number },
    stale: Set<string>,
  ): void {
    const { id } = change.session
    const before = rows.get(id)
    const isLater = before === undefined || before.fetchedAt <= fetchedAt
    if (isLater)
      rows.set(id, {
        session: change.session,
        fetchedAt,
        ...(before?.marker === undefined ? {} : { marker: before.marker }),
      })
    else stale.add(id)
    const stored = messages.get(id) ?? new Map<string, { message: Message; fetchedAt: number }>()
    messages.set(id, stored)
    for (const message of change.messages ?? []) {
      const known = stored.get(message.id)
      const removedAt = tombstones.get(`${id}/${message.id}`) ?? -1
      if ((known !== undefined && known.fetchedAt > fetchedAt) || removedAt >= fetchedAt) {
        stale.add(id)
        continue
      }
      if (JSON.stringify(known?.message) === JSON.stringify(message)) applied.unchanged += 1
      else applied.written += 1
      stored.set(message.id, { message, fetchedAt })
    }
    const given = new Set((change.messages ?? []).map((message) => message.id))
    const absent = change.complete === true ? [...stored.keys()].filter((key) => !given.has(key)) : []
    for (const messageID of [...absent, ...(change.removedMessages ?? [])]) {
      if ((stored.get(messageID)?.fetchedAt ?? 0) > fetchedAt) continue
      if (stored.delete(messageID)) applied.removed += 1
      tombstones.set(`${id}/${messageID}`, fetchedAt)
    }
    if (change.marker !== undefined && isLater)
      rows.set(id, { session: change.session, fetchedAt, marker: change.marker })
  }

  const inOrder = (sessionID: string): readonly Message[] =>
    [...(messages.get(sessionID)?.values() ?? [])]
      .map((entry) => entry.message)
      .sort((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1))

  const unsupported = async (): Promise<HistoryResult<never>> => ({
    ok: false,
    fault: { reason: "failed", message: "the memory index cannot search" },
  })

  const history: MemoryHistory = {
    writes,
    reports,
    fault: undefined,
    ids: (sessionID) => inOrder(sessionID).map((message) => message.id),
    text: (sessionID, messageID) =>
      JSON.stringify(messages.get(sessionID)?.get(messageID)?.message.parts ?? []),
    title: (sessionID) => rows.get(sessionID)?.session.title,
    sessionIDs: () => [...rows.keys()].sort(),
    closed: () => isClosed,
    pending: () => calls,
    beginFetch: () =>
      answer(() => {
        fetches += 1
        return { ok: true, value: fetches }
      }),
    applyChanges: (changes) =>
      answer(() => {
        writes.push(changes)
        if (history.fault !== undefined) return { ok: false, fault: history.fault }
        return { ok: true, value: apply(changes) }
      }),
    markers: () =>
      answer(() => ({
        ok: true,
        value: [...rows].map(([sessionID, row]) => ({
          sessionID,
          projectID: row.session.projectID,
          directory: row.session.directory,
          fetchedAt: row.fetchedAt,
          ...(row.marker === undefined ? {} : { marker: row.marker }),
        })),
      })),
    session: (id) =>
      answer(() => {
        const row = rows.get(id)
        return {
          ok: true,
          value: row === undefined ? undefined : { ...row.session, messages: messages.get(id)?.size ?? 0 },
        }
      }),
    messages: (request) =>
      answer((): HistoryResult<MessagesAnswer> => {
        if (!rows.has(request.sessionID)) return { ok: true, value: { found: false, missing: "session" } }
        const all = inOrder(request.sessionID)
        const anchor = request.anchor
        const at =
          anchor === undefined
            ? request.direction === "back"
              ? all.length
              : -1
            : "index" in anchor
              ? anchor.index
              : all.findIndex((message) => message.id === anchor.messageID)
        if (anchor !== undefined && at < 0) return { ok: true, value: { found: false, missing: "anchor" } }
        const from = request.direction === "back" ? Math.max(0, at - request.limit) : at + 1
        const to = request.direction === "back" ? at : at + 1 + request.limit
        return {
          ok: true,
          value: {
            found: true,
            messages: all.slice(from, to).map((message, index) => ({
              id: message.id,
              role: message.role,
              created: message.created,
              index: from + index,
              summary: message.summary,
              text: "",
              cut: true,
              lost: 0,
            })),
            more: request.direction === "back" ? from > 0 : to < all.length,
            total: all.length,
            reverted: 0,
          },
        }
      }),
    forget: (target) =>
      answer(() => {
        if (target.kind !== "session")
          return { ok: false, fault: { reason: "failed", message: "sessions only" } }
        forgottenIDs.add(target.sessionID)
        const count = messages.get(target.sessionID)?.size ?? 0
        rows.delete(target.sessionID)
        messages.delete(target.sessionID)
        return { ok: true, value: { sessions: 1, messages: count, erased: true } }
      }),
    progress: (progress) => void reports.push(progress),
    search: unsupported,
    projects: unsupported,
    edits: unsupported,
    lineage: unsupported,
    projectsIn: unsupported,
    status: unsupported,
    async close() {
      isClosed = true
    },
  }
  return history
}
