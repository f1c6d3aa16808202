import { type ClientOptions, createClient } from "./client.ts"
import type { History } from "./contract.ts"
import { realPath } from "./real-paths.ts"

// The local history index: the one door to it. Everything behind this file can be replaced without touching
// a tool, a host or a sync; they see only contract.ts.
//
//   const history = openHistory({ dataDir, maskSecrets: true })
//   await history.applyChanges({ fetchedAt, sessions: [{ session, marker, messages, complete: true }] })
//   await history.search({ words: ["login"], excluded: [], scope: { kind: "all" }, include: [], limit: 50, sort: "newest", hits: true })
//
// Opening reads nothing and returns at once; the worker starts with the first call.

export type * from "./contract.ts"

export type HistoryOptions = ClientOptions

const shared = new Map<string, { readonly history: History; users: number }>()

/**
 * The index below a data directory. Two openings in one process share one worker and one writer; it ends when
 * the last of them is closed.
 */
export function openHistory(options: HistoryOptions): History {
  const key = JSON.stringify([realPath(options.dataDir), options.maskSecrets])
  const known = shared.get(key) ?? { history: createClient(options), users: 0 }
  known.users++
  shared.set(key, known)
  let closed: Promise<void> | undefined
  const release = async (): Promise<void> => {
    if (--known.users > 0) return
    if (shared.get(key) === known) shared.delete(key)
    await known.history.close()
  }
  return {
    ...known.history,
    close: () => {
      closed ??= release()
      return closed
    },
  }
}
