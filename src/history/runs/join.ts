import type { Cursor } from "./cursor.ts"
import { bytesOf, numberAt, putNumber } from "./varint.ts"

// The blocks of one gram in several runs as those of one run in which all blocks of a run lie behind those of the run
// before. Distances stay what they are but for the first of each run, and bit maps are moved: no block is looked at.

/** A run that is at the gram. */
export type Part = {
  readonly cursor: Cursor
  /** The new number of its first block; -1 where its blocks do not simply follow each other. */
  readonly base: number
}

/**
 * Writes the blocks as `putBlocks` does, and gives the place behind them; -1 when that needs a look at each of them.
 * `out` has room for a bit map and 8 bytes more.
 */
export function joinBlocks(parts: readonly Part[], mapBytes: number, out: Uint8Array, at: number): number {
  let bytes = 0
  let blocks = 0
  let maps = 0
  let last = 0
  for (const { cursor, base } of parts) {
    if (base < 0) return -1
    const { body, at: from, end, isMap } = cursor
    if (isMap) {
      maps++
      blocks += countBits(body, from, end)
      continue
    }
    const first = numberAt(body, from)
    const size = bytesOf(first)
    bytes += bytesOf(base + first - last) + end - from - size
    last = base + first + sumFrom(body, from + size, end)
    blocks += countNumbers(body, from, end)
  }
  if (maps === 0 && bytes < mapBytes) return joinLists(parts, bytes, out, at)
  // A block takes at least a byte.
  return blocks >= mapBytes ? joinMaps(parts, mapBytes, out, at) : -1
}

function joinLists(parts: readonly Part[], bytes: number, out: Uint8Array, at: number): number {
  let end = putNumber(out, at, bytes)
  let last = 0
  for (const { cursor, base } of parts) {
    const { body, end: to } = cursor
    let from = cursor.at
    let block = base + numberAt(body, from)
    from += bytesOf(block - base)
    end = putNumber(out, end, block - last)
    while (from < to) {
      let byte = body[from++] ?? 0
      out[end++] = byte
      let step = byte & 0x7f
      for (let shift = 7; byte >= 0x80; shift += 7) {
        byte = body[from++] ?? 0
        out[end++] = byte
        step |= (byte & 0x7f) << shift
      }
      block += step
    }
    last = block
  }
  return end
}

function joinMaps(parts: readonly Part[], mapBytes: number, out: Uint8Array, at: number): number {
  const start = putNumber(out, at, 0)
  out.fill(0, start, start + mapBytes + 1)
  for (const { cursor, base } of parts) {
    if (cursor.isMap) orMap(cursor, base, out, start)
    else orList(cursor, base, out, start)
  }
  return start + mapBytes
}

function orMap({ body, at, end }: Cursor, base: number, out: Uint8Array, start: number): void {
  const shift = base & 7
  let place = start + (base >>> 3)
  for (let from = at; from < end; from++, place++) {
    const bits = (body[from] ?? 0) << shift
    out[place] = (out[place] ?? 0) | (bits & 0xff)
    out[place + 1] = (out[place + 1] ?? 0) | (bits >>> 8)
  }
}

function orList({ body, at, end }: Cursor, base: number, out: Uint8Array, start: number): void {
  let block = base
  for (let from = at; from < end;) {
    const step = numberAt(body, from)
    from += bytesOf(step)
    block += step
    const place = start + (block >>> 3)
    out[place] = (out[place] ?? 0) | (1 << (block & 7))
  }
}

function sumFrom(body: Uint8Array, from: number, end: number): number {
  let sum = 0
  let shift = 0
  for (let at = from; at < end; at++) {
    const byte = body[at] ?? 0
    sum += (byte & 0x7f) << shift
    shift = byte < 0x80 ? 0 : shift + 7
  }
  return sum
}

function countNumbers(body: Uint8Array, from: number, end: number): number {
  let count = 0
  for (let at = from; at < end; at++) if ((body[at] ?? 0) < 0x80) count++
  return count
}

function countBits(body: Uint8Array, from: number, end: number): number {
  let count = 0
  for (let at = from; at < end; at++) count += BITS[body[at] ?? 0] ?? 0
  return count
}

/** Bits set in each byte. */
const BITS = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll("0", "").length)
