import type { GramLists } from "./grams.ts"

// How the blocks of a stretch of grams are written into one row: per gram its distance from the gram before, then
// its blocks as a list of distances, or as a bit map (length 0) where that is shorter. Pure.

/** Writes the rows of the grams from `from` to before `to`, `2 ** shift` grams a row; empty rows are left out. */
export function writePostings(
  lists: GramLists,
  range: { readonly from: number; readonly to: number },
  blockCount: number,
  shift: number,
  put: (firstGram: number, body: Uint8Array) => void,
): void {
  const { starts, blocks } = lists
  const mapBytes = Math.ceil(blockCount / 8)
  const rowGrams = 1 << shift
  let out = new Uint8Array(16 * 1024)
  for (let row = range.from; row < range.to; row += rowGrams) {
    const from = row - range.from
    const to = Math.min(from + rowGrams, range.to - range.from)
    if (starts[from] === starts[to]) continue
    // No gram takes more than its bit map and two numbers.
    const most = Math.min((starts[to] ?? 0) - (starts[from] ?? 0), to - from) * (mapBytes + 8)
    if (out.length < most) out = new Uint8Array(most)
    let used = 0
    let before = from
    for (let gram = from; gram < to; gram++) {
      const start = starts[gram] ?? 0
      const end = starts[gram + 1] ?? 0
      if (start === end) continue
      used = putNumber(out, used, gram - before)
      before = gram
      const length = listBytes(blocks, start, end)
      const asMap = length >= mapBytes
      used = putNumber(out, used, asMap ? 0 : length)
      used = asMap ? putMap(out, used, mapBytes, blocks, start, end) : putList(out, used, blocks, start, end)
    }
    put(row, out.slice(0, used))
  }
}

/** A row of grams; `place`: of its first gram, counted from the slice's. */
export type GramRow = { readonly place: number; readonly body: Uint8Array }

/** One gram after the other of some rows. */
export type Cursor = {
  readonly rows: readonly GramRow[]
  readonly mapBytes: number
  row: number
  body: Uint8Array
  /** Where the gram's blocks begin and end in the body. */
  at: number
  end: number
  isMap: boolean
  /** Counted from the slice's first; none is as high as that behind the last one. */
  gram: number
}

/** At the first gram of the rows; undefined when they hold none. */
export function firstEntry(rows: readonly GramRow[], blockCount: number): Cursor | undefined {
  const [first] = rows
  if (first === undefined) return undefined
  const mapBytes = Math.ceil(blockCount / 8)
  const { body, place } = first
  const cursor: Cursor = { rows, mapBytes, row: 0, body, at: 0, end: 0, isMap: false, gram: place }
  nextEntry(cursor)
  return cursor
}

export function nextEntry(cursor: Cursor): void {
  if (cursor.end >= cursor.body.length) {
    const row = cursor.rows[++cursor.row]
    if (row === undefined) {
      cursor.gram = Number.POSITIVE_INFINITY
      return
    }
    cursor.body = row.body
    cursor.gram = row.place
    cursor.end = 0
  }
  const { body } = cursor
  let at = cursor.end
  const distance = numberAt(body, at)
  at += bytesOf(distance)
  cursor.gram += distance
  const length = numberAt(body, at)
  at += bytesOf(length)
  cursor.at = at
  cursor.isMap = length === 0
  cursor.end = at + (cursor.isMap ? cursor.mapBytes : length)
}

/**
 * Appends the blocks of the cursor's gram by their new numbers, without those whose number is negative; the new end of
 * the list, which must have room for them.
 */
export function appendBlocks(
  { body, at: from, end: to, isMap }: Cursor,
  numbers: Int32Array,
  list: Uint16Array,
  used: number,
): number {
  let end = used
  if (isMap) {
    for (let at = from; at < to; at++)
      for (let byte = body[at] ?? 0, block = (at - from) << 3; byte !== 0; byte >>>= 1, block++) {
        const number = numbers[block] ?? -1
        if ((byte & 1) !== 0 && number >= 0) list[end++] = number
      }
    return end
  }
  let block = 0
  for (let at = from; at < to;) {
    const step = numberAt(body, at)
    at += bytesOf(step)
    block += step
    const number = numbers[block] ?? -1
    if (number >= 0) list[end++] = number
  }
  return end
}

/** Sets the bits of the blocks that hold the gram `offset` places behind the row's first; how many there are. */
export function readBlocks(body: Uint8Array, offset: number, blockCount: number, bits: Uint8Array): number {
  const mapBytes = Math.ceil(blockCount / 8)
  let gram = 0
  let at = 0
  while (at < body.length) {
    const distance = numberAt(body, at)
    at += bytesOf(distance)
    gram += distance
    const length = numberAt(body, at)
    at += bytesOf(length)
    const end = at + (length === 0 ? mapBytes : length)
    if (gram > offset) return 0
    if (gram === offset) return length === 0 ? copyMap(body, at, end, bits) : setListed(body, at, end, bits)
    at = end
  }
  return 0
}

function copyMap(body: Uint8Array, from: number, to: number, bits: Uint8Array): number {
  let count = 0
  for (let at = from; at < to; at++) {
    const byte = body[at] ?? 0
    bits[at - from] = byte
    for (let rest = byte; rest !== 0; rest &= rest - 1) count++
  }
  return count
}

function setListed(body: Uint8Array, from: number, to: number, bits: Uint8Array): number {
  let count = 0
  let block = 0
  for (let at = from; at < to; count++) {
    const step = numberAt(body, at)
    at += bytesOf(step)
    block += step
    bits[block >>> 3] = (bits[block >>> 3] ?? 0) | (1 << (block & 7))
  }
  return count
}

/** The bits of some blocks. */
export function bitsOf(holding: readonly number[], blockCount: number): Uint8Array {
  const bits = new Uint8Array(Math.ceil(blockCount / 8))
  for (const block of holding) bits[block >>> 3] = (bits[block >>> 3] ?? 0) | (1 << (block & 7))
  return bits
}

export function hasBit(bits: Uint8Array, block: number): boolean {
  return (((bits[block >>> 3] ?? 0) >> (block & 7)) & 1) !== 0
}

/** The bytes of a list of ascending numbers written as distances. */
function listBytes(blocks: Uint16Array, start: number, end: number): number {
  let bytes = 0
  let last = 0
  for (let at = start; at < end; at++) {
    const block = blocks[at] ?? 0
    bytes += bytesOf(block - last)
    last = block
  }
  return bytes
}

/** The number written at a place. */
function numberAt(body: Uint8Array, at: number): number {
  let byte = body[at] ?? 0
  let value = byte & 0x7f
  for (let next = at + 1, shift = 7; byte >= 0x80; next++, shift += 7) {
    byte = body[next] ?? 0
    value |= (byte & 0x7f) << shift
  }
  return value
}

/** How many bytes `putNumber` writes: those of a run are below 2^21, for a bit map has at most 8,192. */
function bytesOf(value: number): number {
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : 3
}

/** Writes a number, seven bits a byte, the last one below 128; the place behind it. */
function putNumber(out: Uint8Array, at: number, value: number): number {
  let end = at
  let rest = value
  while (rest >= 0x80) {
    out[end++] = (rest & 0x7f) | 0x80
    rest >>>= 7
  }
  out[end++] = rest
  return end
}

function putList(out: Uint8Array, at: number, blocks: Uint16Array, start: number, to: number): number {
  let end = at
  let last = 0
  for (let from = start; from < to; from++) {
    const block = blocks[from] ?? 0
    end = putNumber(out, end, block - last)
    last = block
  }
  return end
}

function putMap(
  out: Uint8Array,
  at: number,
  mapBytes: number,
  blocks: Uint16Array,
  start: number,
  to: number,
): number {
  out.fill(0, at, at + mapBytes)
  for (let from = start; from < to; from++) {
    const block = blocks[from] ?? 0
    const place = at + (block >>> 3)
    out[place] = (out[place] ?? 0) | (1 << (block & 7))
  }
  return at + mapBytes
}
