import type { Role } from "../../session/model.ts"
import type { Database, Row } from "../../storage/sqlite.ts"
import { mayCompose } from "../../text/compose.ts"
import { fold } from "../../text/fold.ts"
import { nextOf, valueOf } from "../file/change.ts"
import { commonWords, SAMPLED_TEXTS } from "./common-words.ts"
import { createGramCollector, type GramCollector } from "./collect.ts"
import { GRAM_COUNT } from "./grams.ts"
import { putGrams } from "./gram-rows.ts"
import { bitsOf, writePostings } from "./postings.ts"
import { DamageError } from "../file/damage.ts"
import { numberIn } from "../file/rows.ts"
import { directoryOf, sealRun, type Stretch } from "./runs.ts"
import { gramKey, sessionKeyOf } from "../file/schema.ts"
import { checkRow, putRow } from "../file/sums.ts"
import type { Steps } from "../steps.ts"
import { textAt } from "../store/texts.ts"
import { SEAL_UNITS, write, type Writer } from "../file/writer.ts"

// The tail becomes a run. Its grams are collected without a lock; the transaction then takes out of the tail
// what is unchanged since and leaves the rest, so that writers never wait for the collecting.

/** A block: what is read to decide a word. Larger ones cost reading, smaller ones more grams. */
export const BLOCK_UNITS = 16 * 1024

/** Texts of one run at first; bounds the memory of sealing (30 MB) and its transaction. */
const RUN_UNITS_MAX = SEAL_UNITS + 1024 * 1024

/** Blocks of one run: their numbers are 16 bits, and the last session's may still be added. Tiny sessions make many. */
export const MAX_BLOCKS = 60_000

/** Rows of the tail read at a time. */
const ROWS_READ = 200

/** Grams in one row, as a power of two: a row of some hundred bytes whatever the run's size. */
export function rowShift(blockCount: number): number {
  return blockCount <= 1_024 ? 9 : blockCount <= 4_096 ? 6 : 3
}

/** Indexes the tail while it holds at least so much. True when there is a new run. */
export function* sealTail(writer: Writer, leastUnits: number): Steps<boolean> {
  let sealed = false
  while (yield* sealOnce(writer, leastUnits)) sealed = true
  writer.recent.clear()
  return sealed
}

/** A new run of the tail if it holds at least so much; false when there is none. */
export function* sealOnce(writer: Writer, leastUnits: number): Steps<boolean> {
  const units = tailUnits(writer)
  return units >= leastUnits && (yield* sealSome(writer, units))
}

/** Characters that wait to be sealed. */
export function tailUnits({ database }: Writer): number {
  return Number(database.prepare("SELECT sum(units) AS units FROM tail").get()?.["units"] ?? 0)
}

/** False when there is nothing, or another process sealed or removed some of it meanwhile: the rest has time. */
function* sealSome(writer: Writer, expectedUnits: number): Steps<boolean> {
  const { database } = writer
  const stamp = valueOf(database, "tail")
  const rids: number[] = []
  const blocks = createBlocks(
    commonWords(sampleOf(writer)),
    createGramCollector(Math.min(expectedUnits, RUN_UNITS_MAX), writer.scratch),
  )
  /** Removed since, or lost. */
  const lacking: number[] = []
  let units = 0
  for (const row of tailRows(database, stamp)) {
    if (isFull(blocks.count(), units)) break
    const rid = numberIn(row, "rid")
    const found = textOf(writer, row)
    if (found === undefined) lacking.push(rid)
    const text = found ?? ""
    const role = numberIn(row, "user") === 1 ? "user" : "assistant"
    blocks.add({ rid, created: numberIn(row, "created"), role, text })
    rids.push(rid)
    units += text.length
    yield "pause"
  }
  const { stretches, lists, common } = blocks.end()
  if (stretches.length === 0) return false
  yield "pause"
  return yield* write(writer, () => {
    const ends = [rids[0] ?? 0, rids.at(-1) ?? 0] as const
    const waiting = database.prepare("SELECT rid, stamp FROM tail WHERE rid BETWEEN ? AND ?").all(...ends)
    const stamps = new Map(waiting.map((row) => [numberIn(row, "rid"), numberIn(row, "stamp")]))
    // Of a removed text nothing may get into a run; who removed it does not know that it was on its way.
    if (!rids.every((rid) => stamps.has(rid))) return false
    if (lacking.some((rid) => (stamps.get(rid) ?? 0) <= stamp)) throw new DamageError("Texts are missing.")
    // What was replaced since has a higher stamp: it stays, and its old text is dead.
    for (const rid of rids)
      if ((stamps.get(rid) ?? 0) > stamp) putRow(database, "INSERT OR IGNORE", "dead", [rid])
    database.prepare("DELETE FROM tail WHERE rid BETWEEN ? AND ? AND stamp <= ?").run(...ends, stamp)
    const shift = rowShift(stretches.length)
    const run = nextOf(database, "runs")
    writePostings(lists, { from: 0, to: GRAM_COUNT }, stretches.length, shift, (gram, body) =>
      putGrams(database, gramKey(run, gram), body),
    )
    for (const [word, holding] of common)
      putRow(database, "INSERT", "common", [run, word, bitsOf(holding, stretches.length)])
    database
      .prepare("INSERT INTO runs(id, state, at, units, shift, directory) VALUES(?, 'whole', 0, ?, ?, ?)")
      .run(run, units, shift, directoryOf(stretches))
    sealRun(database, run)
    nextOf(database, "tail")
    return true
  })
}

/**
 * The rows of the tail up to a stamp, in order. No read goes on between them: while one does, no checkpoint can empty the
 * log, and every write tries anew.
 */
function* tailRows(database: Database, stamp: number): Generator<Row> {
  const after = database.prepare(
    `SELECT * FROM tail WHERE rid > ? AND stamp <= ? ORDER BY rid LIMIT ${ROWS_READ}`,
  )
  for (let rows = after.all(-1, stamp); rows.length > 0;) {
    for (const row of rows) checkRow("tail", Object.values(row))
    yield* rows
    const last = rows.at(-1)
    rows = last === undefined ? [] : after.all(numberIn(last, "rid"), stamp)
  }
}

function isFull(blocks: number, units: number): boolean {
  return blocks >= MAX_BLOCKS || units >= RUN_UNITS_MAX
}

/** Some texts of the tail, evenly. */
function sampleOf(writer: Writer): readonly string[] {
  const waiting = writer.database.prepare("SELECT rid, stamp FROM tail ORDER BY rid").all()
  const step = Math.max(1, waiting.length / SAMPLED_TEXTS)
  const texts: string[] = []
  for (let at = 0; at < waiting.length; at += step) {
    const row = waiting[Math.floor(at)]
    if (row) texts.push(fold(textOf(writer, row) ?? ""))
  }
  return texts
}

/** The text a row of the tail stands for; undefined when it is not there any more. */
function textOf({ database, recent }: Writer, row: Row): string | undefined {
  const rid = numberIn(row, "rid")
  return recent.text(rid, numberIn(row, "stamp")) ?? textAt(database, rid)?.text
}

type Text = { readonly rid: number; readonly created: number; readonly role: Role; readonly text: string }

/**
 * Groups texts, given in row order, into blocks of one session and role. What users write is a twentieth of all: a
 * search of their messages alone then reads little else.
 */
function createBlocks(words: readonly string[], collector: GramCollector) {
  const common = new Map(words.map((word): [string, number[]] => [word, []]))
  const stretches: Stretch[] = []
  let key = -1
  let said: Text[] = []
  let open: Text[] = []
  let size = 0

  const put = (texts: readonly Text[]): void => {
    const [first] = texts
    const last = texts.at(-1)
    if (!first || !last) return
    for (const { text } of texts) collector.add(text)
    collector.endBlock()
    // `cafe` with an accent behind it holds no `cafe`.
    const compared = texts.map(({ text }) => (mayCompose(text) ? fold(text) : text))
    // Only in small letters: a block that holds the word for certain, though not every such block.
    for (const [word, holding] of common)
      if (compared.some((text) => text.includes(word))) holding.push(stretches.length)
    const times = texts.map((text) => text.created)
    const oldest = times.reduce((one, other) => Math.min(one, other))
    const newest = times.reduce((one, other) => Math.max(one, other))
    stretches.push({
      first: first.rid,
      last: last.rid,
      oldest,
      newest,
      role: first.role,
      texts: texts.length,
    })
  }

  const endOpen = (): void => {
    put(open)
    open = []
    size = 0
  }

  const endSession = (): void => {
    endOpen()
    for (let from = 0, units = 0, to = 0; to < said.length; to++) {
      units += said[to]?.text.length ?? 0
      if (units < BLOCK_UNITS && to + 1 < said.length) continue
      put(said.slice(from, to + 1))
      from = to + 1
      units = 0
    }
    said = []
  }

  return {
    count: () => stretches.length,
    add: (text: Text): void => {
      if (sessionKeyOf(text.rid) !== key) endSession()
      key = sessionKeyOf(text.rid)
      if (text.role === "user") {
        said.push(text)
        return
      }
      open.push(text)
      size += text.text.length
      if (size >= BLOCK_UNITS) endOpen()
    },
    end: () => {
      endSession()
      return { stretches, lists: collector.lists(), common }
    },
  }
}
