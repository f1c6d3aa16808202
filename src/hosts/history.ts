import type { Options } from "../config/options.ts"
import { openHistory, type History } from "../history/index.ts"
import { realPath } from "../history/real-paths.ts"
import { excluder, joinSync, type HostFeed, type SyncMember } from "../history/sync/index.ts"
import { historyRead } from "../tools/history-read.ts"
import { historySearchEdits } from "../tools/history-search-edits.ts"
import { historySearchMessages } from "../tools/history-search-messages.ts"
import { historySearchSessions } from "../tools/history-search-sessions.ts"
import type { HistoryServices } from "../tools/search/services.ts"
import { sessionList } from "../tools/session-list.ts"
import { sessionRead } from "../tools/session-read.ts"
import type { Tool } from "../tools/tool.ts"
import { hostDataDir } from "./data-dir.ts"
import type { Log } from "./host.ts"

// History for any host: joins the process's one index and makes the tools over it. Nothing is read here.

export type HistoryPart = { readonly tools: readonly Tool[]; readonly sync: SyncMember }

export type HistorySetup = Omit<HistoryServices, "history" | "options" | "now" | "catchUp"> & {
  readonly options: Options
  /** What is wrong with the option `exclude`: then nothing is indexed. */
  readonly excludeProblem?: string | undefined
  readonly feed: HostFeed
  readonly log: Log
  /** What a host puts between its sync and the index; called for the process's first member only. */
  readonly through?: (history: History) => History
}

/** The tools that the options ask for, and the sync behind them; undefined when they ask for none. */
export function historyPart(setup: HistorySetup): HistoryPart | undefined {
  const { options } = setup
  const groups = options.tools.filter((group) => group !== "handoff")
  if (groups.length === 0) return undefined

  const held =
    setup.excludeProblem === undefined
      ? undefined
      : `the option \`exclude\` is not understood (${setup.excludeProblem}): nothing is indexed until it is mended`
  if (held !== undefined) setup.log("warn", held)
  const dataDir = options.dataDir ?? hostDataDir(process.env)
  const sync = joinSync({
    key: `${realPath(dataDir)}\n${options.maskSecrets}`,
    open: () => {
      const history = openHistory({ dataDir, maskSecrets: options.maskSecrets })
      return setup.through === undefined ? history : setup.through(history)
    },
    feed: setup.feed,
    excluded: excluder(options.exclude),
    log: setup.log,
    ...(held === undefined ? {} : { held }),
  })
  const services: HistoryServices = {
    ...setup,
    history: sync.history,
    now: Date.now,
    unlisted: () => held ?? setup.unlisted?.(),
    catchUp: async (signal) => (await sync.catchUp(signal)).why,
  }
  const make = {
    history: [historySearchMessages, historySearchSessions, historySearchEdits, historyRead],
    sessions: [sessionList, sessionRead],
  }
  return { tools: groups.flatMap((group) => make[group].map((tool) => tool(services))), sync }
}
