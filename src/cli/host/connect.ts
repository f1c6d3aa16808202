import { createOpencodeClient } from "@opencode-ai/sdk/client"
import type { HostFeed } from "../../history/sync/index.ts"
import { v1Feed } from "../../hosts/v1/feed.ts"

/** The sync's feed over HTTP, of a V1 server. Nothing is asked before the first call. */
export function httpFeed(url: string, password: string | undefined): HostFeed {
  const secret = Buffer.from(`opencode:${password ?? ""}`).toString("base64")
  const headers = password === undefined || password === "" ? {} : { Authorization: `Basic ${secret}` }
  return v1Feed(createOpencodeClient({ baseUrl: url, headers }))
}

/** What a server says of itself, or why it cannot be used. */
export async function checkServer(
  url: string,
  password: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const secret = Buffer.from(`opencode:${password ?? ""}`).toString("base64")
  try {
    const answer = await fetch(new URL("/global/health", url), {
      signal: AbortSignal.any([signal, AbortSignal.timeout(CHECK_MS)]),
      ...(password ? { headers: { Authorization: `Basic ${secret}` } } : {}),
    })
    if (answer.status === 401)
      return `${url} asks for a password; write --password, or set OPENCODE_SERVER_PASSWORD`
    if (answer.ok && answer.headers.get("content-type")?.includes("json") === true) return undefined
    return `${url} is no OpenCode 1 server; give the address that \`opencode serve\` prints`
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return `${url} does not answer (${why}); start \`opencode serve\`, or leave --url out`
  }
}

/** A server on this machine answers at once; one that is starting takes its time. */
const CHECK_MS = 15_000
