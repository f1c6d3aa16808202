import { lstat } from "node:fs/promises"
import { composed } from "../text/compose.ts"

// A file system may hold `é` as one character or as `e` with a mark, and takes them for two names (macOS stores one and
// takes both). Which one was typed nobody sees: the other is tried too.

/** Spellings of a text that look the same: as written, composed, taken apart. */
export function equivalents(text: string): readonly string[] {
  const whole = composed(text)
  const apart = text.length > LONGEST_NAME ? whole : whole.normalize("NFD")
  return [...new Set([text, whole, apart])]
}

/** No file system has longer names; taking apart is bounded by it. */
const LONGEST_NAME = 4_096

/**
 * The path of a file or folder that is there and spelt equivalently; undefined when there is none, or none but the path as
 * written. Each segment is tried by itself: a folder and its file may be spelt differently.
 */
export async function equivalentPath(path: string, separator: string): Promise<string | undefined> {
  if (equivalents(path).length === 1) return undefined
  const [root = "", ...segments] = path.split(separator)
  let found = root
  for (const segment of segments) {
    let next: string | undefined
    for (const name of equivalents(segment)) {
      next = `${found}${separator}${name}`
      if (await exists(next)) break
      next = undefined
    }
    if (next === undefined) return undefined
    found = next
  }
  return found === path ? undefined : found
}

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}
