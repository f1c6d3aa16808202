// Answers that are JSON: one line a message or session, so that whoever cuts by the line keeps whole ones.

/** The object as JSON, `items` last and one a line. */
export function jsonAnswer(
  head: Readonly<Record<string, unknown>>,
  name: string,
  items: readonly unknown[],
): string {
  const start = JSON.stringify(head).slice(0, -1)
  const list = items.length === 0 ? "[]" : `[\n${items.map((item) => JSON.stringify(item)).join(",\n")}\n]`
  return `${start}${start.length > 1 ? "," : ""}${JSON.stringify(name)}:${list}}`
}

/** What a JSON tool answers instead of a result. */
export function jsonError(error: string): string {
  return JSON.stringify({ error })
}

/** The bytes an item takes in such an answer. */
export function itemBytes(item: unknown): number {
  return Buffer.byteLength(JSON.stringify(item)) + 2
}

/** Bytes kept for the head of an answer: ids, cursors and notes. */
export const HEAD_BYTES = 3 * 1024

/**
 * The stretch of items that fits into `maxBytes`, grown from `from` outwards: alternately on both sides, ends
 * exclusive. At least the one item.
 */
export function fitAround(
  bytes: readonly number[],
  from: number,
  maxBytes: number,
): { readonly first: number; readonly end: number } {
  let first = from
  let end = Math.min(bytes.length, from + 1)
  let left = maxBytes - (bytes[from] ?? 0)
  for (let blocked = { before: false, after: false }; !blocked.before || !blocked.after;) {
    const after = blocked.after ? undefined : bytes[end]
    if (after !== undefined && after <= left) {
      left -= after
      end++
    } else blocked = { ...blocked, after: true }
    const before = blocked.before || first === 0 ? undefined : bytes[first - 1]
    if (before !== undefined && before <= left) {
      left -= before
      first--
    } else blocked = { ...blocked, before: true }
  }
  return { first, end }
}
