import { fileURLToPath } from "node:url"
import { lineRange, type LineRange } from "./spellings.ts"

// Files a message holds already, because the host attached them: a chip of an earlier try comes back like this.

/** How a file, or a range of its lines, is named among the attached ones. `path` is absolute. */
export function attachedKey(path: string, range?: LineRange): string {
  return range === undefined ? path : `${path}#${range.start}-${range.end ?? ""}`
}

/** The keys of the files that attachments with these URLs hold; other URLs and broken ones hold none. */
export function attachedKeys(urls: readonly string[]): Set<string> {
  return new Set(urls.map(keyOf).filter((key) => key !== undefined))
}

function keyOf(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== "file:" || url.host !== "" || /%2f/i.test(url.pathname)) return undefined
  const [start, end] = [url.searchParams.get("start"), url.searchParams.get("end")]
  return attachedKey(fileURLToPath(url), start === null ? undefined : lineRange(start, end ?? undefined))
}
