// Where any of many short words may begin in a text, found in one pass. Three characters, five bits of each, are looked
// up in a table, and then the fourth: of what a text holds a hundredth is looked at closely, whatever the number of words.

const TABLE_BITS = 15
const MASK = (1 << TABLE_BITS) - 1

/** Values by the words they belong to, found by a word's first characters without regard to case. */
export type Starts<Value> = {
  /** The first place from `from` on where one of the words may begin; -1 when there is none. */
  next(text: string, from: number): number
  /** What may begin there, in the order given to `createStarts`. */
  at(text: string, place: number): readonly Value[]
}

/** `words`: ASCII, of two characters or more. */
export function createStarts<Value>(
  entries: readonly { readonly words: readonly string[]; readonly value: Value }[],
): Starts<Value> {
  const table = new Uint8Array(1 << TABLE_BITS)
  const fourths = new Uint32Array(1 << TABLE_BITS)
  const values: Value[][] = []
  const groups = new Map<number, number>()
  for (const { words, value } of entries) {
    for (const [hash, fourth] of words.flatMap(hashesOf)) {
      const group = groups.get(hash) ?? values.push([]) - 1
      groups.set(hash, group)
      if (!values[group]?.includes(value)) values[group]?.push(value)
      table[hash] = 1
      fourths[hash] = (fourths[hash] ?? 0) | fourth
    }
  }
  return {
    next: (text, from) => nextPlace(text, from, table, fourths),
    at: (text, place) => values[groups.get(hashAt(text, place)) ?? -1] ?? [],
  }
}

/** A function of its own with numbers only: it runs over every character that is stored. */
function nextPlace(text: string, from: number, table: Uint8Array, fourths: Uint32Array): number {
  let hash = (text.charCodeAt(from) << 5) | (text.charCodeAt(from + 1) & 31)
  for (let at = from + 2; at < text.length; at++) {
    hash = ((hash << 5) | (text.charCodeAt(at) & 31)) & MASK
    if (table[hash] !== 0 && (fourths[hash]! & (1 << (text.charCodeAt(at + 1) & 31))) !== 0) return at - 2
  }
  return -1
}

function hashAt(text: string, at: number): number {
  const [one, two, three] = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)]
  return ((one & 31) << 10) | ((two & 31) << 5) | (three & 31)
}

/** The hash of three characters with a bit for each fourth one; of a word of two characters, one with every third. */
function hashesOf(word: string): readonly (readonly [hash: number, fourth: number])[] {
  const fourth = word.length > 3 ? 1 << (word.charCodeAt(3) & 31) : ANY_FOURTH
  if (word.length > 2) return [[hashAt(word, 0), fourth]]
  return Array.from({ length: 32 }, (_, third) => [(hashAt(`${word}\0`, 0) & ~31) | third, fourth] as const)
}

const ANY_FOURTH = 0xffffffff
