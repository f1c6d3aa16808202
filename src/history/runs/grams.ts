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
 * Some longer sequences: four bytes within a word, where the last is ASCII; six within a word at the end of any other
 * character, which are two of Japanese or three of Russian; five around the end of a word (`rn aw` of "return await").
 * Triples cannot tell a slip of the pen, a phrase of common words or a long name of common pieces from a text that holds
 * the pieces apart; these do, for nearly as many grams again.
 */
const LONGS = TRIPLES + 2 ** TRIPLE_BITS
const LONG_BITS = 19

/** Triples that are a character of their own have numbers of their own: a word of one such character is a gram. */
const CHARACTERS = LONGS + 2 ** LONG_BITS

/** All numbers are below this; they fit in 20 bits. */
export const GRAM_COUNT = CHARACTERS + 2 ** 16

/** Grams of each kind that are looked up of a long phrase; more narrow nothing and cost a look-up each. */
export const MAX_WORD_GRAMS = 16

const encoder = new TextEncoder()

/** The grams every text with the folded word holds: what tells most comes first, and of many there is an even choice. */
export function gramsOf(folded: string): readonly number[] {
  const bytes = encoder.encode(folded)
  const [first = 0, second = 0] = bytes
  if (bytes.length === 1) return [first]
  if (bytes.length === 2) return [PAIRS + (first << 8) + second]
  const triples = new Set<number>()
  const inner = new Set<number>()
  const joints = new Set<number>()
  let before = 0
  let four = 0
  let words = 0
  for (const [at, byte] of bytes.entries()) {
    before = ((before << 8) | (four >>> 24)) & 0xffff
    four = (four << 8) | byte
    words = ((words << 1) | (WORD[byte] ?? 0)) & SIX
    if (at > 1) triples.add(tripleOf(four & 0xffffff))
    if (byte < 0x80 && (words & FOUR) === FOUR) inner.add(longOf(0, four))
    if (byte >= 0x80 && words === SIX && endsCharacter(bytes, at, bytes.length))
      inner.add(longOf(before, four))
    if ((words & FIVE) === JOINT) joints.add(longOf(before & 0xff, four))
  }
  return [joints, inner, triples].flatMap((grams) => evenly([...grams], MAX_WORD_GRAMS))
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

/** The gram of a longer sequence: its last four bytes, and those before. */
export function longOf(before: number, four: number): number {
  return LONGS + (Math.imul(four ^ Math.imul(before, 0x85ebca6b), 0x9e3779b1) >>> (32 - LONG_BITS))
}

/** True when the byte is the last of a character; of no ASCII. */
export function endsCharacter(bytes: Uint8Array, at: number, length: number): boolean {
  return at + 1 >= length || ((bytes[at + 1] ?? 0) & 0xc0) !== 0x80
}

/** 1 for bytes of words: letters, digits, and all that are not ASCII. */
export const WORD = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 || /[a-z0-9]/.test(String.fromCharCode(byte)) ? 1 : 0,
)

export const SIX = 0b111111
export const FIVE = 0b11111
export const FOUR = 0b1111
/** Two bytes of a word, one of none, two of a word. */
export const JOINT = 0b11011

function evenly(values: readonly number[], count: number): readonly number[] {
  if (values.length <= count) return values
  const step = (values.length - 1) / (count - 1)
  return Array.from({ length: count }, (_, at) => values[Math.round(at * step)] ?? 0)
}
