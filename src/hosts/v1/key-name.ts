// A folder's name as a part of a permission key. V1 keeps what is allowed "always" as a rule, and reads a rule's key as
// a pattern: `*` and `?` stand for other names there, and a backslash for a slash. So no name may hold one, and no two
// folders may have the same.

/** Between the folders of one key. */
export const FOLDER_SEPARATOR = ", "

/**
 * The name on one line, different for every folder, without a character that V1's patterns or a terminal take as
 * another. Characters that would be are written as in a web address: `a*b` is `a%2Ab`.
 */
export function keyName(folder: string, platform: NodeJS.Platform = process.platform): string {
  // On Windows the backslash is what parts folders, and both slashes mean the same.
  return folder.replaceAll(platform === "win32" ? UNSAFE : UNSAFE_OR_BACKSLASH, escaped)
}

// Patterns, the comma of a list, what reads as an escape already, lone surrogates, and the control and direction
// characters that a terminal does not show.
const SPECIAL = "[*?\\p{Cc}\\p{Cf}\\p{Cs}\\u2028\\u2029]|%(?=u|[0-9A-Fa-f]{2})|,(?= )|^[ ]|[ ]$"
const UNSAFE = new RegExp(SPECIAL, "gu")
const UNSAFE_OR_BACKSLASH = new RegExp(`${SPECIAL}|\\\\`, "gu")

function escaped(character: string): string {
  const code = character.charCodeAt(0)
  if (code < 0x80) return `%${code.toString(16).toUpperCase().padStart(2, "0")}`
  if (!character.isWellFormed()) return `%u${code.toString(16).toUpperCase()}`
  return encodeURIComponent(character)
}
