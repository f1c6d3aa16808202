import { readdirSync, readFileSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { isRecord } from "../../../src/session/from-unknown.ts"
import type { Store } from "./store.ts"
import { invalid, json, shape, text } from "./strict.ts"

// How V2 admits a prompt: the hook may change it, then the files are read and stored in the message, and the
// model gets them behind the user's text.

export const PROMPT_KEYS = ["text", "files", "agents", "skills"]

/** The prompt as it is stored. Refuses what is not V2's form. */
export function admitted(prompt: unknown): { readonly text: string; readonly files: readonly Stored[] } {
  const given = shape("prompt", prompt, ["text"], PROMPT_KEYS)
  json("prompt", given)
  const files: readonly unknown[] = Array.isArray(given["files"]) ? given["files"] : []
  return { text: text("prompt.text", given["text"]), files: files.map(described) }
}

export type Stored = {
  readonly data: string
  readonly mime: string
  readonly name: string
  readonly description?: string
  readonly source: { readonly type: "inline" } | { readonly type: "uri"; readonly uri: string }
}

function described(value: unknown): Stored {
  const description = isRecord(value) ? value["description"] : undefined
  return {
    ...stored(value),
    ...(description === undefined ? {} : { description: text("description", description) }),
  }
}

function stored(value: unknown): Stored {
  const file = shape("file", value, ["uri"], ["name", "description", "mention"])
  const uri = text("file.uri", file["uri"])
  const name = file["name"] === undefined ? uri : text("file.name", file["name"])
  if (uri.startsWith("data:")) {
    const found = /^data:([^;,]+)(;base64)?,(.*)$/s.exec(uri)
    if (found?.[2] === undefined) throw invalid("data: only base64 here")
    return { data: found[3] ?? "", mime: found[1] ?? "", name, source: { type: "inline" } }
  }
  if (!uri.startsWith("file:")) throw invalid(`unsupported attachment ${uri}`)
  const url = new URL(uri)
  const range = [url.searchParams.get("start"), url.searchParams.get("end")] as const
  url.search = ""
  const path = fileURLToPath(url)
  const source = { type: "uri", uri } as const
  if (statSync(path).isDirectory())
    return { data: base64(entriesOf(path)), mime: "application/x-directory", name, source }
  const content = readFileSync(path)
  if (content.length > ATTACHED_MAX_BYTES) throw invalid(`${name} is larger than 20 MiB`)
  return { data: linesOf(content, range).toString("base64"), mime: mimeOf(path, content), name, source }
}

const ATTACHED_MAX_BYTES = 20 * 1024 * 1024

/** Folders first, each sorted. */
function entriesOf(path: string): string {
  const entries = readdirSync(path, { withFileTypes: true })
  const names = (folders: boolean) =>
    entries
      .filter((entry) => entry.isDirectory() === folders)
      .map((entry) => entry.name)
      .sort()
  return [...names(true).map((name) => `${name}/`), ...names(false)].join("\n")
}

/** The lines from the first to the last, counted from 1; the bytes as they are without either. */
function linesOf(content: Buffer, [start, end]: readonly [string | null, string | null]): Buffer {
  if (start === null && end === null) return content
  const lines = content.toString("utf8").split("\n")
  const from = start === null ? 0 : Number(start) - 1
  return Buffer.from(lines.slice(from, end === null ? undefined : Number(end)).join("\n"))
}

function mimeOf(path: string, content: Buffer): string {
  if (/\.(?:png|jpe?g|gif|webp)$/i.test(path)) return "image/png"
  return content.includes(0) ? "application/octet-stream" : "text/plain"
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64")
}

/** What the model is sent for a stored user message: images apart, and nothing of any other kind. */
export function modelText(message: Readonly<Record<string, unknown>>): string {
  const files: readonly unknown[] = Array.isArray(message["files"]) ? message["files"] : []
  return [String(message["text"]), ...files.flatMap(attached)].join("\n")
}

function attached(file: unknown): string[] {
  if (!isRecord(file)) throw invalid("not a stored file")
  const mime = String(file["mime"])
  const kind = mime === "application/x-directory" ? "directory" : "file"
  if (mime.startsWith("image/")) return [`[image ${String(file["name"])}]`]
  if (kind === "file" && !mime.startsWith("text/")) return []
  const content = Buffer.from(String(file["data"]), "base64").toString("utf8")
  const about = typeof file["description"] === "string" ? `Description: ${file["description"]}\n` : ""
  return [`\nAttached ${kind}: ${String(file["name"])}\n${about}\n${content}`]
}

/** What is reverted stays listed until the next prompt, and then is gone. */
export function commitRevert(store: Store, sessionID: string): void {
  const { revert, ...session } = store.session(sessionID)
  if (!isRecord(revert)) return
  const from = text("revert.messageID", revert["messageID"])
  const rows = store.messages.get(sessionID) ?? []
  const at = rows.findIndex((row) => row.id === from)
  if (at !== -1) store.messages.set(sessionID, rows.slice(0, at))
  store.sessions.set(sessionID, session)
  store.emit("session.revert.committed", { sessionID, to: from })
}

/** What the hook is shown; the ids are not its to change. */
export function promptEvent(
  sessionID: string,
  messageID: string,
  given: Readonly<Record<string, unknown>>,
): object {
  const { id: _, delivery = "steer", resume: _resume, metadata, ...prompt } = given
  return Object.defineProperties(
    { prompt, delivery, ...(metadata === undefined ? {} : { metadata }) },
    { sessionID: { value: sessionID, enumerable: true }, messageID: { value: messageID, enumerable: true } },
  )
}
