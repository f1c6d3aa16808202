import { emitKeypressEvents } from "node:readline"
import { guarded } from "../../text/printable.ts"
import { atEnd } from "../ending.ts"
import type { Key } from "./state.ts"
import type { Frame } from "./view.ts"

// The terminal while the search screen is up: the other screen buffer, keys one by one, pastes as such. Leaving
// puts everything back, also when the process ends otherwise.

export type TerminalScreen = {
  draw(frame: Frame): void
  /** A sequence that changes nothing on the screen. */
  readonly tell: (sequence: string) => void
  size(): { readonly columns: number; readonly rows: number }
  leave(): void
}

const ENTER = "\u001B[?1049h\u001B[?2004h"
const LEAVE = "\u001B[?2004l\u001B[?25h\u001B[?1049l"

/** How a key press arrives. */
type Pressed = {
  readonly name?: string
  readonly ctrl?: boolean
  readonly meta?: boolean
  readonly sequence?: string
}

export type Handlers = {
  key(key: Key): void
  paste(text: string): void
  resize(): void
}

/** Takes the terminal. */
export function takeTerminal(
  stdin: NodeJS.ReadStream,
  stdout: NodeJS.WriteStream,
  handlers: Handlers,
): TerminalScreen {
  let pasted: string | undefined
  const onKey = (text: string | undefined, key: Pressed = {}) => {
    if (key.name === "paste-start") pasted = ""
    else if (key.name === "paste-end") {
      const whole = pasted ?? ""
      pasted = undefined
      handlers.paste(whole)
    } else if (pasted !== undefined) pasted += text ?? key.sequence ?? ""
    else handlers.key({ name: key.name, ctrl: key.ctrl, meta: key.meta, text })
  }
  const onResize = () => handlers.resize()
  // The terminal was closed: there is nobody left to press a key.
  const onGone = () => handlers.key({ name: "escape" })
  let left = false
  const leave = () => {
    if (left) return
    left = true
    stdin.off("keypress", onKey)
    stdin.off("end", onGone)
    stdout.off("resize", onResize)
    forget()
    stdout.write(LEAVE)
    stdin.setRawMode(false)
    stdin.pause()
  }

  emitKeypressEvents(stdin)
  stdin.setRawMode(true)
  stdin.on("keypress", onKey)
  stdin.on("end", onGone)
  stdin.on("error", onGone)
  stdin.resume()
  stdout.on("resize", onResize)
  const forget = atEnd(leave)
  stdout.write(ENTER)
  return {
    draw({ lines, cursor }) {
      if (left) return
      const rows = lines.map((line) => `${guarded(line)}\u001B[0m\u001B[K`).join("\r\n")
      stdout.write(
        `\u001B[?25l\u001B[H${rows}\u001B[J\u001B[${cursor.row + 1};${cursor.column + 1}H\u001B[?25h`,
      )
    },
    tell: (sequence) => void stdout.write(sequence),
    size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    leave,
  }
}
