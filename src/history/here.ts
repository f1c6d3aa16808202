import type { History } from "./contract.ts"
import { createEngine } from "./engine.ts"

// The index without a worker. Apart from index.ts, so that a host does not load the engine on its own thread.

/**
 * The index on this thread, for a command that has nothing else to do: no worker is started. `sliceMs` is how long
 * it works before keys and signals are seen.
 */
export function openHistoryHere(options: {
  readonly dataDir: string
  readonly maskSecrets: boolean
  readonly sliceMs: number
}): History {
  return createEngine({ ...options, runs: "in-process" })
}
