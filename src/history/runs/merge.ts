import { sqliteTrouble } from "../../storage/sqlite.ts"
import { nextOf, valueOf } from "../file/change.ts"
import { putGrams } from "./gram-rows.ts"
import { GRAM_COUNT } from "./grams.ts"
import { type Merged, mergeRows, mergeScratch, type Source } from "./merge-rows.ts"
import { dirtyBlocks, replaceRuns } from "./replace.ts"
import { numberIn } from "../file/rows.ts"
import { BLOCK_BYTES, holdsAny, readDead, readRuns, type Run, type Stretch } from "./runs.ts"
import { gramKey } from "../file/schema.ts"
import { MAX_BLOCKS, rowShift, sealOnce, sealTail, tailUnits } from "./seal.ts"
import type { Steps } from "../steps.ts"
import { write, type Writer } from "../file/writer.ts"

// Runs are merged as they grow many, so that a word is looked up in a few. A merged run is written piece by piece in
// short transactions, unseen until the last one puts it in the place of its sources. Blocks with removed or replaced
// texts are left out; what still lives of them goes back to the tail.

/** Runs of about one size that become one. */
const MERGED_RUNS = 8

/** Runs of so many full tails are not merged any further: forgetting a session rewrites the runs it is in. */
const FULL_SEALS = 4

/** A run with more dirty blocks than this part of all is rewritten without them. */
const DIRTY_PART = 0.3

/** Of runs with too many blocks for one, so many at least. */
const LEAST_MERGED = 4

/** Grams merged at a time: one row of the smallest runs. */
const SLICE_GRAMS = 512

/** Bytes written in one transaction. */
const WRITE_BYTES = 256 * 1024

/**
 * A merge that wrote nothing while the tail changed so often was killed. Counted in changes, for clocks are set: each
 * transaction of a merge notes what the count is, and between two of them other processes get in a few.
 */
export const ABANDONED_CHANGES = 2_000

/** Seals the tail while it holds at least so much, and then merges what there is to merge. */
export function* tidyRuns(writer: Writer, leastUnits: number): Steps<void> {
  if (yield* sealTail(writer, leastUnits)) while (yield* mergeSome(writer));
}

/** Seals one full tail, and merges only when no other waits: for a thread whose master waits when some do. */
export function* tidyTail(writer: Writer, leastUnits: number): Steps<void> {
  if (!(yield* sealOnce(writer, leastUnits))) return
  while (tailUnits(writer) < leastUnits && (yield* mergeSome(writer)));
}

/** One merge; false when there is none to do, or another process is at one. */
export function* mergeSome(writer: Writer): Steps<boolean> {
  const ids = mergeable(writer) ?? dirtiest(writer)
  if (ids === undefined || isMerging(writer)) return false
  return yield* merge(
    writer,
    readRuns(writer.database).filter((run) => ids.includes(run.id)),
  )
}

/** Rewrites every run with removed or replaced texts: no gram of them is left. */
export function* dropDead(writer: Writer): Steps<void> {
  for (;;) {
    const dead = readDead(writer.database)
    const run =
      dead.length === 0 ? undefined : readRuns(writer.database).find((one) => dirtyBlocks(one, dead) > 0)
    if (run === undefined) return
    if (!(yield* merge(writer, [run]))) yield "wait"
  }
}

/** Removes what killed merges left. */
export function* clearRuns(writer: Writer): Steps<void> {
  const { database } = writer
  const since = valueOf(database, "tail") - ABANDONED_CHANGES
  for (const row of database
    .prepare("SELECT id FROM runs WHERE state = 'dead' OR (state = 'building' AND at < ?)")
    .all(since)) {
    const id = numberIn(row, "id")
    for (let left = true; left;) {
      left = yield* write(writer, () => {
        const some = database
          .prepare(
            "DELETE FROM grams WHERE id IN (SELECT id FROM grams WHERE id >= ? AND id < ? LIMIT 2000) RETURNING id",
          )
          .all(gramKey(id, 0), gramKey(id + 1, 0))
        if (some.length === 0) database.prepare("DELETE FROM runs WHERE id = ?").run(id)
        return some.length > 0
      })
    }
  }
}

/** Runs of about one size that are to become one. */
function mergeable({ database, sealUnits }: Writer): readonly number[] | undefined {
  const levels = new Map<number, { readonly id: number; readonly blocks: number }[]>()
  const rows = database
    .prepare("SELECT id, units, length(directory) AS bytes FROM runs WHERE state = 'whole' AND units < ?")
    .all(FULL_SEALS * sealUnits)
  for (const row of rows) {
    const seals = Math.max(1, numberIn(row, "units")) / sealUnits
    const level = Math.floor(Math.log(seals) / Math.log(MERGED_RUNS))
    const same = levels.get(level) ?? []
    levels.set(level, same)
    same.push({ id: numberIn(row, "id"), blocks: numberIn(row, "bytes") / BLOCK_BYTES })
  }
  for (const same of levels.values()) {
    const fitting = same.length < MERGED_RUNS ? [] : thatFit(same.slice(0, MERGED_RUNS))
    if (fitting.length >= LEAST_MERGED) return fitting
  }
  return undefined
}

/** Those that together have few enough blocks for one run. */
function thatFit(runs: readonly { readonly id: number; readonly blocks: number }[]): readonly number[] {
  let blocks = 0
  return runs.flatMap((run) => {
    if (blocks + run.blocks > MAX_BLOCKS) return []
    blocks += run.blocks
    return [run.id]
  })
}

/** A run of which a good part was removed or replaced. */
function dirtiest({ database }: Writer): readonly number[] | undefined {
  const dead = readDead(database)
  if (dead.length === 0) return undefined
  const run = readRuns(database).find((one) => dirtyBlocks(one, dead) > DIRTY_PART * one.blocks.length)
  return run && [run.id]
}

function isMerging({ database }: Writer): boolean {
  const since = valueOf(database, "tail") - ABANDONED_CHANGES
  return database.prepare("SELECT 1 FROM runs WHERE state = 'building' AND at >= ?").get(since) !== undefined
}

/** False when another process changed the sources meanwhile. */
function* merge(writer: Writer, runs: readonly Run[]): Steps<boolean> {
  const { database } = writer
  const dead = readDead(database)
  const blocks: Stretch[] = []
  const dropped: Stretch[] = []
  const sources = runs.map((run): Source => {
    const base = blocks.length
    const numbers = run.blocks.map((block) => {
      if (!holdsAny(dead, block)) return blocks.push(block) - 1
      dropped.push(block)
      return -1
    })
    const isWhole = blocks.length === base + run.count
    return { run, numbers: Int32Array.from(numbers), base: isWhole ? base : undefined }
  })
  const shift = rowShift(blocks.length)
  const id = yield* write(writer, () => {
    const made = nextOf(database, "runs")
    database
      .prepare("INSERT INTO runs(id, state, at, units, shift, directory) VALUES(?, 'building', ?, 0, ?, x'')")
      .run(made, valueOf(database, "tail"), shift)
    return made
  })
  let done = false
  try {
    yield* writeMerged(writer, sources, id, { shift, blockCount: blocks.length })
    done = yield* write(writer, () => replaceRuns(writer, sources, id, blocks, dropped, dead))
  } finally {
    // Ended before its end, by an abort or a lock: nobody will finish it.
    if (!done) abandon(writer, id)
  }
  yield* clearRuns(writer)
  return done
}

function* writeMerged(writer: Writer, sources: readonly Source[], id: number, merged: Merged): Steps<void> {
  const scratch = mergeScratch(merged)
  let pending: (readonly [number, Uint8Array])[] = []
  let bytes = 0
  for (let from = 0; from < GRAM_COUNT; from += SLICE_GRAMS) {
    const to = Math.min(GRAM_COUNT, from + SLICE_GRAMS)
    mergeRows(writer.database, sources, { from, to }, merged, scratch, (gram, body) => {
      pending.push([gramKey(id, gram), body])
      bytes += body.length
    })
    yield "pause"
    if (bytes < WRITE_BYTES && to < GRAM_COUNT) continue
    const rows = pending
    yield* write(writer, () => {
      for (const [key, body] of rows) putGrams(writer.database, key, body)
      const at = valueOf(writer.database, "tail")
      writer.database.prepare("UPDATE runs SET at = ? WHERE id = ? AND state = 'building'").run(at, id)
    })
    pending = []
    bytes = 0
  }
}

function abandon({ database }: Writer, id: number): void {
  try {
    // Also when the row was cleared away: grams may have been written behind that. A run that is whole stays.
    database
      .prepare(
        `INSERT INTO runs(id, state, at, units, shift, directory) VALUES(?, 'dead', 0, 0, 0, x'')
         ON CONFLICT DO UPDATE SET state = 'dead' WHERE state = 'building'`,
      )
      .run(id)
  } catch (error) {
    // Locked, full or damaged: after ABANDONED_CHANGES it counts as killed.
    if (sqliteTrouble(error) === "other") throw error
  }
}
