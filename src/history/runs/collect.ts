import { fold, foldsPlainly } from "../../text/fold.ts"
import {
  endsCharacter,
  FIVE,
  FOUR,
  GRAM_COUNT,
  hashedTriple,
  JOINT,
  longOf,
  PAIRS,
  SIX,
  tripleOf,
  WORD,
} from "./grams.ts"

// Collects the grams of texts, block by block. Most of the time of sealing is spent here. Pure.

const encoder = new TextEncoder()

/** Which blocks hold each gram: those of gram `g` are `blocks[starts[g]]` to before `blocks[starts[g + 1]]`, ascending. */
export type GramLists = { readonly starts: Uint32Array; readonly blocks: Uint16Array }

export type GramCollector = {
  /** A text of the current block, folded or not. */
  add(text: string): void
  endBlock(): void
  lists(): GramLists
}

/** What collecting works in: 30 MB after a full tail. Made anew for every tail, a build takes a tenth longer. */
export type GramScratch = {
  readonly seen: Uint8Array
  readonly starts: Uint32Array
  readonly next: Uint32Array
  bytes: Uint8Array
  grams: Uint32Array
  blocks: Uint16Array
}

export function createGramScratch(): GramScratch {
  return {
    seen: new Uint8Array(GRAM_COUNT),
    starts: new Uint32Array(GRAM_COUNT + 1),
    next: new Uint32Array(GRAM_COUNT + 1),
    bytes: new Uint8Array(64 * 1024),
    grams: new Uint32Array(0),
    blocks: new Uint16Array(0),
  }
}

/**
 * Collects the grams of at most 65,534 blocks; about 25 kB of memory for each. `units`: about how much text will come.
 * The lists are the scratch's: they hold until somebody collects in it again.
 */
export function createGramCollector(units: number, scratch = createGramScratch()): GramCollector {
  // Per gram the last block that was seen to hold it: its number from 1, starting again behind 255.
  const seen = scratch.seen.fill(0)
  const ends: number[] = []
  let used = 0

  const makeRoom = (count: number): void => {
    const { grams } = scratch
    if (count <= grams.length) return
    scratch.grams = new Uint32Array(Math.max(grams.length * 2, count))
    scratch.grams.set(grams)
  }
  // A list that grows is copied as often as it doubles.
  makeRoom(Math.ceil(units * GRAMS_A_UNIT))

  const encode = (text: string): number => {
    if (scratch.bytes.length < text.length * 3) scratch.bytes = new Uint8Array(text.length * 3)
    return encoder.encodeInto(text, scratch.bytes).written
  }

  return {
    add: (text) => {
      let length = encode(text)
      // Capitals of ASCII are taken as small letters below: few texts hold others, and folding costs a tenth of the work.
      if (length > text.length && !foldsPlainly(text)) length = encode(fold(text))
      makeRoom(used + Math.min(length * MOST_GRAMS_A_BYTE, GRAM_COUNT))
      used = markGrams(scratch.bytes, length, seen, (ends.length % 255) + 1, scratch.grams, used)
    },
    endBlock: () => {
      if (ends.push(used) % 255 === 0) seen.fill(0)
    },
    lists: () => sortByGram(scratch, used, ends),
  }
}

/** Grams that a block has not shown yet come with every other character of most texts. */
const GRAMS_A_UNIT = 0.5

/** One, two, three and a longer sequence of bytes end at a byte. */
const MOST_GRAMS_A_BYTE = 4

/**
 * Appends the grams that the block has not shown yet; the new end of the list. A function of its own with numbers
 * only: inside a closure JavaScriptCore takes six times as long. Which triples and which sequences of four are new, a
 * quarter of them, no processor foretells: those are appended without a branch.
 */
function markGrams(
  bytes: Uint8Array,
  length: number,
  seen: Uint8Array,
  block: number,
  list: Uint32Array,
  used: number,
): number {
  let end = used
  let before = 0
  let four = 0
  let words = 0
  for (let at = 0; at < length; at++) {
    const byte = SMALL[bytes[at] ?? 0] ?? 0
    before = ((before << 8) | (four >>> 24)) & 0xffff
    four = (four << 8) | byte
    words = ((words << 1) | (WORD[byte] ?? 0)) & SIX
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
    // No character of three bytes ends in ASCII.
    const isASCII = byte < 0x80
    const three = isASCII ? hashedTriple(four & 0xffffff) : tripleOf(four & 0xffffff)
    list[end] = three
    end += differ(seen[three] ?? 0, block)
    seen[three] = block
    if (isASCII && (words & FOUR) === FOUR) {
      const long = longOf(0, four)
      list[end] = long
      end += differ(seen[long] ?? 0, block)
      seen[long] = block
    } else if ((words & FIVE) === JOINT || (!isASCII && words === SIX && endsCharacter(bytes, at, length))) {
      const long = longOf(words === SIX ? before : before & 0xff, four)
      if (seen[long] !== block) {
        seen[long] = block
        list[end++] = long
      }
    }
  }
  return end
}

/** Counting sort: by gram, the blocks of each in order. */
function sortByGram(scratch: GramScratch, used: number, ends: readonly number[]): GramLists {
  if (scratch.blocks.length < used) scratch.blocks = new Uint16Array(used)
  const { grams, blocks, next } = scratch
  const starts = scratch.starts.fill(0)
  for (let at = 0; at < used; at++) {
    const next = (grams[at] ?? 0) + 1
    starts[next] = (starts[next] ?? 0) + 1
  }
  let sum = 0
  for (let gram = 0; gram <= GRAM_COUNT; gram++) {
    sum += starts[gram] ?? 0
    starts[gram] = sum
  }
  next.set(starts)
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

/** 1 when two bytes differ, else 0; without a branch. */
function differ(one: number, other: number): number {
  return ((one ^ other) + 255) >>> 8
}

/** A byte, or that of the small letter for a capital of ASCII. */
const SMALL = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte,
)
