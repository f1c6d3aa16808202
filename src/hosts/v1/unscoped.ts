import { isRecord } from "../../session/from-unknown.ts"
import type { HostResult } from "../host.ts"
import { attempt, type V1Client, type V1Reply } from "./client.ts"

// A GET for all directories. The client turns its own directory into a filter; an empty filter alone makes the
// host start an instance, plugins included, for the folder it was started in. So the filter is emptied and the
// directory goes along as the header that only chooses the instance.

/** Sends `query` with no directory filter, in this plugin's own instance. */
export function getUnscoped(
  client: V1Client,
  url: string,
  query: Query,
  wait: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
): Promise<HostResult<V1Reply>> {
  const own: unknown = Reflect.get(client, "_client")
  if (!isTransport(own)) {
    const message = `${url}: this OpenCode's client has no transport`
    return Promise.resolve({ ok: false, fault: { reason: "failed", message } })
  }
  const { fetch: send, directory } = own.getConfig()
  const keepDirectory = (request: Request): Promise<Response> => {
    const headers = new Headers(request.headers)
    if (directory !== undefined) headers.set("x-opencode-directory", encodeURIComponent(directory))
    return (send ?? globalThis.fetch)(new Request(request, { headers }))
  }
  const abort = wait.signal === undefined ? {} : { signal: wait.signal }
  const options = { url, query: { ...query, directory: "" }, fetch: keepDirectory, ...abort }
  return attempt(url, () => own.get(options), wait.timeoutMs)
}

type Query = Readonly<Record<string, string | number | boolean>>

type Transport = {
  getConfig(): { readonly fetch?: (request: Request) => Promise<Response>; readonly directory?: string }
  get(options: {
    readonly url: string
    readonly query: Query
    readonly fetch: (request: Request) => Promise<Response>
    readonly signal?: AbortSignal
  }): Promise<{ readonly data?: unknown; readonly error?: unknown; readonly response?: Response }>
}

function isTransport(value: unknown): value is Transport {
  if (!isRecord(value) && typeof value !== "function") return false
  return (
    typeof Reflect.get(value, "get") === "function" && typeof Reflect.get(value, "getConfig") === "function"
  )
}
