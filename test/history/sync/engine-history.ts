import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { History, HistoryResult } from "../../../src/history/contract.ts"
import { createEngine } from "../../../src/history/engine.ts"
import type { CountedHistory } from "./rig.ts"

// The real index on a real file, with its running calls counted and questions that a test asks.

export type EngineHistory = CountedHistory & {
  ids(sessionID: string): Promise<readonly string[]>
  sessionIDs(): Promise<readonly string[]>
  /** Ids of the sessions that hold all of the words. */
  find(...words: readonly string[]): Promise<readonly string[]>
}

/** Runs `use` with an index in a folder of its own, which is closed and removed afterwards. */
export async function withEngine(use: (history: EngineHistory) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "baton-sync-"))
  const engine = createEngine({ dataDir, maskSecrets: true, sliceMs: 10, runs: "in-process" })
  try {
    await use(counting(engine))
  } finally {
    await engine.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function counting(engine: History): EngineHistory {
  let calls = 0
  const counted = async <Value>(call: Promise<Value>): Promise<Value> => {
    calls += 1
    try {
      return await call
    } finally {
      calls -= 1
    }
  }
  const history: History = {
    ...engine,
    beginFetch: (signal) => counted(engine.beginFetch(signal)),
    applyChanges: (changes, signal) => counted(engine.applyChanges(changes, signal)),
    markers: (signal) => counted(engine.markers(signal)),
    messages: (request, signal) => counted(engine.messages(request, signal)),
  }
  return {
    ...history,
    pending: () => calls,
    async ids(sessionID) {
      const ids: string[] = []
      for (;;) {
        const last = ids.at(-1)
        const anchor = last === undefined ? {} : { anchor: { messageID: last } }
        const page = value(
          await engine.messages({
            sessionID,
            direction: "forward",
            limit: 500,
            maxChars: 0,
            includeReverted: true,
            ...anchor,
          }),
        )
        if (!page.found) return []
        ids.push(...page.messages.map((message) => message.id))
        if (!page.more) return ids
      }
    },
    sessionIDs: async () =>
      value(await engine.markers())
        .map((one) => one.sessionID)
        .toSorted(),
    async find(...words) {
      const answer = value(
        await engine.search({
          words,
          excluded: [],
          scope: { kind: "all" },
          include: ["archived", "reverted", "subagents"],
          limit: 50,
          sort: "newest",
          hits: false,
        }),
      )
      return answer.sessions.map((match) => match.session.id).toSorted()
    },
  }
}

function value<Value>(result: HistoryResult<Value>): Value {
  if (!result.ok) throw new Error(`the index answered ${result.fault.reason}: ${result.fault.message}`)
  return result.value
}
