import { rmSync } from "node:fs"
import type { Database } from "../../storage/sqlite.ts"
import { nextChange } from "../file/change.ts"
import type { ForgetTarget, Forgotten } from "../contract.ts"
import { removeDamaged } from "../file/disk.ts"
import { FORGOTTEN_TITLE } from "./forgotten.ts"
import { addRule, keepRule, ruleOf } from "./forgotten-rules.ts"
import { clearRuns, dropDead } from "../runs/merge.ts"
import { dropMessage } from "./put-message.ts"
import { hideSession, removeRowsSteps, sessionIds } from "./remove.ts"
import { numberIn } from "../file/rows.ts"
import { sessionKeyOf } from "../file/schema.ts"
import type { Steps } from "../steps.ts"
import { emptyLog, write, type Writer } from "../file/writer.ts"

// Forgetting: a rule that keeps it out, the rows removed with their bytes overwritten, the grams of removed texts
// rewritten without them, the log emptied, copies of a damaged index deleted, the space given back.

/** Tries to empty the log while a reader of another process may still need it. */
const ERASE_TRIES = 40

export function* forget(writer: Writer, target: ForgetTarget, now: number): Steps<Forgotten> {
  const { database } = writer
  const rule = ruleOf(target, now)
  keepRule(writer.path, rule)
  const hidden = yield* write(writer, () => {
    addRule(database, rule)
    const sessions = wholeSessions(database, target)
    for (const session of sessions) hideSession(database, session.key)
    return sessions
  })
  let messages = 0
  for (const session of hidden) messages += yield* removeRowsSteps(writer, session.key)
  if (target.kind === "dates") messages += yield* removeDates(writer, target)
  yield* write(writer, () => {
    database.exec(
      `DELETE FROM paths WHERE id NOT IN (SELECT path FROM edits) AND id NOT IN
       (SELECT moved_from FROM edits WHERE moved_from IS NOT NULL)`,
    )
  })
  yield* dropDead(writer)
  // A merge of another process has grams of what is gone; it finds its run taken away and ends.
  yield* write(writer, () => database.exec("UPDATE runs SET state = 'dead' WHERE state = 'building'"))
  yield* clearRuns(writer)
  yield* giveBack(writer, 0)
  removeDamaged(writer.path)
  rmSync(`${writer.path}-journal`, { force: true })
  let erased = emptyLog(writer)
  for (let tries = 0; !erased && tries < ERASE_TRIES; tries++) {
    yield "wait"
    erased = emptyLog(writer)
  }
  return { sessions: hidden.length, messages, erased }
}

/** Returns free pages to the file system while more than `keep` pages are free. */
export function* giveBack(writer: Writer, keep: number): Steps<void> {
  for (;;) {
    const free = Number(writer.database.pragma("freelist_count") ?? 0)
    if (free <= keep) return
    yield* write(writer, () => writer.database.prepare(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`).all())
    if (Number(writer.database.pragma("freelist_count") ?? 0) >= free) return
  }
}

const VACUUM_PAGES = 256

function wholeSessions(database: Database, target: ForgetTarget) {
  if (target.kind === "session") return sessionIds(database, "id = ?", target.sessionID)
  if (target.kind === "project") return sessionIds(database, "project = ?", target.projectID)
  return sessionIds(
    database,
    "created >= ? AND created <= ? AND updated >= ? AND updated <= ? AND ? IN ('', project)",
    target.from,
    target.to,
    target.from,
    target.to,
    target.projectID ?? "",
  )
}

function* removeDates(writer: Writer, target: ForgetTarget & { kind: "dates" }): Steps<number> {
  const { database } = writer
  let total = 0
  for (;;) {
    const removed = yield* write(writer, () => {
      const rows = database
        .prepare(
          `SELECT m.rid, m.units FROM messages m JOIN sessions s ON s.key = m.session
           WHERE m.created BETWEEN ? AND ? AND ? IN ('', s.project) LIMIT 200`,
        )
        .all(target.from, target.to, target.projectID ?? "")
      const change = nextChange(database)
      const touch = database.prepare("UPDATE sessions SET change = ? WHERE key = ?")
      for (const row of rows) {
        const rid = numberIn(row, "rid")
        dropMessage(database, sessionKeyOf(rid), rid, numberIn(row, "units") > 0)
        touch.run(change, sessionKeyOf(rid))
      }
      database
        .prepare(
          `UPDATE sessions SET title = ?, change = ? WHERE created BETWEEN ? AND ? AND ? IN ('', project)`,
        )
        .run(FORGOTTEN_TITLE, change, target.from, target.to, target.projectID ?? "")
      return rows.length
    })
    total += removed
    if (removed === 0) return total
  }
}
