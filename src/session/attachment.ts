// The files that come with a tool's result, such as a screenshot. Their bytes are never taken along; wherever the
// result is shown, they are named, so that nobody takes the text for all of it.

import { oneLine } from "../text/printable.ts"
import { isRecord, repaired } from "./from-unknown.ts"
import type { Attachment } from "./model.ts"

/** Files named of one result; the rest are counted. */
export const MAX_ATTACHMENTS_NAMED = 20

/**
 * The longest name a file system takes is 255 bytes. A longer one, or kind, is somebody's text: left out whole, for cut
 * it could end in half a secret, which is not known as one.
 */
const MAX_NAME_UNITS = 300

/** Text that is looked at of a `data:` address, which may be megabytes: its kind stands in front. */
const KIND_UNITS = 200

/** The files of a list of a host, also those that say nothing of themselves; [] for what is no list. */
export function attachmentsOf(list: unknown): readonly Attachment[] {
  return Array.isArray(list) ? list.map(attachmentOf) : []
}

function attachmentOf(value: unknown): Attachment {
  if (!isRecord(value)) return { filename: "", mime: "" }
  const address = value["uri"] ?? value["url"]
  const start = typeof address === "string" ? repaired(address.slice(0, KIND_UNITS)) : ""
  const isData = /^data:/i.test(start)
  return {
    filename: repaired(value["filename"]) || repaired(value["name"]) || (isData ? "" : lastName(address)),
    mime: repaired(value["mime"]) || (isData ? (/^data:([^;,]*)/i.exec(start)?.[1] ?? "") : ""),
  }
}

function lastName(address: unknown): string {
  return repaired(address).split(/[?#]/, 1)[0]?.split("/").at(-1) ?? ""
}

/** Each as `[image: shot.png, image/png]`, `[image]` or `[file: notes.pdf, application/pdf]`, one line each. */
export function attachmentLabels(attachments: readonly Attachment[] = []): readonly string[] {
  const named = attachments.slice(0, MAX_ATTACHMENTS_NAMED).map(labelOf)
  const left = attachments.length - named.length
  return left === 0 ? named : [...named, `[${left} more ${left === 1 ? "file" : "files"}]`]
}

function labelOf({ filename, mime }: Attachment): string {
  const kind = /^image\//i.test(mime) ? "image" : "file"
  const said = [filename, mime].filter((text) => text !== "" && text.length <= MAX_NAME_UNITS).map(oneLine)
  return said.length === 0 ? `[${kind}]` : `[${kind}: ${said.join(", ")}]`
}
