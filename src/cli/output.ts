import { DEFAULT_COLUMNS, MIN_COLUMNS, TEXT_COLUMNS } from "./layout.ts"
import { makePaint, wantsColour, wantsLinks, type ColourWish, type Paint } from "./paint.ts"

// Standard output and error as commands see them. A reader that goes away (`| head`) ends the command quietly.

export type Output = {
  /** Writes a text as it is; resolves when more can be taken. */
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
    new Promise((resolve) => {
      if (stdout.write(text)) resolve()
      else stdout.once("drain", () => resolve())
    })
  return {
    write,
    lines: (lines) => (lines.length === 0 ? Promise.resolve() : write(`${lines.join("\n")}\n`)),
    complain: (line) => void stderr.write(`${line}\n`),
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

/** Ends the process when nobody reads any more: that is how `baton search … | head` is meant to end. */
export function endWithReader(stream: NodeJS.WriteStream): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error
    process.exit(0)
  })
}
