import { stripAnsi } from "../../text/ansi.ts"
import { maskSecrets } from "../../text/secrets.ts"
import { repairText } from "../../text/unicode.ts"

// A host's texts as the index keeps them: titles, folders, paths and what was said go through this one door.
// Ids stay as they are: they are what the host is asked with.

/** Without escape sequences, which would part words and hide secrets, repaired, and masked where that is asked for. */
export function storedText(text: string, mask: boolean): string {
  const plain = repairText(stripAnsi(text))
  return mask ? maskSecrets(plain).text : plain
}

/** A folder, or a pattern of some, as it is asked for and as an index that masks has it: either is meant. */
export function asStored(folder: string): readonly string[] {
  return [...new Set([folder, storedText(folder, true)])]
}
