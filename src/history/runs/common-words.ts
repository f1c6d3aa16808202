// The words that most texts of a stretch of history hold. Which blocks hold them is stored for certain, so that a
// question about all sessions (excluding such a word, counting projects that mention it) need not compare each. Pure.

/** Words of one run. Each costs a look at every block while sealing: all of them three milliseconds a megabyte. */
export const COMMON_WORDS = 48

/** Texts the words are chosen by. */
export const SAMPLED_TEXTS = 64

/** In fewer texts a word is not common; a block holds about five. */
const LEAST_SHARE = 1 / 8

/** The most common words of some folded texts. */
export function commonWords(texts: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const text of texts) {
    const words = new Set(text.slice(0, LOOKED_AT_UNITS).match(WORD))
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count >= texts.length * LEAST_SHARE)
    .sort(([one, count], [other, also]) => also - count || (one < other ? -1 : 1))
    .slice(0, COMMON_WORDS)
    .map(([word]) => word)
}

/** Shorter words are in too many others to be asked for; longer ones are no words. */
const WORD = /[a-z0-9_]{4,24}/g

/** Of a long text its start is enough to tell what is common. */
const LOOKED_AT_UNITS = 8 * 1024
