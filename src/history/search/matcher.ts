import { fold, findFolded, plainPattern, type Range } from "../../text/fold.ts"

// One word compared with stored texts: exact, whatever a filter in front of it let through. Pure.

export type Matcher = {
  readonly folded: string
  /** True when the text holds the word; `plain` as `foldsPlainly` says of the text. */
  isIn(text: string, plain: boolean): boolean
  /** The first place of the word. */
  placeIn(text: string, plain: boolean): Range | undefined
}

/** A longer word is compared by folding the text: engines refuse patterns of a megabyte. */
export const MAX_PATTERN_UNITS = 1_000

export function createMatcher(folded: string): Matcher {
  const isLong = folded.length > MAX_PATTERN_UNITS
  // Without letters of ASCII there are no capitals to care for in a plain text.
  const pattern = !isLong && /[a-z]/.test(folded) ? plainPattern(folded) : undefined
  const indexIn = (text: string): number =>
    pattern === undefined ? text.indexOf(folded) : text.search(pattern)
  return {
    folded,
    isIn: (text, plain) => {
      if (!plain || isLong) return fold(text).includes(folded)
      return pattern === undefined ? text.includes(folded) : pattern.test(text)
    },
    placeIn: (text, plain) => {
      if (!plain || isLong) return findFolded(text, folded)
      const start = indexIn(text)
      return start < 0 ? undefined : { start, end: start + folded.length }
    },
  }
}
