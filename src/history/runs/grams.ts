import { fold } from "../../text/fold.ts"

// Which sequences of one, two and three bytes a folded text holds, and some longer ones, as numbers. A text that holds
// a word holds all grams of the word; the opposite is decided by comparing. Bytes of UTF-8, so that one character of
// Chinese is three bytes and needs nothing of its own. Pure.

/** Numbers of pairs begin here, behind those of single bytes. */
export const PAIRS = 256
const TRIPLES = PAIRS + 256 * 256

/** Triples share 2^18 numbers: of the 25,000 that occur in 16 MB of text, one in ten shares its own with another. */
const TRIPLE_BITS = 18

/**
 * Some longer sequences: all of five bytes around the end of a word (`rn aw` of "return await"), and of those of six
 * bytes within words the half whose hash says so. Triples cannot tell a phrase of common words, or a long name of
 * common pieces, from a text that holds the pieces apart; these do, for half as many grams again.
 */
export const LONGS = TRIPLES + 2 ** TRIPLE_BITS
export const LONG_BITS = 18

/** Triples that are a character of their own have numbers of their own: a word of one such character is a gram. */
const CHARACTERS = LONGS + 2 ** LONG_BITS

/** All numbers are below this; they fit in 20 bits. */
export const GRAM_COUNT = CHARACTERS + 2 ** 16

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
  const longs = new Set<number>()
  let before = 0
  let four = 0
  let words = 0
  for (const [at, byte] of bytes.entries()) {
    before = ((before << 8) | (four >>> 24)) & 0xffff
    four = (four << 8) | byte
    words = ((words << 1) | (WORD[byte] ?? 0)) & SIX
    if (at > 1) triples.add(tripleOf(four & 0xffffff))
    const long = longOf(words, before, four)
    if (long > 0) longs.add(long)
  }
  return [...evenly([...longs], MAX_WORD_GRAMS), ...evenly([...triples], MAX_WORD_GRAMS)]
}

/** True for a word that is a gram itself, a pair or a character: a text with the gram holds the word. */
export function isExact(folded: string): boolean {
  const { length } = encoder.encode(folded)
  return length <= 2 || (length === 3 && folded.length === 1)
}

/** The folded form words are compared in. */
export function foldWord(word: string): string {
  return fold(word.toWellFormed().replaceAll("\0", "\uFFFD"))
}

export function tripleOf(bytes: number): number {
  if ((bytes & 0xf0c0c0) === 0xe08080)
    return CHARACTERS + (((bytes >> 4) & 0xf000) | ((bytes >> 2) & 0x0fc0) | (bytes & 0x3f))
  return hashedTriple(bytes)
}

export function hashedTriple(bytes: number): number {
  return TRIPLES + (Math.imul(bytes, 0x9e3779b1) >>> (32 - TRIPLE_BITS))
}

/** The gram of the bytes `before` and `four`, or 0; `words` has a bit for each, set for those of words. */
function longOf(words: number, before: number, four: number): number {
  if (words === SIX) {
    const hash = hashOf(before, four)
    return isKept(hash) === 1 ? LONGS + (hash >>> (32 - LONG_BITS)) : 0
  }
  return (words & FIVE) === JOINT ? LONGS + (hashOf(before & 0xff, four) >>> (32 - LONG_BITS)) : 0
}

/** 1 for the half of the longer sequences within words that are grams, 0 for the others. */
export function isKept(hash: number): number {
  return ~(hash >>> (31 - LONG_BITS)) & 1
}

export function hashOf(before: number, four: number): number {
  return Math.imul(four ^ Math.imul(before, 0x85ebca6b), 0x9e3779b1)
}

/** 1 for bytes of words: letters, digits, and all that are not ASCII. */
export const WORD = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 || /[a-z0-9]/.test(String.fromCharCode(byte)) ? 1 : 0,
)

export const SIX = 0b111111
export const FIVE = 0b11111
/** Two bytes of a word, one of none, two of a word. */
export const JOINT = 0b11011

function evenly(values: readonly number[], count: number): readonly number[] {
  if (values.length <= count) return values
  const step = (values.length - 1) / (count - 1)
  return Array.from({ length: count }, (_, at) => values[Math.round(at * step)] ?? 0)
}
