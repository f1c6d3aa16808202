// Words one or two slips away from an unknown one: a letter added, lost, changed or swapped with its neighbour.

/** Longest word that is compared; longer ones are paths, hashes and made up names, not spellings. */
const MAX_WORD_UNITS = 24

/** True for what can be misspelt: a word of letters and digits that is no hash. */
export function isSpellable(word: string): boolean {
  return word.length <= MAX_WORD_UNITS && /^[\p{L}\p{M}\p{N}_]+$/u.test(word)
}

/** The words of a folded text that hold the piece. */
export function wordsAround(folded: string, piece: string): readonly string[] {
  const words: string[] = []
  for (let at = folded.indexOf(piece); at >= 0; at = folded.indexOf(piece, at + piece.length))
    words.push(wordAt(folded, at, at + piece.length))
  return words
}

/** The word of which a piece stands there; in any text. */
export function wordAt(text: string, start: number, end: number): string {
  const before = ENDING.exec(text.slice(Math.max(0, start - MAX_WORD_UNITS), start))?.[0] ?? ""
  const after = BEGINNING.exec(text.slice(end, end + MAX_WORD_UNITS))?.[0] ?? ""
  return before + text.slice(start, end) + after
}

const ENDING = /(?<![\p{L}\p{M}\p{N}_])[\p{L}\p{M}\p{N}_]*$/u
const BEGINNING = /^[\p{L}\p{M}\p{N}_]*/u

/** Up to `limit` of the words, nearest first, then most frequent. */
export function closeSpellings(word: string, words: readonly string[], limit: number): readonly string[] {
  const slips = word.length >= 6 ? 2 : 1
  const counts = new Map<string, number>()
  for (const found of words)
    if (Math.abs(found.length - word.length) <= slips) counts.set(found, (counts.get(found) ?? 0) + 1)
  return [...counts]
    .map(([found, count]) => ({ found, count, distance: editDistance(word, found, slips) }))
    .filter((one) => one.distance > 0 && one.distance <= slips)
    .sort(
      (one, other) =>
        one.distance - other.distance || other.count - one.count || (one.found < other.found ? -1 : 1),
    )
    .slice(0, limit)
    .map((one) => one.found)
}

/** Slips between two words (a swap of neighbours is one); `most + 1` when there are more. */
export function editDistance(one: string, other: string, most: number): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1]
      const swapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (beforeLast[column - 2] ?? 0) + 1 : Infinity,
      )
    }
    if (Math.min(...current) > most) return most + 1
    beforeLast = last
    last = current
  }
  return Math.min(last[other.length] ?? 0, most + 1)
}
