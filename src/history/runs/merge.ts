import { sqliteTrouble } from "../../storage/sqlite.ts"
import { nextOf } from "../file/change.ts"
import { GRAM_COUNT } from "./grams.ts"
import { type Merged, mergeRows, mergeScratch, type Source } from "./merge-rows.ts"
import { bitsOf, hasBit } from "./postings.ts"
import { bytesIn, numberIn, textIn } from "../file/rows.ts"
import { BLOCK_BYTES, directoryOf, holdsAny, readDead, readRuns, type Run, type Stretch } from "./runs.ts"
import { gramKey } from "../file/schema.ts"
import { MAX_BLOCKS, rowShift, sealTail } from "./seal.ts"
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

/** A merge that did not end in this time was killed. */
const ABANDONED_MS = 10 * 60 * 1000

/** Seals the tail if it holds at least so much, and then merges what there is to merge. */
export function* tidyRuns(writer: Writer, leastUnits: number): Steps<void> {
  if (!(yield* sealTail(writer, leastUnits))) return
  for (;;) {
    const ids = mergeable(writer) ?? dirtiest(writer)
    if (ids === undefined || isMerging(writer)) return
    if (
      !(yield* merge(
        writer,
        readRuns(writer.database).filter((run) => ids.includes(run.id)),
      ))
    )
      return
  }
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
  const now = Date.now()
  for (const row of database
    .prepare("SELECT id FROM runs WHERE state = 'dead' OR (state = 'building' AND at < ?)")
    .all(now - ABANDONED_MS)) {
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
  const since = Date.now() - ABANDONED_MS
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
      .run(made, Date.now(), shift)
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
      const put = writer.database.prepare("INSERT INTO grams(id, body) VALUES(?, ?)")
      for (const [key, body] of rows) put.run(key, body)
    })
    pending = []
    bytes = 0
  }
}

/** Puts the merged run in the place of its sources; false when they or the run itself are not there any more. */
function replaceRuns(
  writer: Writer,
  sources: readonly Source[],
  id: number,
  blocks: readonly Stretch[],
  dropped: readonly Stretch[],
  dead: Float64Array,
): boolean {
  const { database } = writer
  const isIn = database.prepare("SELECT 1 FROM runs WHERE id = ? AND state = ?")
  // Taken for killed when the machine slept for longer than ABANDONED_MS.
  if (!isIn.get(id, "building")) return false
  if (!sources.every(({ run }) => isIn.get(run.id, "whole"))) return false
  for (const { run } of sources)
    database.prepare("UPDATE runs SET state = 'dead', directory = x'' WHERE id = ?").run(run.id)
  mergeCommon(writer, sources, id, blocks.length)
  const units = sources.reduce((sum, { run }) => sum + run.units, 0)
  if (blocks.length === 0) database.prepare("UPDATE runs SET state = 'dead' WHERE id = ?").run(id)
  else
    database
      .prepare("UPDATE runs SET state = 'whole', units = ?, directory = ? WHERE id = ?")
      .run(units, directoryOf(blocks), id)
  for (const block of dropped) backToTail(writer, block)
  nextOf(database, "runs")
  forgetDead(writer, dead)
  return true
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
    // Locked, full or damaged: ABANDONED_MS later it counts as killed.
    if (sqliteTrouble(error) === "other") throw error
  }
}

function dirtyBlocks(run: Run, dead: Float64Array): number {
  return run.blocks.filter((block) => holdsAny(dead, block)).length
}

/** Common words of half the sources; blocks of the others are not known to hold them. A word that only blocks left
 * out hold is forgotten with them. */
function mergeCommon({ database }: Writer, sources: readonly Source[], id: number, blockCount: number): void {
  const merged = new Map<string, { sources: number; readonly holding: number[] }>()
  for (const { run, numbers } of sources) {
    for (const row of database.prepare("SELECT word, bits FROM common WHERE run = ?").all(run.id)) {
      const word = textIn(row, "word")
      const bits = bytesIn(row, "bits")
      const one = merged.get(word) ?? { sources: 0, holding: [] }
      merged.set(word, one)
      one.sources++
      numbers.forEach((number, block) => {
        if (number >= 0 && hasBit(bits, block)) one.holding.push(number)
      })
    }
    database.prepare("DELETE FROM common WHERE run = ?").run(run.id)
  }
  const put = database.prepare("INSERT INTO common VALUES(?, ?, ?)")
  for (const [word, { sources: count, holding }] of merged)
    if (count * 2 >= sources.length && holding.length > 0) put.run(id, word, bitsOf(holding, blockCount))
}

function backToTail({ database }: Writer, { first, last, role }: Stretch): void {
  database
    .prepare(
      `INSERT OR IGNORE INTO tail(rid, stamp, units, created, user)
       SELECT rid, ?, units, created, role = 'user' FROM messages
       WHERE rid BETWEEN ? AND ? AND role = ? AND units > 0`,
    )
    .run(nextOf(database, "tail"), first, last, role)
}

/** A row is dead as long as a run has grams of its old text. */
function forgetDead({ database }: Writer, dead: Float64Array): void {
  const runs = readRuns(database)
  for (const rid of dead) {
    const row = Float64Array.of(rid)
    if (!runs.some((run) => dirtyBlocks(run, row) > 0))
      database.prepare("DELETE FROM dead WHERE rid = ?").run(rid)
  }
}
