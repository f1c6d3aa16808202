import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { isRecord } from "../../../src/session/from-unknown.ts"
import { invalid, json, shape, text } from "./strict.ts"

// How V2 admits a prompt: the hook may change it, then the files are read and stored in the message, and the
// model gets them behind the user's text.

export const PROMPT_KEYS = ["text", "files", "agents", "skills"]

/** The prompt as it is stored. Refuses what is not V2's form. */
export function admitted(prompt: unknown): { readonly text: string; readonly files: readonly Stored[] } {
  const given = shape("prompt", prompt, ["text"], PROMPT_KEYS)
  json("prompt", given)
  const files: readonly unknown[] = Array.isArray(given["files"]) ? given["files"] : []
  return { text: text("prompt.text", given["text"]), files: files.map(stored) }
}

export type Stored = {
  readonly data: string
  readonly mime: string
  readonly name: string
  readonly source: { readonly type: "inline" } | { readonly type: "uri"; readonly uri: string }
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
  const [start, end] = [url.searchParams.get("start"), url.searchParams.get("end")]
  url.search = ""
  const lines = readFileSync(fileURLToPath(url), "utf8").split("\n")
  const content = lines
    .slice(start === null ? 0 : Number(start) - 1, end === null ? undefined : Number(end))
    .join("\n")
  return {
    data: Buffer.from(content).toString("base64"),
    mime: "text/plain",
    name,
    source: { type: "uri", uri },
  }
}

/** What the model is sent for a stored user message. */
export function modelText(message: Readonly<Record<string, unknown>>): string {
  const files: readonly unknown[] = Array.isArray(message["files"]) ? message["files"] : []
  const attached = files.map((file) => {
    if (!isRecord(file)) throw invalid("not a stored file")
    return `\nAttached file: ${String(file["name"])}\n\n${Buffer.from(String(file["data"]), "base64").toString("utf8")}`
  })
  return [String(message["text"]), ...attached].join("\n")
}
