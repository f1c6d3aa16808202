// Numbers as bytes: seven bits a byte, the last byte below 128. Those of a run are below 2^21, for a bit map has at most
// 8,192 bytes.

/** The number written at a place. */
export function numberAt(body: Uint8Array, at: number): number {
  let byte = body[at] ?? 0
  let value = byte & 0x7f
  for (let next = at + 1, shift = 7; byte >= 0x80; next++, shift += 7) {
    byte = body[next] ?? 0
    value |= (byte & 0x7f) << shift
  }
  return value
}

/** How many bytes `putNumber` writes. */
export function bytesOf(value: number): number {
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : 3
}

/** Writes a number; the place behind it. */
export function putNumber(out: Uint8Array, at: number, value: number): number {
  let end = at
  let rest = value
  while (rest >= 0x80) {
    out[end++] = (rest & 0x7f) | 0x80
    rest >>>= 7
  }
  out[end++] = rest
  return end
}
