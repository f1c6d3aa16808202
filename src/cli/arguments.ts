// What a shell hands over, before the parser sees it: in a search `-word` is a word to exclude, not a letter of
// options, because the query language says so.

/** Commands whose words are a query. */
const QUERIES: ReadonlySet<string> = new Set(["search"])

/** The only options of one letter. */
const LETTERS: ReadonlySet<string> = new Set(["-h", "-V"])

/**
 * The arguments with the excluded words of a query moved behind `--`, where the parser leaves them alone. What stands
 * behind an option that takes a value is that value.
 */
export function withExclusions(
  args: readonly string[],
  takesValue: (option: string) => boolean,
): readonly string[] {
  const command = args.findIndex((arg) => QUERIES.has(arg))
  if (command < 0) return args
  const end = args.indexOf("--")
  const parsed = end < 0 ? args : args.slice(0, end)
  const literal = end < 0 ? [] : args.slice(end + 1)
  const isMoved = (arg: string, at: number) =>
    at > command && isExclusion(arg) && !takesValue(parsed[at - 1] ?? "")
  const excluded = parsed.filter(isMoved)
  if (excluded.length === 0) return args
  return [...parsed.filter((arg, at) => !isMoved(arg, at)), "--", ...excluded, ...literal]
}

function isExclusion(arg: string): boolean {
  return /^-[^-]/.test(arg) && !LETTERS.has(arg)
}

/**
 * The words of a query as one line of the query language. The shell took the quotes away: an argument with a space
 * in it is searched word by word, `'"two words"'` is a phrase.
 */
export function queryOf(words: readonly string[]): string {
  return words.join(" ")
}
