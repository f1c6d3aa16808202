import stringWidth from "fast-string-width"

// Text in columns of a terminal: wide characters take two, marks none. Nothing here knows colours except that
// they have no width; cutting and wrapping is done before painting.

/** Columns assumed where there is no terminal to ask. */
export const DEFAULT_COLUMNS = 100

/** Narrower terminals are treated as this wide: below it nothing useful fits. */
export const MIN_COLUMNS = 30

/** Lines longer than this are hard to read, however wide the terminal. */
export const TEXT_COLUMNS = 110

let segmenter: Intl.Segmenter | undefined

/** What a reader sees as characters. Made when the first text needs it: that costs Node 9 ms. */
export function charactersOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" })
  return segmenter.segment(text)
}

/** The columns a text takes; colours and links take none. */
export function widthOf(text: string): number {
  return /^[\u0020-\u007E]*$/.test(text) ? text.length : stringWidth(text)
}

/** The text in at most `columns`, its end replaced by `…` when it is longer. */
export function clip(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let kept = ""
  let left = columns - 1
  for (const { segment } of charactersOf(text)) {
    left -= widthOf(segment)
    if (left < 0) break
    kept += segment
  }
  return columns <= 0 ? "" : `${kept}…`
}

/** The text's end in at most `columns`: of a path its end tells more. */
export function clipStart(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  const all = [...charactersOf(text)].map(({ segment }) => segment)
  let kept = ""
  let left = columns - 1
  for (const segment of all.toReversed()) {
    left -= widthOf(segment)
    if (left < 0) break
    kept = segment + kept
  }
  return columns <= 0 ? "" : `…${kept}`
}

/** The text followed by spaces up to `columns`. */
export function pad(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - widthOf(text)))
}

/** One line with `left` at its beginning and `right` at its end; on two lines where they do not fit. */
export function spread(left: string, right: string, columns: number): readonly string[] {
  const gap = columns - widthOf(left) - widthOf(right)
  return gap >= 2 ? [left + " ".repeat(gap) + right] : [left, right]
}

/** Where a line may end: at spaces, and behind Chinese and Japanese characters with the punctuation that closes them. */
const BREAKS =
  /( +|[\u3041-\u30FF\u3400-\u9FFF\uF900-\uFAFF][\u3001\u3002\u300D\u300F\uFF01\uFF09\uFF0C\uFF0E\uFF1F]*)/

/** One line of text broken into lines of at most `columns`, between words where it has some. */
export function wrap(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  let line = ""
  let width = 0
  const room = Math.max(1, columns)
  for (const piece of text.split(BREAKS)) {
    const pieceWidth = widthOf(piece)
    if (width + pieceWidth <= room) {
      line += piece
      width += pieceWidth
      continue
    }
    if (piece.trim() === "") {
      lines.push(line)
      line = ""
      width = 0
      continue
    }
    if (line.trim() !== "") {
      lines.push(line.trimEnd())
      line = ""
      width = 0
    }
    if (pieceWidth <= room) {
      line = piece
      width = pieceWidth
      continue
    }
    for (const { segment } of charactersOf(piece)) {
      const step = widthOf(segment)
      if (width + step > room) {
        lines.push(line)
        line = ""
        width = 0
      }
      line += segment
      width += step
    }
  }
  lines.push(line.trimEnd())
  return lines
}

/** Every line of the text wrapped, each with `indent` in front. */
export function wrapLines(text: string, columns: number, indent = ""): readonly string[] {
  const room = Math.max(1, columns - widthOf(indent))
  return text
    .split("\n")
    .flatMap((line) => wrap(line.replaceAll("\t", "    "), room))
    .map((line) => (line === "" ? "" : indent + line))
}
