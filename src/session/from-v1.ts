// OpenCode V1's sessions and messages as the model's. What has no usable shape is left out and counted, never
// guessed and never thrown. Guards by hand: a schema parse per part costs many times more over a full history.

import { isId, isRecord, milliseconds, repaired, repairedRecord } from "./from-unknown.ts"
import { attachmentsOf } from "./attachment.ts"
import { unreadableID, unreadableMessage } from "./unreadable.ts"
import type { Message, Part, Session, TextPart, ToolPart } from "./model.ts"

/** A session of V1's API, or undefined without an id. Missing times are 0, missing texts "". */
export function sessionFromV1(value: unknown): Session | undefined {
  if (!isRecord(value) || !isId(value["id"])) return undefined
  const time = isRecord(value["time"]) ? value["time"] : {}
  const revert = isRecord(value["revert"]) ? value["revert"]["messageID"] : undefined
  return {
    id: value["id"],
    title: repaired(value["title"]),
    projectID: repaired(value["projectID"]),
    directory: repaired(value["directory"]),
    created: milliseconds(time["created"]),
    updated: milliseconds(time["updated"]),
    metadata: repairedRecord(value["metadata"]),
    ...(isId(value["parentID"]) ? { parentID: value["parentID"] } : {}),
    ...(milliseconds(time["archived"]) > 0 ? { archived: milliseconds(time["archived"]) } : {}),
    ...(isId(revert) ? { revertedFrom: revert } : {}),
  }
}

/** A message `{ info, parts }` of V1's API, or undefined without ids or with an unknown role. */
export function messageFromV1(value: unknown): Message | undefined {
  const info = isRecord(value) ? value["info"] : undefined
  if (!isRecord(value) || !isRecord(info) || !isId(info["id"]) || !isId(info["sessionID"])) return undefined
  if (info["role"] !== "user" && info["role"] !== "assistant") return undefined
  const delivered: readonly unknown[] = Array.isArray(value["parts"]) ? value["parts"] : [undefined]
  const parts: Part[] = []
  for (const entry of delivered) {
    const part = partFromV1(entry)
    if (part) parts.push(part)
  }
  return {
    id: info["id"],
    sessionID: info["sessionID"],
    role: info["role"],
    created: milliseconds(isRecord(info["time"]) ? info["time"]["created"] : undefined),
    summary: info["role"] === "assistant" && info["summary"] === true,
    parts,
    malformed: delivered.length - parts.length,
  }
}

/** The same, with what is none as an unreadable one in its place, behind the message before it. */
export function messagesFromV1(rows: readonly unknown[], sessionID: string): readonly Message[] {
  const messages: Message[] = []
  for (const row of rows) messages.push(messageFromV1(row) ?? unreadable(row, sessionID, messages.at(-1)))
  return messages
}

function unreadable(row: unknown, sessionID: string, before: Message | undefined): Message {
  const info = isRecord(row) && isRecord(row["info"]) ? row["info"] : {}
  const time = isRecord(info["time"]) ? info["time"]["created"] : undefined
  const id = isId(info["id"]) ? info["id"] : unreadableID(before?.id ?? "")
  return unreadableMessage({ id, sessionID, created: milliseconds(time) || (before?.created ?? 0) })
}

/** A part of V1's API, or undefined when it has no usable shape. A kind that is not read becomes `other`. */
export function partFromV1(value: unknown): Part | undefined {
  if (!isRecord(value) || typeof value["type"] !== "string" || value["type"] === "") return undefined
  switch (value["type"]) {
    case "text":
      return textPart(value)
    case "reasoning":
      return typeof value["text"] === "string"
        ? { type: "reasoning", text: repaired(value["text"]) }
        : undefined
    case "file":
      if (typeof value["url"] !== "string") return undefined
      return {
        type: "file",
        mime: repaired(value["mime"]),
        filename: repaired(value["filename"]),
        url: repaired(value["url"]),
      }
    case "tool":
      return toolPart(value)
    case "patch":
      if (!Array.isArray(value["files"])) return undefined
      return { type: "patch", files: value["files"].filter((file) => typeof file === "string").map(repaired) }
    case "compaction":
      return { type: "compaction", auto: value["auto"] === true }
    default:
      return { type: "other", kind: repaired(value["type"]) }
  }
}

function textPart(value: Readonly<Record<string, unknown>>): TextPart | undefined {
  if (typeof value["text"] !== "string") return undefined
  return {
    type: "text",
    text: repaired(value["text"]),
    synthetic: value["synthetic"] === true,
    ignored: value["ignored"] === true,
    metadata: repairedRecord(value["metadata"]),
  }
}

function toolPart(value: Readonly<Record<string, unknown>>): ToolPart | undefined {
  const state = value["state"]
  if (typeof value["tool"] !== "string" || value["tool"].trim() === "" || !isRecord(state)) return undefined
  const status = state["status"]
  if (status !== "pending" && status !== "running" && status !== "completed" && status !== "error")
    return undefined
  const attachments = attachmentsOf(state["attachments"])
  return {
    type: "tool",
    tool: repaired(value["tool"]),
    callID: repaired(value["callID"]),
    status,
    input: repairedRecord(state["input"]),
    title: status === "completed" ? repaired(state["title"]) : "",
    output: status === "completed" ? repaired(state["output"]) : "",
    error: status === "error" ? repaired(state["error"]) : "",
    ...(attachments.length === 0 ? {} : { attachments }),
    metadata: repairedRecord(state["metadata"]),
  }
}
