// A word of a command line that a person pastes into a shell: bash, zsh, dash and fish read it as the same text.

import { isPrintable } from "./printable.ts"
import { REPLACEMENT } from "./unicode.ts"

/**
 * The text as one word. Control and invisible characters are written by their bytes (`$'\x0a'`, as bash and zsh read
 * it): raw, a terminal would act on them while they are pasted. Undefined for what cannot be written: a text that was
 * not Unicode is no longer known.
 */
export function shellWord(text: string): string | undefined {
  if (text.includes(REPLACEMENT) || text.includes("\0") || !text.isWellFormed()) return undefined
  if (PLAIN.test(text) || PLAIN_ON_WINDOWS.test(text)) return text
  if (!isPrintable(text)) return `$'${byBytes(text)}'`
  // fish reads a backslash between quotes as one that escapes: outside of them all shells mean the same.
  return `'${text.replaceAll(/['\\]/g, (mark) => `'\\${mark}'`)}'`
}

/** Nothing in it means anything to a shell. */
const PLAIN = /^[\w/.,:+@][\w/.,:+@%-]*$/

/** A path of Windows, whose own shells know no single quotes. */
const PLAIN_ON_WINDOWS = /^[A-Za-z]:\\[\w./:@\\-]*$/

/** Everything but plain characters as `\xHH` bytes of UTF-8: the one escape that every bash knows. */
function byBytes(text: string): string {
  let written = ""
  for (const character of text)
    written += /^[\w/., :+@%-]$/.test(character)
      ? character
      : [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("")
  return written
}
