import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { History } from "../../src/history/contract.ts"
import { createEngine } from "../../src/history/engine.ts"
import type { Caller, Permission } from "../../src/hosts/host.ts"
import { v1OlderThan } from "../../src/reading/cursor.ts"
import type { Message, Session } from "../../src/session/model.ts"
import type { HistoryServices } from "../../src/tools/search/services.ts"
import type { Tool } from "../../src/tools/tool.ts"
import { memoryHost, START, type MemoryHost } from "../reading/memory-reader.ts"
import { memoryHistory } from "./memory-history.ts"

// Services over a host and an index in memory, and a caller that remembers what it was asked.

export type Bench = {
  readonly services: HistoryServices
  readonly host: MemoryHost
  readonly history: History
  /** What the user was asked for, in order. */
  readonly asked: string[]
  /** What the user answers; granted unless changed. */
  permission: Permission
  /** Stores at the host and in the index. */
  store(session: Session, messages?: readonly Message[]): Promise<void>
  caller(more?: Partial<Caller>): Caller
  run(tool: Tool, input: unknown, caller?: Partial<Caller>): Promise<string>
}

export function bench(more: Partial<HistoryServices> = {}): Bench {
  const host = memoryHost()
  const history = more.history ?? memoryHistory()
  const asked: string[] = []
  const self: Bench = {
    host,
    history,
    asked,
    permission: { granted: true },
    services: {
      reader: host.reader,
      options: { exclude: [], maskSecrets: true },
      project: { id: "prj_here", directory: "/work/here", worktree: "/work/here" },
      now: () => START,
      timeZone: "UTC",
      home: "/home/me",
      olderThan: v1OlderThan,
      ...more,
      history,
    },
    async store(session, messages = []) {
      const owned = messages.map((message) => ({ ...message, sessionID: session.id }))
      host.add(session, owned)
      const change = { session, marker: "1", messages: owned, complete: true }
      const applied = await history.applyChanges({ fetchedAt: START, sessions: [change] })
      assert.ok(applied.ok, JSON.stringify(applied))
    },
    caller: (more) => ({
      sessionID: "ses_caller",
      messageID: "msg_caller",
      directory: "/work/here",
      projectID: "prj_here",
      signal: new AbortController().signal,
      askOtherProject: (target) => {
        asked.push(target.directory || target.projectID)
        return Promise.resolve(self.permission)
      },
      ...more,
    }),
    run: (tool, input, caller) => tool.run(input, self.caller(caller)),
  }
  return self
}

/** Runs a test over the index in memory and over the real one, in a folder of its own. */
export async function overBoth(
  run: (bench: Bench, index: "memory" | "engine") => Promise<void>,
  more: Partial<HistoryServices> = {},
): Promise<void> {
  await run(bench(more), "memory")
  await overEngine((bench) => run(bench, "engine"), more)
}

/** Runs a test over the real index. */
export async function overEngine(
  run: (bench: Bench) => Promise<void>,
  more: Partial<HistoryServices> = {},
): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "baton-tools-"))
  const history = createEngine({ dataDir, maskSecrets: true, sliceMs: 10, runs: "in-process" })
  try {
    await run(bench({ ...more, history }))
  } finally {
    await history.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
