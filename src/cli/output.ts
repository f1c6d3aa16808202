import { guarded } from "../text/printable.ts"
import { DEFAULT_COLUMNS, MIN_COLUMNS, TEXT_COLUMNS } from "./layout.ts"
import { writeToFile } from "./write-all.ts"
import { makePaint, wantsColour, wantsLinks, type ColourWish, type Paint } from "./paint.ts"

// Standard output and error as commands see them. Everything is guarded here once more: a text that no view made
// printable still cannot steer the terminal.

export type Output = {
  /** Writes a text, guarded; resolves when it was taken, rejects when it cannot be. */
  write(text: string): Promise<void>
  /** Writes lines. */
  lines(lines: readonly string[]): Promise<void>
  /** Writes one line to standard error. */
  complain(line: string): void
  readonly paint: Paint
  /** Standard output is a terminal. */
  readonly isTerminal: boolean
  /** Columns of the terminal, at least MIN_COLUMNS. */
  readonly columns: number
  /** Columns for running text. */
  readonly textColumns: number
}

type Streams = { readonly stdout: NodeJS.WriteStream; readonly stderr: NodeJS.WriteStream }
type Environment = Readonly<Record<string, string | undefined>>

export function makeOutput(streams: Streams, env: Environment, wish: ColourWish): Output {
  const { stdout, stderr } = streams
  const isTerminal = stdout.isTTY
  const columns = columnsOf(stdout, env)
  const write = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const safe = guarded(text)
      if (writeToFile(stdout, safe)) resolve()
      else stdout.write(safe, (error) => (error ? reject(error) : resolve()))
    })
  return {
    write,
    lines: (lines) => (lines.length === 0 ? Promise.resolve() : write(`${lines.join("\n")}\n`)),
    complain: (line) => void stderr.write(guarded(`${line}\n`)),
    paint: makePaint(wantsColour(wish, env, stdout), wantsLinks(env, stdout)),
    isTerminal,
    columns,
    textColumns: Math.min(columns, TEXT_COLUMNS),
  }
}

/** The columns of a stream: a terminal's own, else COLUMNS, else DEFAULT_COLUMNS. */
function columnsOf(stream: NodeJS.WriteStream, env: Environment): number {
  const told = stream.isTTY ? stream.columns : Number(env["COLUMNS"])
  return Math.max(MIN_COLUMNS, Number.isInteger(told) && told > 0 ? told : DEFAULT_COLUMNS)
}

/** Keeps the first error of a stream; `stop` is called with it, for there is no use in going on. */
export function watchStream(
  stream: NodeJS.WriteStream,
  stop: () => void,
): { failed(): NodeJS.ErrnoException | undefined } {
  let failed: NodeJS.ErrnoException | undefined
  stream.on("error", (error: NodeJS.ErrnoException) => {
    failed ??= error
    stop()
  })
  return { failed: () => failed }
}

/** Resolves when everything that was written is out, or cannot be. */
export function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write("", () => setImmediate(resolve)))
}
