// Colours, or none: one place decides, everything else only names what a text is.

export type Paint = {
  readonly on: boolean
  /** A title or a heading. */
  readonly strong: (text: string) => string
  /** What frames the content: ids, dates, paths. */
  readonly faint: (text: string) => string
  /** What was searched for. */
  readonly hit: (text: string) => string
  readonly added: (text: string) => string
  readonly removed: (text: string) => string
  readonly warning: (text: string) => string
  /** A row that is chosen. */
  readonly chosen: (text: string) => string
  /** A link where the terminal has links, else the text. */
  readonly link: (text: string, url: string) => string
}

/** Colours and links are decided apart: a terminal may have one without the other. */
export function makePaint(colours: boolean, links: boolean): Paint {
  const sgr = (on: string, off: string) => (text: string) =>
    colours && text !== "" ? `\u001B[${on}m${text}\u001B[${off}m` : text
  return {
    on: colours,
    strong: sgr("1", "22"),
    faint: sgr("2", "22"),
    hit: sgr("1;33", "22;39"),
    added: sgr("32", "39"),
    removed: sgr("31", "39"),
    warning: sgr("33", "39"),
    chosen: sgr("7", "27"),
    link: (text, url) => (links ? `\u001B]8;;${url}\u001B\\${text}\u001B]8;;\u001B\\` : text),
  }
}

export type ColourWish = "auto" | "always" | "never"

export type Stream = { readonly isTTY?: boolean | undefined }

type Environment = Readonly<Record<string, string | undefined>>

/** `--color` decides, then NO_COLOR, then FORCE_COLOR; otherwise a terminal gets colours and a pipe none. */
export function wantsColour(wish: ColourWish, env: Environment, stream: Stream): boolean {
  if (wish !== "auto") return wish === "always"
  if (isSet(env["NO_COLOR"])) return false
  if (isSet(env["FORCE_COLOR"])) return env["FORCE_COLOR"] !== "0" && env["FORCE_COLOR"] !== "false"
  return stream.isTTY === true && env["TERM"] !== "dumb"
}

/** Terminals that are known to open links (OSC 8); others may print the address as garbage. */
export function wantsLinks(env: Environment, stream: Stream): boolean {
  const forced = env["FORCE_HYPERLINK"]
  if (isSet(forced)) return forced !== "0"
  if (stream.isTTY !== true || env["TERM"] === "dumb" || isSet(env["CI"])) return false
  if (["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper"].includes(env["TERM_PROGRAM"] ?? "")) return true
  if (env["TERM"] === "xterm-kitty" || env["TERM"] === "alacritty" || env["TERM"] === "foot") return true
  if (isSet(env["WT_SESSION"]) || isSet(env["KONSOLE_VERSION"])) return true
  return Number(env["VTE_VERSION"] ?? 0) >= 5000
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== ""
}
