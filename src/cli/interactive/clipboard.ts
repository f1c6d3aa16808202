import { spawn } from "node:child_process"

// To the clipboard by every way that may work: the terminal's own sequence (over ssh too), and the program of the
// desktop or of tmux.

type Environment = Readonly<Record<string, string | undefined>>

/** The most that terminals take by the sequence. */
export const OSC52_BYTES_MAX = 74_000

/** The programs that fit the environment, best first. */
export function clipboardPrograms(
  env: Environment,
  platform: NodeJS.Platform,
): readonly (readonly string[])[] {
  return [
    ...(env["TMUX"] ? [["tmux", "load-buffer", "-w", "-"]] : []),
    ...(platform === "darwin" ? [["pbcopy"]] : []),
    ...(platform === "win32" || env["WSL_DISTRO_NAME"] ? [["clip.exe"]] : []),
    ...(env["WAYLAND_DISPLAY"] ? [["wl-copy"]] : []),
    ...(env["DISPLAY"]
      ? [
          ["xclip", "-selection", "clipboard"],
          ["xsel", "--clipboard", "--input"],
        ]
      : []),
  ]
}

/** The longest string that GNU screen passes on at once. */
const SCREEN_PIECE_UNITS = 700

/**
 * The sequence that asks the terminal, wrapped where tmux or GNU screen stands between, which drop or cut a bare one; ""
 * for more than terminals take.
 */
export function clipboardSequence(text: string, env: Environment): string {
  const bytes = Buffer.from(text)
  if (bytes.length > OSC52_BYTES_MAX) return ""
  const bare = `\u001B]52;c;${bytes.toString("base64")}\u0007`
  // tmux takes the bare one, or passes the wrapped one on, as it is set.
  if (env["TMUX"]) return `${bare}\u001BPtmux;\u001B${bare}\u001B\\`
  if (!env["STY"]) return bare
  const pieces: string[] = []
  for (let at = 0; at < bare.length; at += SCREEN_PIECE_UNITS)
    pieces.push(`\u001BP${bare.slice(at, at + SCREEN_PIECE_UNITS)}\u001B\\`)
  return pieces.join("")
}

/** The text as a program reads it: Windows' own takes UTF-16 and would make rubbish of anything else. */
export function clipboardInput(program: string, text: string): Buffer {
  return Buffer.from(text, program === "clip.exe" ? "utf16le" : "utf8")
}

/** Copies; true when a program took it. The terminal does not answer, so about its sequence nobody knows. */
export async function copy(
  text: string,
  env: Environment,
  write: (sequence: string) => void,
): Promise<boolean> {
  write(clipboardSequence(text, env))
  for (const program of clipboardPrograms(env, process.platform)) if (await give(program, text)) return true
  return false
}

/** A program that hangs must not hold the screen. */
const GIVE_MS = 1_000

function give([command = "", ...args]: readonly string[], text: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ["pipe", "ignore", "ignore"] })
    const late = setTimeout(() => resolve(false), GIVE_MS)
    const end = (done: boolean) => {
      clearTimeout(late)
      resolve(done)
    }
    child.once("error", () => end(false))
    child.once("close", (code) => end(code === 0))
    child.stdin.on("error", () => undefined)
    child.stdin.end(clipboardInput(command, text))
  })
}
