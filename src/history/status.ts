import { statSync } from "node:fs"
import type { Status } from "./contract.ts"
import type { OpenedIndex } from "./file/file.ts"
import { readReport } from "./report.ts"
import { countOf, rowsOf, storedAt } from "./file/change.ts"
import { numberIn } from "./file/rows.ts"
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
  const synced = storedAt(reader)
  return {
    file: path,
    mode,
    runs,
    driver: reader.driver,
    sessions: count("SELECT count(*) AS n FROM sessions WHERE removed = 0"),
    complete: count("SELECT count(*) AS n FROM sessions WHERE removed = 0 AND marker IS NOT NULL"),
    messages: count("SELECT coalesce(sum(messages), 0) AS n FROM sessions WHERE removed = 0"),
    edits: countOf(reader, rowsOf("edits")),
    bytes: statSync(path, { throwIfNoEntry: false })?.size ?? 0,
    logBytes: logBytes(path),
    layout: LAYOUT_VERSION,
    forgotten: countOf(reader, rowsOf("forgotten")),
    ...(synced === undefined ? {} : { syncedAt: synced }),
    ...(report === undefined ? {} : { reported: report }),
    notes,
  }
}
