import type { History } from "../src/history/contract.ts"
import { openHistory } from "../src/history/index.ts"
import type { Caller, SessionReader } from "../src/hosts/host.ts"
import { historyRead } from "../src/tools/history-read.ts"
import type { HistoryServices } from "../src/tools/search/services.ts"
import { sessionList } from "../src/tools/session-list.ts"
import type { Tool } from "../src/tools/tool.ts"
import type { Corpus } from "./corpus/corpus.ts"
import type { ReadFigures } from "./figures.ts"

// The tools that show pages, as a model calls them; reading is from the index, as for a session the host has lost.

const ROUNDS = 30

/** Over the index of the corpus that lies in `folder`. */
export async function measureReads(folder: string, corpus: Corpus): Promise<ReadFigures> {
  const history = openHistory({ dataDir: folder, maskSecrets: true, keepAlive: true })
  const services = servicesOver(history)
  const sessionID = longSession(corpus)
  const calls: readonly (readonly [string, Tool, object])[] = [
    ["history-read, first page of the longest session", historyRead(services), { sessionID }],
    ["history-read, last page of the longest session", historyRead(services), { sessionID, from: "end" }],
    ["session_list", sessionList(services), {}],
    ["session_list, a common word", sessionList(services), { search: "session" }],
  ]
  const figures: { name: string; samples: number[]; answerBytes: number }[] = []
  for (const [name, tool, input] of calls) {
    const samples: number[] = []
    let answer = ""
    for (let round = 0; round <= ROUNDS; round++) {
      const started = performance.now()
      answer = await tool.run(input, CALLER)
      samples.push(performance.now() - started)
    }
    if (answer.startsWith('{"error"')) throw new Error(`${name}: ${answer}`)
    figures.push({ name, samples: samples.slice(1), answerBytes: Buffer.byteLength(answer) })
  }
  await history.close()
  return figures
}

function longSession(corpus: Corpus): string {
  const length = corpus.lengths.reduce((most, one) => Math.max(most, one), 0)
  return corpus.sessionAt(corpus.lengths.indexOf(length)).session.id
}

const NOT_THERE = { ok: false, fault: { reason: "not-found", message: "No such session." } } as const

const GONE: SessionReader = { session: async () => NOT_THERE, messages: async () => NOT_THERE }

function servicesOver(history: History): HistoryServices {
  return {
    history,
    reader: GONE,
    options: { exclude: [], maskSecrets: true },
    project: { id: "prj_0", directory: "/home/dev/project-0", worktree: "/home/dev/project-0" },
    now: Date.now,
    timeZone: "UTC",
  }
}

const CALLER: Caller = {
  sessionID: "ses_caller",
  messageID: "msg_caller",
  directory: "/home/dev/project-0",
  projectID: "prj_0",
  signal: new AbortController().signal,
  askOtherProject: async () => ({ granted: true }),
}
