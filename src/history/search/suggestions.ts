import { fold } from "../../text/fold.ts"
import { foldWord } from "../runs/grams.ts"
import type { Steps } from "../steps.ts"
import type { StoredText } from "../store/texts.ts"
import { type Candidates, openCandidates } from "./candidates.ts"
import type { Search } from "./open.ts"
import { possibleSessions } from "./possible.ts"
import type { Homes } from "./scope.ts"
import { closeSpellings, isSpellable, wordAt, wordsAround } from "./spelling.ts"

// How an unknown word is spelt here: words of some texts and titles that share a good part of it.

/** Close spellings of an unknown word. */
export const CLOSE_SPELLINGS = 3

/** Stretches of text looked through for one part of a word. */
const SPELLING_STRETCHES = 20

/** Words taken from one text: a listing of a megabyte spells nothing in another way. */
const WORDS_A_TEXT = 50

/** Words that share a good part of the unknown one: a slip leaves one half or one third intact. */
export function* spellings(
  search: Search,
  word: string,
  inScope: Homes,
  until: number,
): Steps<readonly string[]> {
  const folded = foldWord(word)
  const bare = folded.replace(AROUND, "")
  if (!isSpellable(bare)) return []
  const words: string[] = []
  for (const piece of piecesOf(bare)) {
    const candidates = openCandidates(search.database, search.catalog, piece)
    let left = SPELLING_STRETCHES
    const possible = possibleSessions(search.catalog, inScope, [candidates])
    for (let entry = possible.next(); entry !== undefined; entry = possible.next()) {
      if (candidates.isTitled(entry.key)) words.push(...wordsAround(entry.foldedTitle, piece))
      if (left <= 0 || performance.now() > until) break
      for (const stretch of candidates.stretchesIn(entry.key).slice(0, left)) {
        for (const stored of search.messages.texts(stretch)) words.push(...wordsWith(candidates, stored))
        left--
        yield "pause"
      }
    }
  }
  return closeSpellings(folded, words, CLOSE_SPELLINGS)
}

/** What a word was copied with: a comma behind it, a bracket before it. */
const AROUND = /^[^\p{L}\p{M}\p{N}_]+|(?<![^\p{L}\p{M}\p{N}_])[^\p{L}\p{M}\p{N}_]+$/gu

/** The folded words of a text that hold the piece. Folding all of the text is left to texts that need it. */
function wordsWith(piece: Candidates, { text, plain }: StoredText): readonly string[] {
  if (!plain) return wordsAround(fold(text), piece.folded)
  const words: string[] = []
  for (let from = 0; words.length < WORDS_A_TEXT;) {
    const place = piece.placeIn(text.slice(from), plain)
    if (!place) break
    words.push(fold(wordAt(text, from + place.start, from + place.end)))
    from += place.end
  }
  return words
}

function piecesOf(folded: string): readonly string[] {
  const characters = Array.from(folded)
  const count = characters.length >= 9 ? 3 : 2
  const size = Math.max(3, Math.floor(characters.length / count))
  const starts = Array.from({ length: count }, (_, at) =>
    Math.min(at * size, Math.max(0, characters.length - size)),
  )
  return [...new Set(starts.map((start) => characters.slice(start, start + size).join("")))]
}
