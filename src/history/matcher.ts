import { fold, findFolded, plainPattern, type Range } from "../text/fold.ts"

// One word compared with stored texts: exact, whatever a filter in front of it let through. Pure.

export type Matcher = {
  readonly folded: string
  /** True when the text holds the word; `plain` as `foldsPlainly` says of the text. */
  isIn(text: string, plain: boolean): boolean
  /** The first place of the word. */
  placeIn(text: string, plain: boolean): Range | undefined
}

export function createMatcher(folded: string): Matcher {
  // Without letters of ASCII there are no capitals to care for in a plain text.
  const pattern = /[a-z]/.test(folded) ? plainPattern(folded) : undefined
  const indexIn = (text: string): number =>
    pattern === undefined ? text.indexOf(folded) : text.search(pattern)
  return {
    folded,
    isIn: (text, plain) => {
      if (!plain) return fold(text).includes(folded)
      return pattern === undefined ? text.includes(folded) : pattern.test(text)
    },
    placeIn: (text, plain) => {
      if (!plain) return findFolded(text, folded)
      const start = indexIn(text)
      return start < 0 ? undefined : { start, end: start + folded.length }
    },
  }
}
