import { nextOf } from "../file/change.ts"
import { bytesOf, numberIn, textOf } from "../file/rows.ts"
import { checkRow, putRow } from "../file/sums.ts"
import type { Writer } from "../file/writer.ts"
import type { Source } from "./merge-rows.ts"
import { bitsOf, hasBit } from "./postings.ts"
import { directoryOf, holdsAny, readRuns, type Run, sealRun, type Stretch } from "./runs.ts"

// Puts a merged run in the place of its sources, in one transaction.

/** Puts the merged run in the place of its sources; false when they or the run itself are not there any more. */
export function replaceRuns(
  writer: Writer,
  sources: readonly Source[],
  id: number,
  blocks: readonly Stretch[],
  dropped: readonly Stretch[],
  dead: Float64Array,
): boolean {
  const { database } = writer
  const isIn = database.prepare("SELECT 1 FROM runs WHERE id = ? AND state = ?")
  // Taken for killed when the machine slept while others wrote much (ABANDONED_CHANGES).
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
  sealRun(database, id)
  for (const block of dropped) backToTail(writer, block)
  nextOf(database, "runs")
  forgetDead(writer, dead)
  return true
}

/** Blocks of a run with removed or replaced texts. */
export function dirtyBlocks(run: Run, dead: Float64Array): number {
  return run.blocks.filter((block) => holdsAny(dead, block)).length
}

/** Common words of half the sources; blocks of the others are not known to hold them. A word that only blocks left
 * out hold is forgotten with them. */
function mergeCommon({ database }: Writer, sources: readonly Source[], id: number, blockCount: number): void {
  const merged = new Map<string, { sources: number; readonly holding: number[] }>()
  for (const { run, numbers } of sources) {
    for (const row of database.prepare("SELECT * FROM common WHERE run = ?").values(run.id)) {
      checkRow("common", row)
      const word = textOf(row[1], "word")
      const bits = bytesOf(row[2], "bits")
      const one = merged.get(word) ?? { sources: 0, holding: [] }
      merged.set(word, one)
      one.sources++
      numbers.forEach((number, block) => {
        if (number >= 0 && hasBit(bits, block)) one.holding.push(number)
      })
    }
    database.prepare("DELETE FROM common WHERE run = ?").run(run.id)
  }
  for (const [word, { sources: count, holding }] of merged)
    if (count * 2 >= sources.length && holding.length > 0)
      putRow(database, "INSERT", "common", [id, word, bitsOf(holding, blockCount)])
}

function backToTail({ database }: Writer, { first, last, role }: Stretch): void {
  const stamp = nextOf(database, "tail")
  const rows = database
    .prepare("SELECT * FROM messages WHERE rid BETWEEN ? AND ? AND role = ? AND units > 0")
    .all(first, last, role)
  for (const row of rows) {
    checkRow("messages", Object.values(row))
    const values = [numberIn(row, "rid"), stamp, numberIn(row, "units"), numberIn(row, "created")]
    putRow(database, "INSERT OR IGNORE", "tail", [...values, role === "user" ? 1 : 0])
  }
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
