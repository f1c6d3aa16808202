import { statSync } from "node:fs"
import type { Database } from "../storage/sqlite.ts"
import type { Status } from "./contract.ts"
import type { OpenedIndex } from "./file/file.ts"
import { readReport } from "./report.ts"
import { numberIn, optionalNumber } from "./file/rows.ts"
import { LAYOUT_VERSION } from "./file/schema.ts"
import { logBytes } from "./file/writer.ts"

// What the index tells of itself.

export function statusOf(open: OpenedIndex, notes: readonly string[], runs: Status["runs"]): Status {
  const { reader, path, mode } = open
  const count = (sql: string) => {
    const row = reader.prepare(sql).get()
    return row ? numberIn(row, "n") : 0
  }
  const report = readReport(reader)
  return {
    file: path,
    mode,
    runs,
    driver: reader.driver,
    sessions: count("SELECT count(*) AS n FROM sessions WHERE removed = 0"),
    complete: count("SELECT count(*) AS n FROM sessions WHERE removed = 0 AND marker IS NOT NULL"),
    messages: count("SELECT coalesce(sum(messages), 0) AS n FROM sessions WHERE removed = 0"),
    edits: count("SELECT count(*) AS n FROM edits"),
    bytes: statSync(path, { throwIfNoEntry: false })?.size ?? 0,
    logBytes: logBytes(path),
    layout: LAYOUT_VERSION,
    forgotten: count("SELECT count(*) AS n FROM forgotten"),
    ...syncedAt(reader),
    ...(report === undefined ? {} : { reported: report }),
    notes,
  }
}

/** The latest time a fetch of listing data or messages began. */
function syncedAt(reader: Database): { readonly syncedAt?: number } {
  const row = reader
    .prepare("SELECT max(max(fetched_at), max(marker_at)) AS at FROM sessions WHERE removed = 0")
    .get()
  const at = row === undefined ? undefined : optionalNumber(row, "at")
  return at === undefined ? {} : { syncedAt: at }
}
