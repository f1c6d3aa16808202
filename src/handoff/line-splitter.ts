// Lines of a text that arrives in chunks. LF, CRLF and a lone CR end a line; only the head of a line is kept,
// so a line of 10 MB costs as much memory as its first units.

export type LineSplitter = {
  /** Takes the next chunk. `emit` gets each finished line and says whether to go on. */
  feed(chunk: string, emit: EmitLine): boolean
  /** The text is over: a last line without a line break is emitted. */
  end(emit: EmitLine): void
  /** True when nothing came after the last line break, or nothing came at all. */
  atLineStart(): boolean
}

/** `head` holds the first units of the line, at most one more than `maxUnits`. */
type EmitLine = (head: string) => boolean

export function lineSplitter(maxUnits: number): LineSplitter {
  const keep = maxUnits + 1
  let head = ""
  let held = false
  let afterCarriage = false

  return {
    feed(chunk, emit) {
      let from = 0
      if (afterCarriage && chunk !== "") {
        afterCarriage = false
        if (chunk.startsWith("\n")) from = 1
        if (!finish(emit)) return false
      }
      let feedAt = chunk.indexOf("\n", from)
      let carriageAt = chunk.indexOf("\r", from)
      while (feedAt !== -1 || carriageAt !== -1) {
        const isFeed = carriageAt === -1 || (feedAt !== -1 && feedAt < carriageAt)
        const at = isFeed ? feedAt : carriageAt
        add(chunk, from, at)
        from = at + 1
        if (!isFeed && from === chunk.length) {
          afterCarriage = true
          return true
        }
        if (!isFeed && feedAt === from) from++
        if (!finish(emit)) return false
        if (feedAt !== -1 && feedAt < from) feedAt = chunk.indexOf("\n", from)
        if (carriageAt !== -1 && carriageAt < from) carriageAt = chunk.indexOf("\r", from)
      }
      add(chunk, from, chunk.length)
      return true
    },
    end(emit) {
      if (held || afterCarriage) finish(emit)
      afterCarriage = false
    },
    atLineStart: () => !held || afterCarriage,
  }

  function add(chunk: string, from: number, to: number): void {
    if (to > from) held = true
    if (head.length < keep) head += chunk.slice(from, Math.min(to, from + keep - head.length))
  }

  function finish(emit: EmitLine): boolean {
    const line = head
    head = ""
    held = false
    return emit(line)
  }
}
