import { randomBytes } from "node:crypto"

// V1 orders the parts of a message by id, in the list it stores and in the request to the model. An id is
// `prt_`, 12 hex digits (the low 48 bits of milliseconds * 4096 + counter) and 14 letters and digits.

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const mask = (1n << 48n) - 1n

/** `count` part ids that sort after every id of `existing` and after each other. */
export function partIDsAfter(existing: readonly string[], count: number, now: number): string[] {
  const clock = (BigInt(now) * 4096n) & mask
  const start = existing
    .map(positionOf)
    .reduce((highest, value) => (value > highest ? value : highest), clock)
  return Array.from({ length: count }, (_, index) => {
    const hex = ((start + BigInt(index) + 1n) & mask).toString(16).padStart(12, "0")
    return `prt_${hex}${randomTail()}`
  })
}

function positionOf(id: string): bigint {
  const hex = /^prt_([0-9a-f]{12})/.exec(id)?.[1]
  return hex === undefined ? 0n : BigInt(`0x${hex}`)
}

function randomTail(): string {
  return Array.from(randomBytes(14), (byte) => digits[byte % digits.length]).join("")
}
