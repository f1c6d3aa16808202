// Terminal escape sequences are taken out of text, what they dress is kept. An unfinished sequence loses only
// its introducer, so no text is swallowed; no escape character is left over. Follows ECMA-48 and xterm's OSC.

/** The text without escape sequences; linear in its length. */
export function stripAnsi(text: string): string {
  let kept = ""
  let from = 0
  INTRODUCER.lastIndex = 0
  for (let found = INTRODUCER.exec(text); found; found = INTRODUCER.exec(text)) {
    kept += text.slice(from, found.index)
    from = sequenceEnd(text, found.index)
    INTRODUCER.lastIndex = from
  }
  return from === 0 ? text : kept + text.slice(from)
}

const ESC = 0x1b
const BEL = 0x07
const STRING_TERMINATOR = 0x9c

// ESC and the single-character C1 forms of DCS, SOS, CSI, ST, OSC, PM and APC.
const INTRODUCER = new RegExp(`[${String.fromCharCode(ESC)}\\u0090\\u0098\\u009B-\\u009F]`, "g")

/** Parameters and intermediates of real sequences are short; longer ones are text. */
const CONTROL_SEQUENCE = /[0-?]{0,64}[ -/]{0,4}[@-~]/y
const SHORT_SEQUENCE = /[ -/]{0,4}[0-~]/y

/** Where the sequence that starts at `at` ends; at least one past `at`. */
function sequenceEnd(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code === 0x9b) return endOf(CONTROL_SEQUENCE, text, at + 1)
  if (code === STRING_TERMINATOR) return at + 1
  if (code !== ESC) return stringEnd(text, at + 1, code === 0x9d)
  const next = text.charAt(at + 1)
  if (next === "[") return endOf(CONTROL_SEQUENCE, text, at + 2)
  if (next === "]") return stringEnd(text, at + 2, true)
  if (next === "P" || next === "X" || next === "^" || next === "_") return stringEnd(text, at + 2, false)
  return endOf(SHORT_SEQUENCE, text, at + 1)
}

function endOf(sequence: RegExp, text: string, from: number): number {
  sequence.lastIndex = from
  return sequence.test(text) ? sequence.lastIndex : from
}

/** The end of a control string; `from` when it is not terminated before a line end (OSC) or the next sequence. */
function stringEnd(text: string, from: number, oneLine: boolean): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === BEL || code === STRING_TERMINATOR) return at + 1
    if (code === ESC) return text.charAt(at + 1) === "\\" ? at + 2 : from
    if ((code >= 0x90 && code <= 0x9f) || (oneLine && code === 0x0a)) return from
  }
  return from
}
