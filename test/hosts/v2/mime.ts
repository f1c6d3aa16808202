// The kind of an attachment, as V2 finds it: from its bytes, whatever its name or declared type says.

export const ATTACHED_MAX_BYTES = 20 * 1024 * 1024

const SIGNATURES: readonly (readonly [at: number, bytes: string, mime: string])[] = [
  [0, "\x89PNG\r\n\x1a\n", "image/png"],
  [0, "\xff\xd8\xff", "image/jpeg"],
  [0, "GIF8", "image/gif"],
  [0, "BM", "image/bmp"],
  [0, "%PDF-", "application/pdf"],
  [4, "ftypavif", "image/avif"],
  [4, "ftypavis", "image/avif"],
]

/** Share of control bytes above which bytes are no text. */
const CONTROLS_MAX = 0.3

export function mimeOf(content: Buffer): string {
  const start = content.subarray(0, 16).toString("latin1")
  const found = SIGNATURES.find(([at, bytes]) => start.startsWith(bytes, at))
  if (found !== undefined) return found[2]
  if (start.startsWith("RIFF") && start.startsWith("WEBP", 8)) return "image/webp"
  return isText(content) ? "text/plain" : "application/octet-stream"
}

export function isText(content: Buffer): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(content)
  } catch {
    return false
  }
  let controls = 0
  for (const byte of content) {
    if (byte === 0) return false
    if (byte < 9 || (byte > 13 && byte < 32)) controls++
  }
  return controls <= content.length * CONTROLS_MAX
}
