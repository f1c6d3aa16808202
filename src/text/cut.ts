// A cut never returns text alone: it says whether and how much was cut. No cut falls inside a character.

import { boundaryBefore } from "./unicode.ts"

/** What was kept, and how much there was; sizes in UTF-16 units. */
export type Cut = {
  readonly text: string
  readonly cut: boolean
  readonly totalUnits: number
  readonly keptUnits: number
}

export type ByteCut = Cut & { readonly totalBytes: number; readonly keptBytes: number }

/** The first `maxUnits` UTF-16 units. */
export function cutUnits(text: string, maxUnits: number): Cut {
  return cutAt(text, maxUnits >= text.length ? text.length : boundaryBefore(text, maxUnits))
}

/** The longest start of the text that takes at most `maxBytes` bytes as UTF-8. */
export function cutBytes(text: string, maxBytes: number): ByteCut {
  return cutBySize(text, maxBytes, (part) => Buffer.byteLength(part), utf8Bytes)
}

/** The longest start of the text that takes at most `maxBytes` bytes of UTF-8 inside a JSON string, quotes not counted. */
export function cutJsonBytes(text: string, maxBytes: number): ByteCut {
  return cutBySize(text, maxBytes, jsonBytes, (code) => utf8Bytes(code) + escapeBytes(code))
}

/** The bytes of UTF-8 that the text takes inside a JSON string, quotes not counted. */
export function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2
}

function cutBySize(
  text: string,
  maxBytes: number,
  sizeOf: (text: string) => number,
  size: (code: number) => number,
): ByteCut {
  const totalBytes = sizeOf(text)
  if (totalBytes <= maxBytes) return { ...cutAt(text, text.length), totalBytes, keptBytes: totalBytes }
  const end = boundaryBefore(text, endWithin(text, maxBytes, size))
  return { ...cutAt(text, end), totalBytes, keptBytes: sizeOf(text.slice(0, end)) }
}

/** The first place where the characters before it and the next one no longer fit. */
function endWithin(text: string, maxBytes: number, size: (code: number) => number): number {
  let bytes = 0
  for (let at = 0; at < text.length;) {
    const code = text.codePointAt(at) ?? 0
    bytes += size(code)
    if (bytes > maxBytes) return at
    at += code > 0xffff ? 2 : 1
  }
  return text.length
}

function cutAt(text: string, end: number): Cut {
  return { text: text.slice(0, end), cut: end < text.length, totalUnits: text.length, keptUnits: end }
}

function utf8Bytes(code: number): number {
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
}

/** What JSON.stringify adds to a character: `\n` is one byte more than a line feed, `\u0001` five. */
function escapeBytes(code: number): number {
  if (code === 0x22 || code === 0x5c) return 1
  if (code >= 0xd800 && code <= 0xdfff) return 3
  if (code >= 0x20) return 0
  return (code >= 0x08 && code <= 0x0a) || code === 0x0c || code === 0x0d ? 1 : 5
}
