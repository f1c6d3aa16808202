import { fold } from "../text/fold.ts"

// Which sequences of one, two and three bytes a folded text holds, and which where words meet, as numbers. A text that holds a word holds all
// grams of the word; the opposite is decided by comparing. Bytes of UTF-8, so that one character of Chinese is
// three bytes and needs nothing of its own. Pure.

/** Numbers of pairs begin here, behind those of single bytes. */
const PAIRS = 256
const TRIPLES = PAIRS + 256 * 256

/** Triples share 2^18 numbers: of the 25,000 that occur in 16 MB of text, one in ten shares its own with another. */
const TRIPLE_BITS = 18

/**
 * Some sequences of five bytes: all around the end of a word (`rn aw` of "return await"), and of those within words
 * the quarter whose number says so. Triples cannot tell a phrase of common words, or a long name of common pieces,
 * from a text that holds the pieces apart; fives do, for a third more grams.
 */
const FIVES = TRIPLES + 2 ** TRIPLE_BITS
const FIVE_BITS = 18

/** All numbers are below this; they fit in 20 bits. */
export const GRAM_COUNT = FIVES + 2 ** FIVE_BITS

/** Triples of a long phrase that are looked up; more narrow nothing and cost a look-up each. */
export const MAX_WORD_GRAMS = 16

const encoder = new TextEncoder()

/** The grams every text with the folded word holds; the longest ones, and of many an even choice. */
export function gramsOf(folded: string): readonly number[] {
  const bytes = encoder.encode(folded)
  const [first = 0, second = 0] = bytes
  if (bytes.length === 1) return [first]
  if (bytes.length === 2) return [PAIRS + (first << 8) + second]
  const triples = new Set<number>()
  const fives = new Set<number>()
  let four = 0
  let words = 0
  for (const [at, byte] of bytes.entries()) {
    const fifth = four >>> 24
    four = (four << 8) | byte
    words = ((words << 1) | (WORD[byte] ?? 0)) & 0b11111
    if (at > 1) triples.add(tripleOf(four & 0xffffff))
    const five = fiveOf(fifth, four)
    if (at > 3 && isKept(words, five)) fives.add(five)
  }
  return [...evenly([...fives], MAX_WORD_GRAMS), ...evenly([...triples], MAX_WORD_GRAMS)]
}

/** True for a word that is a gram itself: a text with the gram holds the word. */
export function isExact(folded: string): boolean {
  return encoder.encode(folded).length <= 2
}

/** The folded form words are compared in. */
export function foldWord(word: string): string {
  return fold(word.toWellFormed().replaceAll("\0", "\uFFFD"))
}

/** Which blocks hold each gram: those of gram `g` are `blocks[starts[g]]` to before `blocks[starts[g + 1]]`, ascending. */
export type GramLists = { readonly starts: Uint32Array; readonly blocks: Uint16Array }

export type GramCollector = {
  /** A folded text of the current block. */
  add(folded: string): void
  endBlock(): void
  lists(): GramLists
}

/** Collects the grams of at most 65,534 blocks; about 25 kB of memory for each. */
export function createGramCollector(): GramCollector {
  // Per gram the last block that was seen to hold it, counted from 1.
  const seen = new Uint16Array(GRAM_COUNT)
  const ends: number[] = []
  let grams = new Uint32Array(64 * 1024)
  let used = 0
  let buffer = new Uint8Array(64 * 1024)

  const makeRoom = (more: number): void => {
    if (used + more <= grams.length) return
    const larger = new Uint32Array(Math.max(grams.length * 2, used + more))
    larger.set(grams)
    grams = larger
  }

  return {
    add: (folded) => {
      if (buffer.length < folded.length * 3) buffer = new Uint8Array(folded.length * 3)
      const length = encoder.encodeInto(folded, buffer).written
      makeRoom(Math.min(length * MOST_GRAMS_A_BYTE, GRAM_COUNT))
      used = markGrams(buffer, length, seen, ends.length + 1, grams, used)
    },
    endBlock: () => void ends.push(used),
    lists: () => sortByGram(grams, used, ends),
  }
}

/** One, two, three and five bytes end at a byte. */
const MOST_GRAMS_A_BYTE = 4

/**
 * Appends the grams that the block has not shown yet; the new end of the list. A function of its own with numbers
 * only: inside a closure JavaScriptCore takes six times as long.
 */
function markGrams(
  bytes: Uint8Array,
  length: number,
  seen: Uint16Array,
  block: number,
  list: Uint32Array,
  used: number,
): number {
  let end = used
  let four = 0
  let words = 0
  for (let at = 0; at < length; at++) {
    const byte = bytes[at] ?? 0
    const fifth = four >>> 24
    four = (four << 8) | byte
    words = ((words << 1) | (WORD[byte] ?? 0)) & 0b11111
    // The text begins as if behind zeros: two grams more that nobody asks for.
    const two = PAIRS + (four & 0xffff)
    if (seen[two] !== block) {
      seen[two] = block
      list[end++] = two
      // A pair that was seen has shown its second byte too.
      if (seen[byte] !== block) {
        seen[byte] = block
        list[end++] = byte
      }
    }
    const three = tripleOf(four & 0xffffff)
    if (seen[three] !== block) {
      seen[three] = block
      list[end++] = three
    }
    const five = fiveOf(fifth, four)
    if (isKept(words, five) && seen[five] !== block) {
      seen[five] = block
      list[end++] = five
    }
  }
  return end
}

/** Counting sort: by gram, the blocks of each in order. */
function sortByGram(grams: Uint32Array, used: number, ends: readonly number[]): GramLists {
  const starts = new Uint32Array(GRAM_COUNT + 1)
  for (let at = 0; at < used; at++) {
    const next = (grams[at] ?? 0) + 1
    starts[next] = (starts[next] ?? 0) + 1
  }
  let sum = 0
  for (let gram = 0; gram <= GRAM_COUNT; gram++) {
    sum += starts[gram] ?? 0
    starts[gram] = sum
  }
  const next = starts.slice()
  const blocks = new Uint16Array(used)
  for (let number = 0, at = 0; number < ends.length; number++) {
    const end = ends[number] ?? 0
    for (; at < end; at++) {
      const gram = grams[at] ?? 0
      const place = next[gram] ?? 0
      next[gram] = place + 1
      blocks[place] = number
    }
  }
  return { starts, blocks }
}

function tripleOf(bytes: number): number {
  return TRIPLES + (Math.imul(bytes, 0x9e3779b1) >>> (32 - TRIPLE_BITS))
}

/** `first` and the four bytes behind it. */
function fiveOf(first: number, four: number): number {
  return FIVES + (Math.imul(four ^ Math.imul(first, 0x85ebca6b), 0x9e3779b1) >>> (32 - FIVE_BITS))
}

/** `words`: a bit for each of the five bytes, set for those of words. */
function isKept(words: number, five: number): boolean {
  return words === JOINT || (words === WITHIN && (five & 3) === 0)
}

/** 1 for bytes of words: letters, digits, and all that are not ASCII. */
const WORD = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 || /[a-z0-9]/.test(String.fromCharCode(byte)) ? 1 : 0,
)

/** Two bytes of a word, one of none, two of a word. */
const JOINT = 0b11011
const WITHIN = 0b11111

function evenly(values: readonly number[], count: number): readonly number[] {
  if (values.length <= count) return values
  const step = (values.length - 1) / (count - 1)
  return Array.from({ length: count }, (_, at) => values[Math.round(at * step)] ?? 0)
}
