import type { Database } from "../storage/sqlite.ts"
import type { Progress, Reported } from "./contract.ts"
import { valueIn } from "./file/change.ts"
import { textIn } from "./file/rows.ts"

// What a sync reports of its progress, kept in the file: another process that only asks for the status has no sync
// of its own. Numbers only, beside the counters.

/** Progress changes with every session; noted this often at most, it costs nothing. */
export const REPORT_EVERY_MS = 5_000

const KEYS = ["total", "pending", "failed", "excluded", "forgotten"] as const

export type Reporter = {
  /** Notes the progress within REPORT_EVERY_MS. */
  report(progress: Progress): void
  /** Notes now what waits. */
  flush(): Promise<void>
}

/** `store` writes a report; what it cannot write now the next report tells. */
export function createReporter(store: (progress: Progress) => Promise<void>): Reporter {
  let waiting: Progress | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const progress = waiting
    waiting = undefined
    if (progress !== undefined) await store(progress)
  }
  return {
    report(progress) {
      // Before the first complete listing nobody knows what is missing.
      if (progress.total === undefined) return
      waiting = progress
      if (timer !== undefined) return
      timer = setTimeout(() => void flush(), REPORT_EVERY_MS)
      timer.unref()
    },
    flush,
  }
}

/** Inside of a transaction. */
export function writeReport(database: Database, progress: Progress, at: number): void {
  const put = database.prepare("INSERT OR REPLACE INTO meta VALUES(?1, ?2, ?2)")
  for (const key of KEYS) put.run(`sync ${key}`, progress[key] ?? 0)
  put.run("sync at", at)
}

export function readReport(database: Database): Reported | undefined {
  const rows = database.prepare("SELECT * FROM meta WHERE name LIKE 'sync %'").all()
  const values = new Map(rows.map((row) => [textIn(row, "name"), valueIn(row, textIn(row, "name"))]))
  const at = values.get("sync at")
  if (at === undefined) return undefined
  const of = (key: (typeof KEYS)[number]) => values.get(`sync ${key}`) ?? 0
  return {
    total: of("total"),
    pending: of("pending"),
    failed: of("failed"),
    excluded: of("excluded"),
    forgotten: of("forgotten"),
    at,
  }
}
