import type { Caller, Permission } from "../../src/hosts/host.ts"
import { v1OlderThan } from "../../src/reading/cursor.ts"
import type { Message, Session } from "../../src/session/model.ts"
import type { HistoryServices } from "../../src/tools/search/services.ts"
import type { Tool } from "../../src/tools/tool.ts"
import { memoryHost, START, type MemoryHost } from "../reading/memory-reader.ts"
import { memoryHistory, type MemoryHistory } from "./memory-history.ts"

// Services over a host and an index in memory, and a caller that remembers what it was asked.

export type Bench = {
  readonly services: HistoryServices
  readonly host: MemoryHost
  readonly history: MemoryHistory
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
  const history = memoryHistory()
  const asked: string[] = []
  const self: Bench = {
    host,
    history,
    asked,
    permission: { granted: true },
    services: {
      history,
      reader: host.reader,
      options: { exclude: [], maskSecrets: true },
      project: { id: "prj_here", directory: "/work/here", worktree: "/work/here" },
      now: () => START,
      timeZone: "UTC",
      home: "/home/me",
      olderThan: v1OlderThan,
      ...more,
    },
    async store(session, messages = []) {
      const owned = messages.map((message) => ({ ...message, sessionID: session.id }))
      host.add(session, owned)
      await history.applyChanges({ fetchedAt: 1, sessions: [{ session, messages: owned, complete: true }] })
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
