import { fstatSync, writeSync } from "node:fs"

// Files are written whole. A disk that is nearly full takes a part of a text, and fails only when it is given the
// rest: Node's own stream for a redirected output forgets the rest and ends well.

/** Writes all of it, or throws what the machine refused. */
export function writeAll(file: number, text: string): void {
  for (let left = Buffer.from(text); left.length > 0;) left = left.subarray(writeSync(file, left))
}

/** Writes to a stream that is a file, and says whether it is one: terminals and pipes are written in their own way. */
export function writeToFile(stream: NodeJS.WriteStream & { readonly fd?: number }, text: string): boolean {
  const { fd } = stream
  if (fd === undefined || !fstatSync(fd).isFile()) return false
  try {
    writeAll(fd, text)
  } catch (error) {
    throw Object.assign(new Error(cannotWrite(error)), { syscall: "write", cause: error })
  }
  return true
}

/** What is said of an output that takes nothing more. */
export function cannotWrite(error: unknown): string {
  return `standard output cannot be written: ${error instanceof Error ? error.message : String(error)}`
}
