import { deflateRawSync } from "node:zlib"

// Deflating a text, in the raw form that every runtime can inflate.

/** The fastest. Bun's other library makes texts a quarter smaller than zlib at the same level, in about the time. */
const LEVEL = 1

/** The text's UTF-8 deflated. */
export function deflate(text: string): Uint8Array {
  return typeof Bun === "undefined"
    ? deflateRawSync(text, { level: LEVEL })
    : Bun.deflateSync(text, { level: LEVEL, library: "libdeflate" })
}
