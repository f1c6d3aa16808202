import type { GramLists } from "./collect.ts"
import { bytesOf, numberAt, putNumber } from "./varint.ts"

// How the blocks of a stretch of grams are written into one row: per gram its distance from the gram before, then
// its blocks as a list of distances, or as a bit map (length 0) where that is shorter. Pure.

/** Writes the rows of the grams from `from` to before `to`, `2 ** shift` grams a row. A row without grams is written too: one that is missing was lost. */
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
    if (starts[from] === starts[to]) {
      put(row, NO_GRAMS)
      continue
    }
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
      used = putBlocks(out, used, mapBytes, blocks, start, end)
    }
    put(row, out.slice(0, used))
  }
}

/** A row in which no block has a gram. */
export const NO_GRAMS = new Uint8Array()

/** Writes the blocks of a gram, of which there is at least one; the place behind them. */
export function putBlocks(
  out: Uint8Array,
  at: number,
  mapBytes: number,
  blocks: Uint16Array,
  from: number,
  to: number,
): number {
  // A block takes at least a byte: most blocks are of grams that are a bit map for sure.
  const length = to - from < mapBytes ? listBytes(blocks, from, to) : mapBytes
  const start = putNumber(out, at, length < mapBytes ? length : 0)
  return length < mapBytes
    ? putList(out, start, blocks, from, to)
    : putMap(out, start, mapBytes, blocks, from, to)
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
