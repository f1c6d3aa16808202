import { pathToFileURL } from "node:url"
import type { Injection } from "../../handoff/injection.ts"
import { formatFor, type ReadFormat } from "../../handoff/read-format.ts"
import type { Page } from "../../handoff/read-file.ts"
import { asText, attachable } from "./attachable.ts"

// Files in V2's attachment form `{ uri, name }`. The host reads `file:` itself, as it does for the
// user's own attachments, and the model sees them alike. What is cut to the budget, or printed in a form of its
// own, goes along as text.

export type Attachment = { readonly uri: string; readonly name: string }

/** The form in which an admitted attachment is stored: with its content. */
export type StoredAttachment = {
  readonly data: string
  readonly mime: string
  readonly name: string
  readonly source: { readonly type: "uri"; readonly uri: string } | { readonly type: "inline" }
}

/** A file's plain text, as the host's attachments have it, with what the budget left out told at its end. */
export type PlainFormat = ReadFormat & {
  /** Whether the body of this path is the file (or the asked range of it) and nothing else. */
  isWhole(path: string, body: string): boolean
}

/** Bytes of the line that tells what is left out. */
const FRAME_BYTES = 100

/** Lines as they are. A format for one prompt: it remembers which of its bodies were cut. */
export function plainFormat(): PlainFormat {
  const cut = new Set<string>()
  return {
    ...formatFor(undefined, "numbered"),
    maxLines: Infinity,
    maxRangeLines: Infinity,
    maxLineUnits: Infinity,
    capBytes: Infinity,
    emptyLastLine: true,
    prefixBytes: () => 0,
    cutLine: (head) => head,
    header: () => "",
    frameBytes: () => FRAME_BYTES,
    body(path, page) {
      const text = page.lines.join("\n")
      if (page.end !== "budget" && page.end !== "cap") return text
      const body = `${text}\n\n${leftOut(page)}`
      cut.add(JSON.stringify([path, body]))
      return body
    },
    isWhole: (path, body) => !cut.has(JSON.stringify([path, body])),
  }
}

function leftOut(page: Page): string {
  const last = page.first + page.lines.length - 1
  const total = page.total === undefined ? "" : ` of ${page.total}`
  return `(Showing lines ${page.first}-${last}${total}. Read the file for the rest.)`
}

/** What is added to the prompt: the files, and a note about those that are not among them. */
export async function attachmentsOf(
  plan: Injection,
  plain: PlainFormat | undefined,
): Promise<readonly Attachment[]> {
  const files: Attachment[] = []
  for (const file of plan.files) {
    const kind = await attachable(file.path)
    const isAsIs = kind === "text" && plain?.isWhole(file.path, file.body) === true
    const text = plain === undefined ? `${file.header}\n\n${file.body}` : file.body
    const whole = kind === "not UTF-8" ? `${text}\n\n${NOT_UTF8}` : text
    files.push({ uri: isAsIs ? addressOf(file) : textAddress(whole), name: file.name })
  }
  if (plan.note === undefined) return files
  return [...files, { uri: textAddress(plan.note), name: NOTE_NAME }]
}

/** Told of a file whose bytes were read as UTF-8 all the same. */
const NOT_UTF8 = "(This file is not UTF-8: what could not be read stands as \ufffd.)"

/** The same for a release that shows its hook the files as they are stored. */
export function storedAttachmentsOf(plan: Injection): readonly StoredAttachment[] {
  const entry = (text: string, name: string) => ({
    data: Buffer.from(asText(text)).toString("base64"),
    mime: "text/plain",
    name,
  })
  const files = plan.files.map((file): StoredAttachment => {
    const text = file.header === "" ? file.body : `${file.header}\n\n${file.body}`
    return { ...entry(text, file.name), source: { type: "uri", uri: addressOf(file) } }
  })
  if (plan.note === undefined) return files
  return [...files, { ...entry(plan.note, NOTE_NAME), source: { type: "inline" } }]
}

const NOTE_NAME = "handoff-notes.txt"

/** `file:` with the host's 1-based range. */
function addressOf(file: Injection["files"][number]): string {
  const url = pathToFileURL(file.path)
  if (file.range !== undefined) {
    url.searchParams.set("start", String(file.range.start))
    if (file.range.end !== undefined) url.searchParams.set("end", String(file.range.end))
  }
  return url.href
}

function textAddress(text: string): string {
  return `data:text/plain;base64,${Buffer.from(asText(text)).toString("base64")}`
}
