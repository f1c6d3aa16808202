import type { HostResult } from "../host.ts"
import { attempt, transport, type V1Client, type V1Reply } from "./client.ts"

// GETs below `/session/:id` that leave the session's folder alone. V1 answers them in an instance of that
// folder, and starts one when there is none: plugins, MCP servers, watchers, for every folder ever worked in.
// It takes the id from the path as it is written, so with one letter written as %xx the call is answered in the
// plugin's own instance. A host that does not know an id written so is asked again in the plain form.

type Query = Readonly<Record<string, string | number>>

/** `rest` is what follows the id, such as "/message". */
export type SessionGet = (
  id: string,
  rest: string,
  query: Query,
  signal?: AbortSignal,
) => Promise<HostResult<V1Reply>>

/** A plain GET of this instance. */
export type Get = (path: string, query: Query, signal?: AbortSignal) => Promise<HostResult<V1Reply>>

export function instanceGet(client: V1Client, timeoutMs: number): Get {
  return (path, query, signal) => {
    const abort = signal === undefined ? {} : { signal }
    return attempt(path, () => transport(client).get({ url: path, query, ...abort }), timeoutMs)
  }
}

export function sessionGet(get: Get): SessionGet {
  /** Known with the first answer that tells; until then a refusal may be due to the form. */
  let form: "unknown" | "escaped" | "plain" = "unknown"

  return async (id, rest, query, signal) => {
    const plain = `/session/${encodeURIComponent(id)}${rest}`
    if (form === "plain") return get(plain, query, signal)
    const escaped = await get(`/session/${escapedID(id)}${rest}`, query, signal)
    if (escaped.ok) form = "escaped"
    if (escaped.ok || form === "escaped" || escaped.fault.late === true) return escaped
    const again = await get(plain, query, signal)
    if (again.ok) form = "plain"
    return again
  }
}

/** Behind its prefix "ses", which the host checks before it decodes. */
const ESCAPED_AT = 3

/** The id as a part of a path, with one more letter escaped than needed. */
export function escapedID(id: string): string {
  const code = id.charCodeAt(ESCAPED_AT)
  // Shorter than any id, or escaped anyway.
  if (!(code < 0x80)) return encodeURIComponent(id)
  const letter = `%${code.toString(16).toUpperCase().padStart(2, "0")}`
  return encodeURIComponent(id.slice(0, ESCAPED_AT)) + letter + encodeURIComponent(id.slice(ESCAPED_AT + 1))
}
