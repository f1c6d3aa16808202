import type { Message, Part } from "../../session/model.ts"

// What the index stores of a message, and no more: what goes to the worker is copied on the host's thread. Hosts keep a
// command's output a second time in a tool's metadata, an edit's whole file before and after, and attachments as text.

/** The message without attachments and without notes of hosts and plugins that the index does not read. */
export function slimMessage(message: Message): Message {
  return message.parts.some(isHeavy) ? { ...message, parts: message.parts.map(slimPart) } : message
}

function isHeavy(part: Part): boolean {
  if (part.type === "file") return part.url !== ""
  return (part.type === "tool" || part.type === "text") && hasEntries(part.metadata)
}

function slimPart(part: Part): Part {
  if (part.type === "file") return { ...part, url: "" }
  if (part.type === "text") return hasEntries(part.metadata) ? { ...part, metadata: {} } : part
  if (part.type !== "tool" || !hasEntries(part.metadata)) return part
  // Whether an edit changed anything.
  const { diff } = part.metadata
  return { ...part, metadata: typeof diff === "string" ? { diff } : {} }
}

function hasEntries(record: Readonly<Record<string, unknown>>): boolean {
  for (const _ in record) return true
  return false
}
