import { bytesOf, numberAt } from "./varint.ts"

// Goes through the rows of a run's grams, one gram after the other.

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
