import { readdirSync, readFileSync, statSync } from "node:fs"
import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import { isRecord } from "../../../src/session/from-unknown.ts"
import { ATTACHED_MAX_BYTES, isText, mimeOf } from "./mime.ts"
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
  readonly name?: string
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
  const name = file["name"] === undefined ? {} : { name: text("file.name", file["name"]) }
  if (uri.startsWith("data:")) {
    const content = contentOf(uri)
    return { ...admittedBytes(content, name.name ?? "data"), ...name, source: { type: "inline" } }
  }
  if (!uri.startsWith("file:")) throw invalid(`unsupported attachment ${uri}`)
  const url = new URL(uri)
  const range = [url.searchParams.get("start"), url.searchParams.get("end")] as const
  url.search = ""
  const path = fileURLToPath(url)
  const named = { name: basename(path), ...name }
  const source = { type: "uri", uri } as const
  const info = statSync(path, { throwIfNoEntry: false })
  if (info === undefined) throw invalid(`${named.name} does not exist`)
  if (info.isDirectory())
    return { data: base64(entriesOf(path)), mime: "application/x-directory", ...named, source }
  if (!info.isFile()) throw invalid(`${named.name} is a special file`)
  const { data, mime } = admittedBytes(readFileSync(path), named.name)
  const lines = mime === "text/plain" ? linesOf(Buffer.from(data, "base64"), range) : undefined
  return { data: lines?.toString("base64") ?? data, mime, ...named, source }
}

/** The bytes of a `data:` address: percent-encoded, or base64 as an encoder writes it and in no other spelling. */
function contentOf(uri: string): Buffer {
  const [, coded, body = ""] = /^data:[^,]*?(;base64)?,(.*)$/s.exec(uri) ?? []
  if (coded === undefined) return Buffer.from(decodeURIComponent(body))
  const content = Buffer.from(body, "base64")
  if (content.toString("base64") !== body) throw invalid("data: not canonical base64")
  return content
}

function admittedBytes(content: Buffer, name: string): { readonly data: string; readonly mime: string } {
  if (content.length > ATTACHED_MAX_BYTES) throw invalid(`${name} is larger than 20 MiB`)
  const mime = mimeOf(content)
  // Bytes of text make no picture that can be decoded.
  if (mime.startsWith("image/") && isText(content)) throw invalid(`${name} cannot be decoded as ${mime}`)
  return { data: content.toString("base64"), mime }
}

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

/** The lines from the first to the last, counted from 1. Without a first one the last is ignored. */
function linesOf(content: Buffer, [start, end]: readonly [string | null, string | null]): Buffer {
  const from = lineNumber(start)
  if (from === undefined) return content
  return Buffer.from(
    content
      .toString("utf8")
      .split("\n")
      .slice(from - 1, lineNumber(end))
      .join("\n"),
  )
}

function lineNumber(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d*$/.test(text) ? Number(text) : undefined
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
  const name = String(file["name"] ?? Reflect.get(Object(file["source"]), "uri") ?? "inline attachment")
  if (/^image\/(?:png|jpeg|gif|webp)$/.test(mime)) return [`[image ${name}]`]
  if (kind === "file" && !mime.startsWith("text/")) return []
  const content = Buffer.from(String(file["data"]), "base64").toString("utf8")
  const about = typeof file["description"] === "string" ? `Description: ${file["description"]}\n` : ""
  return [`\nAttached ${kind}: ${name}\n${about}\n${content}`]
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

/** What the hook is shown: a copy, of which the ids are not its to change. */
export function promptEvent(
  sessionID: string,
  messageID: string,
  given: Readonly<Record<string, unknown>>,
): object {
  const { id: _, delivery = "steer", resume: _resume, metadata, ...prompt } = structuredClone(given)
  return Object.defineProperties(
    { prompt, delivery, ...(metadata === undefined ? {} : { metadata }) },
    { sessionID: { value: sessionID, enumerable: true }, messageID: { value: messageID, enumerable: true } },
  )
}
