import type { Role } from "../../session/model.ts"
import type { Database, Values } from "../../storage/sqlite.ts"
import { type Counters, rowsOf, WHOLE_RUNS } from "../file/change.ts"
import { checkOrder } from "../file/damage.ts"
import { bytesOf, numberIn, numberOf } from "../file/rows.ts"
import { checkCount, checkRow, rowSum } from "../file/sums.ts"
import { sessionKeyOf } from "../file/schema.ts"
import { type Spans, spansOf } from "./spans.ts"

// Where texts are indexed. A block is a stretch of a session's texts; a run is up to some thousand blocks whose
// grams were written together; texts that are in no run yet are the tail. Kept in memory: 52 bytes for 12 kB of text.

/** A stretch of a session's rows, of one role where it is a block. */
export type Stretch = {
  /** Row ids, both inclusive. */
  readonly first: number
  readonly last: number
  /** When its messages were created. */
  readonly oldest: number
  readonly newest: number
  readonly role: Role
  /** How many texts it had when it was written. */
  readonly texts: number
}

export type Run = {
  readonly id: number
  readonly units: number
  readonly shift: number
  /** How many blocks it has; they are numbered from 0. */
  readonly count: number
  block(number: number): Stretch
  isUsers(number: number): boolean
  readonly blocks: readonly Stretch[]
  /** The session of each block. */
  readonly keys: Uint32Array
  /** The session of each span of blocks. */
  readonly spanKeys: Uint32Array
}

export type Places = {
  readonly spans: Spans
  /** By a session's key, its texts that no run holds, each a stretch of its own. */
  readonly tail: ReadonlyMap<number, readonly Stretch[]>
  /** False when no block is dirty. */
  readonly anyDirty: boolean
  /** True when a text of the block was removed or replaced since. */
  isDirty(block: Stretch): boolean
}

/** What the connection sees, brought up to date by `refresh`. */
export function createPlaces(database: Database): { refresh(seen: Counters): Places } {
  let runs = new Map<number, Run>()
  let spans = spansOf([])
  let tail = new Map<number, Stretch[]>()
  let dead = new Float64Array()
  let seenRuns = -1
  let seenTail = -1
  return {
    refresh: (counters) => {
      // What was written since is in order: SQLite wrote it.
      if (seenRuns === -1) for (const table of ["runs", "tail", "dead"]) checkOrder(database, table)
      if (counters.runs !== seenRuns) {
        runs = new Map(readRuns(database, runs).map((run) => [run.id, run]))
        checkCount(database, WHOLE_RUNS, runs.size)
        spans = spansOf([...runs.values()])
        seenRuns = counters.runs
      }
      if (counters.tail !== seenTail) {
        tail = readTail(database)
        dead = readDead(database)
        checkCount(database, rowsOf("dead"), dead.length)
        seenTail = counters.tail
      }
      return {
        spans,
        tail,
        anyDirty: dead.length > 0,
        isDirty: (block) => holdsAny(dead, block),
      }
    },
  }
}

/** The complete runs; those that are known already are not read again. */
export function readRuns(database: Database, known: ReadonlyMap<number, Run> = new Map()): readonly Run[] {
  return database
    .prepare("SELECT id FROM runs WHERE state = 'whole' ORDER BY id")
    .all()
    .map((row) => known.get(numberIn(row, "id")) ?? readRun(database, numberIn(row, "id")))
}

/** The blocks of a run as they are stored. */
export function directoryOf(blocks: readonly Stretch[]): Uint8Array {
  const numbers = blocks.flatMap(({ first, last, oldest, newest, role, texts }) => [
    first,
    last,
    oldest,
    newest,
    role === "user" ? 1 : 0,
    texts,
  ])
  return new Uint8Array(Float64Array.from(numbers).buffer)
}

/** Numbers of one block in a directory. */
const BLOCK_NUMBERS = 6

export const BLOCK_BYTES = BLOCK_NUMBERS * Float64Array.BYTES_PER_ELEMENT

function readRun(database: Database, id: number): Run {
  const [row] = database.prepare("SELECT id, units, shift, directory, sum FROM runs WHERE id = ?").values(id)
  if (!row) throw new Error(`Run ${id} is gone.`)
  checkRow("runs", row)
  return runOf(row)
}

/** Gives a run its sum, when it is written. */
export function sealRun(database: Database, id: number): void {
  const [row] = database.prepare("SELECT id, units, shift, directory FROM runs WHERE id = ?").values(id)
  if (row) database.prepare("UPDATE runs SET sum = ? WHERE id = ?").run(rowSum(row), id)
}

/** Blocks stay numbers until they are asked for: as objects they took 10 MB and 30 ms at 200,000 messages. */
function runOf([id, units, shift, directory]: Values): Run {
  const numbers = numbersOf(bytesOf(directory, "directory"))
  const count = numbers.length / BLOCK_NUMBERS
  const at = (block: number, place: number): number => numbers[block * BLOCK_NUMBERS + place] ?? 0
  const isUsers = (block: number): boolean => at(block, 4) === 1
  const stretchAt = (block: number): Stretch => ({
    first: at(block, 0),
    last: at(block, 1),
    oldest: at(block, 2),
    newest: at(block, 3),
    role: isUsers(block) ? "user" : "assistant",
    texts: at(block, 5),
  })
  const keys = new Uint32Array(count)
  for (let block = 0; block < count; block++) keys[block] = sessionKeyOf(at(block, 0))
  return {
    id: numberOf(id, "id"),
    units: numberOf(units, "units"),
    shift: numberOf(shift, "shift"),
    count,
    block: stretchAt,
    isUsers,
    get blocks() {
      return Array.from({ length: count }, (_, block) => stretchAt(block))
    },
    keys,
    spanKeys: keys.filter((key, block) => key !== keys[block - 1]),
  }
}

/** Copied only where they do not lie as numbers must. */
function numbersOf(bytes: Uint8Array): Float64Array {
  const { buffer, byteOffset, length } =
    bytes.byteOffset % Float64Array.BYTES_PER_ELEMENT === 0 ? bytes : bytes.slice()
  return new Float64Array(buffer, byteOffset, length / Float64Array.BYTES_PER_ELEMENT)
}

function readTail(database: Database): Map<number, Stretch[]> {
  const tail = new Map<number, Stretch[]>()
  const rows = database.prepare("SELECT * FROM tail").values()
  checkCount(database, rowsOf("tail"), rows.length)
  for (const row of rows) {
    checkRow("tail", row)
    const rid = numberOf(row[0], "rid")
    const created = numberOf(row[3], "created")
    const role = numberOf(row[4], "user") === 1 ? "user" : "assistant"
    const stretch: Stretch = { first: rid, last: rid, oldest: created, newest: created, role, texts: 1 }
    const list = tail.get(sessionKeyOf(rid))
    if (list) list.push(stretch)
    else tail.set(sessionKeyOf(rid), [stretch])
  }
  return tail
}

/** Rows whose old text a run still has, ascending. */
export function readDead(database: Database): Float64Array<ArrayBuffer> {
  const rows = database.prepare("SELECT * FROM dead ORDER BY rid").values()
  for (const row of rows) checkRow("dead", row)
  return Float64Array.from(rows, ([rid]) => numberOf(rid, "rid"))
}

/** Equal for equal stretches. */
export function nameOf({ first, last, role }: Stretch): string {
  return `${first}-${last}-${role}`
}

/** True when one of the ascending row ids is in the stretch. */
export function holdsAny(sorted: Float64Array, { first, last }: Stretch): boolean {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? 0) < first) low = middle + 1
    else high = middle
  }
  return (sorted[low] ?? Infinity) <= last
}
