import { chmodSync, closeSync, existsSync, linkSync, openSync, renameSync } from "node:fs"
import { type Driver, openDatabase } from "../../storage/sqlite.ts"
import { addRule, keptRules } from "../store/forgotten-rules.ts"
import { isCode, removeIndex } from "./disk.ts"
import { createLayout, READ_BUSY_MS } from "./schema.ts"

// A new index file.

/** Built complete under another name, then linked into place: no process ever sees half a layout, or one without rules. */
export function create(driver: Driver, path: string): void {
  const building = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}.new`
  closeSync(openSync(building, "wx", 0o600))
  try {
    const database = openDatabase(driver, building, { busyTimeoutMs: READ_BUSY_MS })
    try {
      createLayout(database)
      for (const rule of keptRules(path)) addRule(database, rule)
    } finally {
      database.close()
    }
    chmodSync(building, 0o600)
    place(building, path)
  } finally {
    removeIndex(building)
  }
}

function place(building: string, path: string): void {
  try {
    linkSync(building, path)
  } catch (error) {
    // Another process was first: its file is as good. Where links do not exist, renaming is the next best.
    if (existsSync(path)) return
    if (isCode(error, "EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP")) renameSync(building, path)
    else throw error
  }
}
