// Relevance: how much of a session is about the words. A count alone would let the longest session win everything,
// so hits are seen against the session's length; a word in the title says more than any number of mentions. Pure.

/** Keeps a session of one message with one hit below a short one that is about the word. */
const SMOOTHING_MESSAGES = 10

/** A word of the title outweighs any density, which stays below 1. */
const TITLE_WEIGHT = 1

export type Evidence = { readonly hits: number; readonly inTitle: boolean }

/** Higher is better; one evidence a word. */
export function relevance(words: readonly Evidence[], messages: number): number {
  return words.reduce(
    (score, word) => score + word.hits / (messages + SMOOTHING_MESSAGES) + (word.inTitle ? TITLE_WEIGHT : 0),
    0,
  )
}
