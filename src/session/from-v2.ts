// OpenCode V2's sessions and messages as the model's, in the shapes of 2.0.16 and later and of the releases
// before it. Every stored message becomes one, hidden kinds too, so that positions stay the host's. Never throws.

import { isId, isRecord, milliseconds, repaired, repairedRecord } from "./from-unknown.ts"
import { attachmentsOf } from "./attachment.ts"
import { UNREADABLE } from "./unreadable.ts"
import type { FilePart, Message, Part, Session, TextPart, ToolPart } from "./model.ts"

type Unknown = Readonly<Record<string, unknown>>

/** A session of V2's API, or undefined without an id. Missing times are 0, missing texts "". */
export function sessionFromV2(value: unknown): Session | undefined {
  if (!isRecord(value) || !isId(value["id"])) return undefined
  const time = recordOf(value["time"])
  const location = recordOf(value["location"])
  const revert = recordOf(value["revert"])["messageID"]
  const fork = recordOf(value["fork"])["sessionID"]
  const archived = milliseconds(time["archived"])
  return {
    id: value["id"],
    title: repaired(value["title"]),
    projectID: repaired(value["projectID"]),
    // Events still carry the flat form.
    directory: repaired(location["directory"]) || repaired(value["directory"]),
    created: milliseconds(time["created"]),
    updated: milliseconds(time["updated"]),
    metadata: repairedRecord(value["metadata"]),
    ...(isId(value["parentID"]) ? { parentID: value["parentID"] } : {}),
    ...(isId(fork) ? { forkedFrom: fork } : {}),
    ...(archived > 0 ? { archived } : {}),
    ...(isId(revert) ? { revertedFrom: revert } : {}),
  }
}

/** When something last happened in it: new messages do not touch `updated`, the end of a turn sets `idle`. */
export function activityFromV2(value: unknown): number {
  const time = recordOf(recordOf(value)["time"])
  return Math.max(milliseconds(time["updated"]), milliseconds(time["idle"]))
}

/** A message of V2's API, or undefined without an id or a type. A type that is not read has one `other` part. */
export function messageFromV2(value: unknown, sessionID: string): Message | undefined {
  if (!isRecord(value) || !isId(value["id"]) || !isId(value["type"])) return undefined
  const content = contentOf(value, value["type"])
  const parts = content.parts.filter((part) => part !== undefined)
  return {
    id: value["id"],
    sessionID,
    role: content.role,
    created: milliseconds(recordOf(value["time"])["created"]),
    summary: content.summary === true,
    parts,
    malformed: content.parts.length - parts.length,
    // The reader's own row: what it stands for cannot be counted from outside.
    ...(value["type"] === UNREADABLE ? { run: true } : {}),
  }
}

type Content = {
  readonly role: Message["role"]
  readonly parts: readonly (Part | undefined)[]
  readonly summary?: boolean
}

function contentOf(value: Unknown, type: string): Content {
  switch (type) {
    case "user":
      return {
        role: "user",
        parts: [textPart(value["text"], false), ...listOf(value["files"]).map(filePart)],
      }
    case "assistant":
      return {
        role: "assistant",
        parts: [...contentOrMissing(value["content"]).flatMap(contentPart), ...snapshot(value)],
      }
    case "synthetic":
    case "system":
    case "skill":
      return { role: "user", parts: [textPart(value["text"], true)] }
    case "shell":
      return { role: "assistant", parts: [shellPart(value)] }
    case "compaction":
      return compaction(value)
    case UNREADABLE:
      return { role: "assistant", parts: [{ type: "other", kind: UNREADABLE }, undefined] }
    default:
      return { role: "assistant", parts: [{ type: "other", kind: repaired(type) }] }
  }
}

/** A summary only once it is there: a running or failed compaction has summarised nothing. */
function compaction(value: Unknown): Content {
  const mark: Part = { type: "compaction", auto: value["reason"] === "auto" }
  // Releases without a status wrote the message when it was done.
  const isDone = value["status"] === undefined || value["status"] === "completed"
  const hasSummary = isDone && typeof value["summary"] === "string" && value["summary"] !== ""
  if (!hasSummary) return { role: "assistant", parts: [{ type: "other", kind: "compaction" }] }
  return { role: "assistant", parts: [mark, textPart(value["summary"], false)], summary: true }
}

function textPart(text: unknown, synthetic: boolean): TextPart | undefined {
  if (typeof text !== "string") return undefined
  return { type: "text", text: repaired(text), synthetic, ignored: false, metadata: {} }
}

/** An attachment by its name. Its content lies in the message as base64 and is never taken along. */
function filePart(value: unknown): FilePart | undefined {
  if (!isRecord(value)) return undefined
  const source = recordOf(value["source"])
  const uri = repaired(source["uri"]) || repaired(value["uri"])
  const url = uri.startsWith("data:") ? "" : uri
  return { type: "file", mime: repaired(value["mime"]), filename: repaired(value["name"]) || url, url }
}

/** An answer without a list of parts has lost what it said: that is one broken part. */
function contentOrMissing(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [undefined]
}

function contentPart(value: unknown): readonly (Part | undefined)[] {
  if (!isRecord(value) || typeof value["type"] !== "string") return [undefined]
  switch (value["type"]) {
    case "text":
      return [textPart(value["text"], false)]
    case "reasoning":
      return [
        typeof value["text"] === "string" ? { type: "reasoning", text: repaired(value["text"]) } : undefined,
      ]
    case "tool":
      return toolParts(value)
    default:
      return [{ type: "other", kind: repaired(value["type"]) }]
  }
}

const STATUSES: ReadonlyMap<unknown, ToolPart["status"]> = new Map([
  ["streaming", "pending"],
  ["pending", "pending"],
  ["running", "running"],
  ["completed", "completed"],
  ["error", "error"],
])

/** The call, and behind Code Mode's `execute` the calls its program made. */
function toolParts(value: Unknown): readonly (Part | undefined)[] {
  const state = recordOf(value["state"])
  const status = STATUSES.get(state["status"])
  const name = repaired(value["name"]) || repaired(value["tool"])
  if (status === undefined || name.trim() === "") return [undefined]
  const attachments = attachmentsOf(listOf(state["content"]).filter(isFile))
  const call: ToolPart = {
    type: "tool",
    tool: name,
    callID: repaired(value["id"]) || repaired(value["callID"]),
    status,
    // While it streams, the input is unfinished JSON text.
    input: repairedRecord(state["input"]),
    title: status === "completed" ? repaired(recordOf(state["metadata"])["title"]) : "",
    output: status === "completed" ? outputOf(state) : "",
    error: status === "error" ? errorOf(state["error"]) : "",
    ...(attachments.length === 0 ? {} : { attachments }),
    metadata: repairedRecord(state["metadata"] ?? state["structured"]),
  }
  return [call, ...innerCalls(state).map((inner, index) => innerPart(inner, `${call.callID}.${index}`))]
}

/** What comes with a result beside its texts. */
function isFile(entry: unknown): boolean {
  return isRecord(entry) && entry["type"] !== "text" && typeof entry["text"] !== "string"
}

function outputOf(state: Unknown): string {
  const text = listOf(state["content"])
    .map((entry) => repaired(recordOf(entry)["text"]))
    .filter((entry) => entry !== "")
    .join("\n")
  if (text !== "") return text
  const result = state["result"] ?? state["structured"]
  if (typeof result === "string") return repaired(result)
  // Written out as JSON, a result of files alone is their bytes.
  const isShown = result !== undefined && result !== null && !listOf(state["content"]).some(isFile)
  return !isShown ? "" : repaired(JSON.stringify(result))
}

function errorOf(error: unknown): string {
  return repaired(error) || repaired(recordOf(error)["message"]) || repaired(recordOf(error)["type"])
}

function innerCalls(state: Unknown): readonly unknown[] {
  for (const place of [state["metadata"], state["structured"], state["output"]]) {
    const calls = recordOf(place)["toolCalls"]
    if (Array.isArray(calls)) return calls
  }
  return []
}

function innerPart(value: unknown, callID: string): Part | undefined {
  const call = recordOf(value)
  const name = repaired(call["tool"]) || repaired(call["name"])
  if (name === "") return undefined
  return {
    type: "tool",
    tool: name,
    callID,
    status: STATUSES.get(call["status"]) ?? "completed",
    input: repairedRecord(call["input"]),
    title: "",
    output: "",
    error: errorOf(call["error"]),
    metadata: {},
  }
}

/** Files the turn changed, relative to the session's directory. */
function snapshot(value: Unknown): readonly Part[] {
  const files = listOf(recordOf(value["snapshot"])["files"])
    .map(repaired)
    .filter((file) => file !== "")
  return files.length === 0 ? [] : [{ type: "patch", files }]
}

/** A command the user ran: a tool call without a model. */
function shellPart(value: Unknown): ToolPart {
  const running = value["status"] === "running"
  const output = value["output"]
  return {
    type: "tool",
    tool: "shell",
    callID: repaired(value["shellID"]),
    status: running ? "running" : "completed",
    input: { command: repaired(value["command"]) },
    title: running ? "" : repaired(value["command"]),
    output: repaired(output) || repaired(recordOf(output)["output"]),
    error: "",
    metadata: typeof value["exit"] === "number" ? { exit: value["exit"] } : {},
  }
}

function recordOf(value: unknown): Unknown {
  return isRecord(value) ? value : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
