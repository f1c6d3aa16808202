import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import assert from "node:assert/strict"
import type { History, HistoryResult, SearchRequest, EditsRequest } from "../../src/history/contract.ts"
import { createEngine, type EngineOptions } from "../../src/history/engine.ts"
import type { Message, Part, Session, ToolPart } from "../../src/session/model.ts"

// Sessions, messages and indexes for tests, with only what a test says about them.

export function aSession(id: string, given: Partial<Session> = {}): Session {
  return {
    id,
    title: "untitled",
    projectID: "p1",
    directory: "/repo",
    created: 1_000,
    updated: 2_000,
    metadata: {},
    ...given,
  }
}

export function aMessage(id: string, parts: readonly Part[] | string, given: Partial<Message> = {}): Message {
  return {
    id,
    sessionID: "any",
    role: "user",
    created: 1_000,
    summary: false,
    malformed: 0,
    ...given,
    parts: typeof parts === "string" ? [aText(parts)] : parts,
  }
}

export function aText(text: string, given: { synthetic?: boolean; ignored?: boolean } = {}): Part {
  return { type: "text", text, synthetic: false, ignored: false, metadata: {}, ...given }
}

type ToolGiven = {
  readonly status?: "pending" | "running" | "completed" | "error"
  readonly output?: string
  readonly error?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly attachments?: NonNullable<ToolPart["attachments"]>
}

export function aTool(tool: string, input: Readonly<Record<string, unknown>>, given: ToolGiven = {}) {
  return {
    type: "tool",
    tool,
    callID: "call",
    status: "completed",
    input,
    title: "",
    output: "",
    error: "",
    metadata: {},
    ...given,
  } as const
}

/** Folders made by this file's tests; call `removeFolders` after them. */
const folders: string[] = []

export function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "baton-history-"))
  folders.push(folder)
  return folder
}

export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
}

/** An index of this thread in a folder of its own. */
export function anIndex(
  dataDir = aFolder(),
  given: Partial<Pick<EngineOptions, "maskSecrets" | "sealUnits" | "sealThread">> = {},
): History {
  return createEngine({ dataDir, maskSecrets: true, sliceMs: 10, runs: "in-process", ...given })
}

/** The value of an answer that must not be a fault. */
export function got<Value>(result: HistoryResult<Value>): Value {
  assert.ok(result.ok, result.ok ? "" : `${result.fault.reason}: ${result.fault.message}`)
  return result.value
}

/** Stores whole sessions. */
export async function store(
  history: History,
  sessions: readonly (readonly [Session, readonly Message[]])[],
  fetchedAt = 10_000,
): Promise<void> {
  const changes = sessions.map(([session, messages]) => ({ session, messages, complete: true, marker: "m" }))
  got(await history.applyChanges({ fetchedAt, sessions: changes }))
}

export const ALL: Pick<SearchRequest, "excluded" | "scope" | "include" | "limit" | "sort" | "hits"> = {
  excluded: [],
  scope: { kind: "all" },
  include: [],
  limit: 50,
  sort: "newest",
  hits: true,
}

/** Ids of the sessions that hold the words. */
export async function found(
  history: History,
  words: readonly string[],
  given: Partial<SearchRequest> = {},
): Promise<string[]> {
  const answer = got(await history.search({ ...ALL, words, ...given }))
  return answer.sessions.map((match) => match.session.id)
}

export async function editsOf(history: History, given: Partial<EditsRequest> = {}) {
  const { sort: _sort, hits: _hits, ...filter } = ALL
  return got(await history.edits({ ...filter, words: [], ...given }))
}
