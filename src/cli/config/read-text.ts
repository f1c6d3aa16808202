import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs"

// The text of a config file. A pipe or device would block for ever, and a byte that is not UTF-8 would be written back
// as another one: both are refused.

/** A config of people is a few KiB; one that is larger is something else. */
export const MAX_CONFIG_BYTES = 4 * 1024 * 1024

/** The whole text, a byte order mark included. Throws one line: no file, not readable, too large, not UTF-8. */
export function readText(path: string): string {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stat = fstatSync(file)
    if (!stat.isFile()) throw new Error("it is no regular file; put a file there, or remove it")
    if (stat.size > MAX_CONFIG_BYTES)
      throw new Error(`it is larger than ${MAX_CONFIG_BYTES} bytes; make it smaller`)
    const bytes = readFileSync(file)
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
    } catch {
      throw new Error("it holds a byte that is not UTF-8; save it as UTF-8")
    }
  } finally {
    closeSync(file)
  }
}
