// Which paths a bare `@token` may mean. A pure parser cannot know where prose begins again, so every
// reading is listed, longest first: as written, without trailing punctuation, then cut at punctuation
// inside. The file system decides which one is meant.

/** Lines `start` to `end`, counted from 1, both included; no end means to the end of the file. */
export type LineRange = { readonly start: number; readonly end?: number }

export type Spelling = {
  readonly path: string
  readonly range?: LineRange
  /** UTF-16 units of the prompt this reading covers, counted from the `@`. */
  readonly length: number
  /** A cut inside the token: counts only when it leads to a file. */
  readonly guess: boolean
}

/** Steps of trailing punctuation tried one by one (`a(1).ts).`); a longer run is stripped at once. */
export const MAX_STRIP_STEPS = 4
/** Cuts tried inside a token, those nearest to the `@`: each costs the host two stat calls. */
export const MAX_INNER_CUTS = 6

const CJK_PUNCTUATION =
  "\\u3001-\\u3003\\u3008-\\u3011\\u3014-\\u301f\\uff01-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff3d\\uff5b-\\uff65"
const PROSE = `‘’“”«»…—–${CJK_PUNCTUATION}`
/** Scripts in which a path may follow a word without a space; the inside of a character class. */
export const NO_SPACE_SCRIPT =
  "\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Bopomofo}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}"

/** One unit of punctuation at the end of a token that may belong to the sentence. */
const TRAILING = new RegExp(`[.,:;!?)\\]}'"*_~>|#${PROSE}]`, "u")
const INNER = new RegExp(
  `[,;:!?"'<>|*#${PROSE}]+|(?<!/)[([{]|[)\\]}]+|(?<=\\.[A-Za-z0-9]{1,10})(?=[${NO_SPACE_SCRIPT}])`,
  "gu",
)
/** Where a name in a note ends: these are hardly ever part of a path. */
const NAME_END = new RegExp(
  `[,;"<>|${PROSE}]|'(?=s?$)|\\]\\(|(?<=\\.[A-Za-z0-9]{1,10})(?=[${NO_SPACE_SCRIPT}])`,
  "u",
)
/**
 * A line range behind a path: `#10`, `#10-40`, `#L10-L40` as links of code hosts have it (their columns `C5` too),
 * `:10`, `:10-40`, `:10:5` (with a column) as compilers and editors write it. The first group is the first line, the
 * second the last. The inside of a regular expression.
 */
export const LINE_RANGE = "[#:]L?(\\d{1,9})(?:[C:]\\d{1,9})?(?:[-–]L?(\\d{0,9})(?:[C:]\\d{1,9})?)?"
const RANGE = new RegExp(`^(.+?)${LINE_RANGE}$`, "su")

/** Readings of a bare token (the text after `@`), in the order they are tried. */
export function bareSpellings(token: string): Spelling[] {
  const spellings = new Map<string, Spelling>()
  const add = (spelling: Spelling): void => {
    const key = `${spelling.range?.start ?? ""}-${spelling.range?.end ?? ""} ${spelling.path}`
    if (spelling.path !== "" && !spellings.has(key)) spellings.set(key, spelling)
  }
  const addCut = (end: number, guess: boolean): void =>
    readings(token.slice(0, end), end + 1, guess).forEach(add)
  for (const end of trailingCuts(token)) addCut(end, false)
  for (const end of innerCuts(token)) addCut(end, true)
  // A folder may be named "@scope": the `@` then belongs to the path.
  const bare = token.slice(0, bareLength(token))
  for (const spelling of readings(bare, bare.length + 1, true))
    add({ ...spelling, path: `@${spelling.path}` })
  return [...spellings.values()]
}

/** Readings of one spelling: with its `#…` as part of the name, then as a line range. */
export function readings(text: string, length: number, guess: boolean): Spelling[] {
  const [, path, first, last] = RANGE.exec(text) ?? []
  const whole: Spelling = { path: text, length, guess }
  if (path === undefined || first === undefined) return [whole]
  return [whole, { path, range: lineRange(first, last), length, guess }]
}

/** A range as typed. An end before the start is dropped, as the host's own terminal does. */
export function lineRange(first: string, last: string | undefined): LineRange {
  const start = Math.max(Number(first), 1)
  const end = last === undefined || last === "" ? 0 : Number(last)
  return end >= start ? { start, end } : { start }
}

/** How a note names a bare token: without the prose around it, closing brackets kept when they pair up. */
export function tokenName(token: string): string {
  const end = NAME_END.exec(token)?.index ?? token.length
  let name = token.slice(0, end === 0 ? token.length : end)
  while (TRAILING.test(name.slice(-1))) {
    const last = name.slice(-1)
    if (")]}".includes(last) && balanced(name, last)) return name
    name = name.slice(0, -1)
  }
  return name
}

function trailingCuts(token: string): number[] {
  const bare = bareLength(token)
  const steps = [token.length]
  while (steps.length <= MAX_STRIP_STEPS && (steps.at(-1) ?? 0) > bare) steps.push((steps.at(-1) ?? 0) - 1)
  return [...steps, bare]
}

/** Units before the trailing punctuation. A loop: a regular expression would try every run of it to its end. */
function bareLength(token: string): number {
  let length = token.length
  while (length > 0 && TRAILING.test(token.charAt(length - 1))) length--
  return length
}

function innerCuts(token: string): number[] {
  const cuts: number[] = []
  for (const match of token.matchAll(INNER)) {
    if (cuts.length === MAX_INNER_CUTS) break
    if (match.index === 0 || token[match.index - 1] === "/") continue
    if (/^[)\]}]/.test(match[0]) && balanced(token.slice(0, match.index + 1), match[0][0] ?? "")) continue
    cuts.push(match.index)
  }
  return cuts.reverse()
}

function balanced(text: string, closer: string): boolean {
  const opener = closer === ")" ? "(" : closer === "]" ? "[" : "{"
  return text.split(opener).length >= text.split(closer).length
}
