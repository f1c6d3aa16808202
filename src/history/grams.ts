import { fold } from "../text/fold.ts"

// The two filters in front of every exact comparison. Words of three characters and more are narrowed by the
// full-text index, shorter ones by a small bit map a session. Both may let a text through that does not hold the
// word, never keep one back that does. Pure.

/** Trigrams of a long phrase that are looked up; more narrow nothing and cost a look-up each. */
export const MAX_TRIGRAMS = 16

/** 32,768 bits: a session of 100 KB sets about 6 % of them, and 5,000 sessions cost 20 MB. */
export const GRAM_BYTES = 4_096

/** The full-text expression every text with the folded word matches; undefined for words too short for it. */
export function trigramQuery(folded: string): string | undefined {
  const characters = Array.from(folded)
  if (characters.length < 3) return undefined
  const all = new Set<string>()
  for (let at = 0; at + 3 <= characters.length; at++) all.add(characters.slice(at, at + 3).join(""))
  return evenly([...all], MAX_TRIGRAMS)
    .map((trigram) => `"${trigram.replaceAll('"', '""')}"`)
    .join(" AND ")
}

/** True when the trigram filter alone decides: the word is one trigram. */
export function isOneTrigram(folded: string): boolean {
  return Array.from(folded).length === 3
}

/** Sets the bits of the folded text's units and pairs of units. */
export function addGrams(bits: Uint8Array, folded: string): void {
  let before = 0
  for (let at = 0; at < folded.length; at++) {
    const unit = folded.charCodeAt(at)
    setBit(bits, hash(0, unit))
    if (at > 0) setBit(bits, hash(before, unit))
    before = unit
  }
}

/** False only when no text of these bits holds the folded word. */
export function mayHold(bits: Uint8Array, folded: string): boolean {
  for (let at = 0; at < folded.length; at++) {
    if (!hasBit(bits, hash(0, folded.charCodeAt(at)))) return false
    if (at > 0 && !hasBit(bits, hash(folded.charCodeAt(at - 1), folded.charCodeAt(at)))) return false
  }
  return true
}

/** The folded form words are compared in. */
export function foldWord(word: string): string {
  return fold(word.toWellFormed().replaceAll("\0", "\uFFFD"))
}

function evenly(values: readonly string[], count: number): readonly string[] {
  if (values.length <= count) return values
  const step = (values.length - 1) / (count - 1)
  return Array.from({ length: count }, (_, at) => values[Math.round(at * step)] ?? "")
}

function hash(first: number, second: number): number {
  return (Math.imul(first * 0x10001 + second + 1, 0x9e3779b1) >>> 17) & (GRAM_BYTES * 8 - 1)
}

function setBit(bits: Uint8Array, at: number): void {
  bits[at >>> 3] = (bits[at >>> 3] ?? 0) | (1 << (at & 7))
}

function hasBit(bits: Uint8Array, at: number): boolean {
  return ((bits[at >>> 3] ?? 0) & (1 << (at & 7))) !== 0
}
