import { fold } from "../../text/fold.ts"
import { foldWord } from "../runs/grams.ts"
import { nameOf, type Stretch } from "../runs/runs.ts"
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

/** Work spent on the spellings of one word; what waits for the index is looked through with it. */
export const SPELLING_BUDGET_MS = 100

/** Once so many places of a part were looked at, a close spelling that was found is enough. */
const PLACES_ENOUGH = 20

/** Words taken from one text: a listing of a megabyte spells nothing in another way. */
const WORDS_A_TEXT = 50

/**
 * Words that share a good part of the unknown one: a slip leaves one half or one third intact. What the index tells holds a
 * part; what waits for the index may, so it comes last, and each such text is looked at once for all parts.
 */
export function* spellings(
  search: Search,
  word: string,
  inScope: Homes,
  until: number,
): Steps<readonly string[]> {
  const folded = foldWord(word)
  const bare = folded.replace(AROUND, "")
  if (!isSpellable(bare)) return []
  const { places } = search.catalog
  const pieces = piecesOf(bare).map((piece) => openCandidates(search.database, search.catalog, piece))
  const words: string[] = []
  let spent = 0
  const isEnough = (looked: number): boolean =>
    looked % PLACES_ENOUGH === 0 && closeSpellings(folded, words, CLOSE_SPELLINGS).length > 0
  const look = (stretch: Stretch, wanted: readonly Candidates[]): boolean => {
    const start = performance.now()
    for (const stored of search.messages.texts(stretch))
      for (const piece of wanted) words.push(...wordsWith(piece, stored))
    const end = performance.now()
    spent += end - start
    return spent <= SPELLING_BUDGET_MS && end <= until
  }

  const waiting = new Map<string, Stretch>()
  for (const piece of pieces) {
    const share = (spent + SPELLING_BUDGET_MS) / 2
    const possible = possibleSessions(search.catalog, inScope, [piece])
    let looked = 0
    sessions: for (let entry = possible.next(); entry !== undefined; entry = possible.next()) {
      if (piece.isTitled(entry.key)) words.push(...wordsAround(entry.foldedTitle, piece.folded))
      const tail = new Set((places.tail.get(entry.key) ?? []).map(nameOf))
      for (const stretch of piece.stretchesIn(entry.key)) {
        if (tail.has(nameOf(stretch))) {
          waiting.set(nameOf(stretch), stretch)
          continue
        }
        // Something is left for the other parts and for what waits.
        const goesOn = look(stretch, [piece]) && spent <= share && !isEnough(++looked)
        yield "pause"
        if (!goesOn) break sessions
      }
    }
  }
  let looked = 0
  for (const stretch of waiting.values()) {
    const goesOn = look(stretch, pieces) && !isEnough(++looked)
    yield "pause"
    if (!goesOn) break
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
