import { constants } from "node:fs"
import { open } from "node:fs/promises"

// V2 finds an attachment's kind from its bytes. Text that begins like a picture refuses the whole prompt, and text that
// is not UTF-8 is left out without a word. So only a file that is plainly text is attached as a file; what is sent as
// text instead is made to be text.

/** A larger file goes along as text; the host itself refuses those over 20 MiB, also for a few of their lines. */
export const CHECKED_MAX_BYTES = 1024 * 1024

/** Share of control bytes above which the host takes bytes for no text. */
export const CONTROLS_MAX = 0.3

/** Bytes the host looks at to tell a picture or PDF. */
const START_BYTES = 16

const SIGNATURES: readonly (readonly [at: number, bytes: string])[] = [
  [0, "\x89PNG"],
  [0, "\xff\xd8\xff"],
  [0, "GIF8"],
  [0, "BM"],
  [0, "%PDF-"],
  [0, "RIFF"],
  [4, "ftyp"],
  // Byte order marks of UTF-16.
  [0, "\xff\xfe"],
  [0, "\xfe\xff"],
]

/** What may keep a file from being attached as it is: nothing, its size, or its bytes. */
export type Attachable = "text" | "too large" | "not UTF-8" | "other"

/** Judges a file as the host will. Never throws; what cannot be read is "other". */
export async function attachable(path: string): Promise<Attachable> {
  try {
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const info = await file.stat()
      if (!info.isFile()) return "other"
      if (info.size > CHECKED_MAX_BYTES) return "too large"
      // One byte more: a file that grew since is too large.
      const buffer = Buffer.alloc(info.size + 1)
      let length = 0
      for (let read = 1; read > 0 && length < buffer.length; length += read)
        read = (await file.read(buffer, length, buffer.length - length, length)).bytesRead
      return length > info.size ? "too large" : kindOf(buffer.subarray(0, length))
    } finally {
      await file.close()
    }
  } catch {
    return "other"
  }
}

/** What the host takes these bytes for. */
export function kindOf(bytes: Uint8Array): Exclude<Attachable, "too large"> {
  const start = Buffer.from(bytes.subarray(0, START_BYTES)).toString("latin1")
  if (SIGNATURES.some(([at, signature]) => start.startsWith(signature, at))) return "other"
  if (!isUtf8(bytes)) return "not UTF-8"
  let controls = 0
  for (const byte of bytes) {
    if (byte === 0) return "other"
    if (isControl(byte)) controls++
  }
  return controls > bytes.length * CONTROLS_MAX ? "other" : "text"
}

/**
 * The text so that the host takes it for text: behind a line break where it begins like a picture, with U+FFFD for what
 * no text may hold.
 */
export function asText(text: string): string {
  const kind = kindOf(Buffer.from(text))
  if (kind === "text") return text
  // oxlint-disable-next-line no-control-regex -- these are what is replaced
  const printable = text.replaceAll(/[\0-\x08\x0e-\x1f]/g, "\ufffd")
  return kindOf(Buffer.from(printable)) === "text" ? printable : `\n${printable}`
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/** Tab to carriage return are none. */
function isControl(byte: number): boolean {
  return byte < 9 || (byte > 13 && byte < 32)
}
