import { extname } from "node:path"

// Which files are no text, judged as the host's Read tool judges them: by ending, by the signature of a
// picture or PDF, then by the bytes of a sample. Pictures and PDFs are attachments there, so no text either.

/** How much of a file's start is judged, in bytes; the host's number. */
export const SAMPLE_BYTES = 4096
/** Share of control bytes above which a sample is no text; the host's number. */
export const MAX_CONTROL_SHARE = 0.3

const BINARY_ENDINGS = new Set(
  (
    ".zip .tar .gz .exe .dll .so .class .jar .war .7z .doc .docx .xls .xlsx .ppt .pptx .odt .ods .odp .bin .dat " +
    ".obj .o .a .lib .wasm .pyc .pyo"
  ).split(" "),
)
const MEDIA_ENDINGS = new Set([".png", ".jpg", ".jpeg", ".jpe", ".gif", ".webp", ".pdf"])
const SIGNATURES: readonly (readonly [at: number, bytes: string])[] = [
  [0, "\x89PNG\r\n\x1a\n"],
  [0, "\xff\xd8\xff"],
  [0, "GIF8"],
  [0, "%PDF-"],
]

/** Whether a file of this name and start is shown as text. `sample` is its first SAMPLE_BYTES bytes. */
export function isBinary(name: string, sample: Uint8Array): boolean {
  const ending = extname(name).toLowerCase()
  if (BINARY_ENDINGS.has(ending)) return true
  const start = Buffer.from(sample.subarray(0, 16)).toString("latin1")
  if (SIGNATURES.some(([at, bytes]) => start.startsWith(bytes, at))) return true
  if (start.startsWith("RIFF") && start.startsWith("WEBP", 8)) return true
  // Another signature wins over the ending: a bitmap named .png is judged by its bytes.
  if (MEDIA_ENDINGS.has(ending) && !start.startsWith("BM")) return true
  return tooManyControls(sample)
}

function tooManyControls(sample: Uint8Array): boolean {
  let controls = 0
  for (const byte of sample) {
    if (byte === 0) return true
    if (byte < 9 || (byte > 13 && byte < 32)) controls++
  }
  return controls > sample.length * MAX_CONTROL_SHARE
}
