// The known word that a mistyped one most likely stood for.

/** The known word closest to `word` (case, `-` and `_` do not count), or undefined when none is close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const wanted = plain(word)
  if (wanted.length > MAX_WORD_UNITS) return undefined
  let best: { readonly name: string; readonly distance: number } | undefined
  for (const name of known) {
    const distance = editDistance(wanted, plain(name))
    if (distance <= Math.max(1, Math.floor(name.length / 3)) && (!best || distance < best.distance))
      best = { name, distance }
  }
  return best?.name
}

/** Longer words are not typing mistakes; comparing them would cost their square. */
const MAX_WORD_UNITS = 64

function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[-_]/g, "")
}

/** Insertions, deletions and replacements that turn `from` into `to`. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
