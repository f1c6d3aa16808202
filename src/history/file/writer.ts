import { statSync } from "node:fs"
import { type Database, sqliteTrouble } from "../../storage/sqlite.ts"
import type { GramScratch } from "../runs/collect.ts"
import type { Recent } from "../runs/recent.ts"
import type { Steps } from "../steps.ts"
import { valueOf } from "./change.ts"
import { sealSessions } from "./sums.ts"

// The one way to write: short immediate transactions that wait outside SQLite, so that a search of the same
// process goes on while another process holds the lock.

/** How long a write waits for another process. Past the longest stall seen there (a backup of 10 s). */
export const WRITE_WAIT_MS = 20_000

/** A log this long is not written to any further until readers let it be emptied. */
export const LOG_MAX_BYTES = 64 * 1024 * 1024

/** While much is written the tail is sealed at this size: a run of a size that is merged but once or twice. */
export const SEAL_UNITS = 8 * 1024 * 1024

/** Once nothing is written for a moment, a tail of this size is sealed: a smaller one is searched in half a millisecond. */
export const QUIET_SEAL_UNITS = 64 * 1024

export class BusyError extends Error {
  override readonly name = "BusyError"
}

export type Writer = {
  readonly database: Database
  readonly path: string
  readonly maskSecrets: boolean
  /** While writing goes on, texts of so many units wait before they are indexed. */
  readonly sealUnits: number
  readonly recent: Recent
  /** Kept from one sealing to the next by who seals much. */
  readonly scratch?: GramScratch
}

/** One transaction: begun, checked, written and committed without a pause. Throws BusyError after the wait. */
export function* write<Value>(writer: Writer, work: () => Value): Steps<Value> {
  const deadline = performance.now() + WRITE_WAIT_MS
  for (;;) {
    if (hasRoom(writer)) {
      try {
        const value = writer.database.transaction("immediate", () => sealed(writer.database, work))
        yield "pause"
        return value
      } catch (error) {
        if (sqliteTrouble(error) !== "busy") throw error
      }
    }
    if (performance.now() > deadline)
      throw new BusyError(`The index was locked for ${WRITE_WAIT_MS / 1000} s.`)
    yield "wait"
  }
}

/** What was changed of sessions gets its sum anew. */
function sealed<Value>(database: Database, work: () => Value): Value {
  const change = valueOf(database, "change")
  const value = work()
  sealSessions(database, change)
  return value
}

/** Bytes of the write-ahead log. */
export function logBytes(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
}

/** Empties the log if no reader needs it. True when it is empty. */
export function emptyLog(writer: Pick<Writer, "database" | "path">): boolean {
  try {
    return writer.database.pragma("wal_checkpoint(TRUNCATE)") === 0
  } catch (error) {
    if (sqliteTrouble(error) === "busy") return false
    throw error
  }
}

function hasRoom(writer: Writer): boolean {
  return logBytes(writer.path) < LOG_MAX_BYTES || emptyLog(writer)
}
