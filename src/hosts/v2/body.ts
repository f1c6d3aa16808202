// An answer of the service as text, without the contents of attachments: they lie in messages as base64, up to
// 20 MiB each, and nobody here reads them. They are dropped while they arrive, so that memory holds the rest.

/** What is kept of an attachment's content: enough to tell that it is base64 and nothing else. */
export const DATA_KEPT_BYTES = 4 * 1024

/** The text of one answer without attachments. A page of long tool results takes a tenth of it. */
export const TEXT_MAX_BYTES = 64 * 1024 * 1024

export type Body = {
  /** Undefined when it is longer than `TEXT_MAX_BYTES`; the rest was not fetched then. */
  readonly text: string | undefined
  /** Bytes that came, dropped ones included. */
  readonly bytes: number
}

/** Reads an answer to its end, or to the bound. Rejects as the connection does. */
export async function readBody(answer: Response): Promise<Body> {
  if (answer.body === null) return { text: "", bytes: 0 }
  const stream: AsyncIterable<Uint8Array> = answer.body
  const decoder = new TextDecoder()
  const drop = withoutData()
  let text = ""
  let bytes = 0
  let kept = 0
  for await (const chunk of stream) {
    bytes += chunk.byteLength
    for (const piece of drop(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))) {
      kept += piece.byteLength
      text += decoder.decode(piece, { stream: true })
    }
    if (kept > TEXT_MAX_BYTES) return { text: undefined, bytes }
  }
  for (const piece of drop(undefined)) text += decoder.decode(piece, { stream: true })
  return { text: text + decoder.decode(), bytes }
}

/** Inside of a JSON text every quote is escaped, so these bytes are the end of a key and the start of its text. */
const KEY = Buffer.from('"data":"')
const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * Takes a JSON text piece by piece, undefined at its end, and gives back what is to be kept of it: all but what
 * follows the first `DATA_KEPT_BYTES` of a text named "data" that is base64 so far.
 */
export function withoutData(): (chunk: Buffer | undefined) => Buffer[] {
  let held = Buffer.alloc(0)
  /** Bytes of a "data" text so far; undefined outside of one. */
  let seen: number | undefined

  return (chunk) => {
    if (chunk === undefined) return [held]
    const input = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    held = Buffer.alloc(0)
    const kept: Buffer[] = []
    let at = 0
    while (at < input.length) {
      if (seen === undefined) {
        const key = input.indexOf(KEY, at)
        // A key may be split between two pieces.
        const end = key === -1 ? Math.max(at, input.length - KEY.length + 1) : key + KEY.length
        kept.push(input.subarray(at, end))
        if (key === -1) {
          held = Buffer.from(input.subarray(end))
          return kept
        }
        seen = 0
        at = end
      } else if (seen < DATA_KEPT_BYTES) {
        const end = base64End(input, at, Math.min(input.length, at + DATA_KEPT_BYTES - seen))
        kept.push(input.subarray(at, end.at))
        seen = end.isBase64 ? seen + end.at - at : undefined
        at = end.at
      } else {
        at = textEnd(input, at)
        if (at < input.length) seen = undefined
      }
    }
    return kept
  }
}

/** Where base64 ends, at `to` at the latest. */
function base64End(input: Buffer, from: number, to: number): { at: number; isBase64: boolean } {
  for (let at = from; at < to; at++) if (!isBase64(input[at] ?? 0)) return { at, isBase64: false }
  return { at: to, isBase64: true }
}

function isBase64(byte: number): boolean {
  const isLetter = (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)
  return isLetter || (byte >= 0x30 && byte <= 0x39) || byte === 0x2b || byte === 0x2f || byte === 0x3d
}

/** The end of the text: base64 has no escapes, so with one it is something else, and kept from there. */
function textEnd(input: Buffer, from: number): number {
  const quote = input.indexOf(QUOTE, from)
  const end = quote === -1 ? input.length : quote
  const escape = input.subarray(from, end).indexOf(BACKSLASH)
  return escape === -1 ? end : from + escape
}
