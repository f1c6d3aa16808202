import { createOpencodeClient } from "@opencode-ai/sdk/client"
import type { History } from "../../history/contract.ts"
import type { HostFeed } from "../../history/sync/index.ts"
import { v1Feed } from "../../hosts/v1/feed.ts"
import { outsideFeed, registeredService, serviceAt } from "../../hosts/v2/outside.ts"
import { registrations } from "../../hosts/v2/registration.ts"
import type { Endpoint, Look } from "../../hosts/v2/service.ts"
import { keepV1 } from "../../hosts/v2/v1-history.ts"

// A running OpenCode of either generation, for the command. Which one it is, is known only here.

type Environment = Readonly<Record<string, string | undefined>>

export type Host = {
  /** For people: what is read. */
  readonly name: string
  readonly feed: HostFeed
  /** What stands between its sync and the index. */
  through(history: History): History
  close(): void
}

export type Connected =
  | { readonly ok: true; readonly host: Host }
  | { readonly ok: false; readonly error: string }

/** The server at an address: OpenCode 1's, or OpenCode 2's service. `dataDir` is where the index lies. */
export async function connectTo(
  url: string,
  password: string | undefined,
  dataDir: string,
  signal: AbortSignal,
): Promise<Connected> {
  const first = await checkV1(url, password, signal)
  if (first === "here") return { ok: true, host: v1Host(url, password) }
  if (first !== "another") return { ok: false, error: first }
  const second = await serviceAt(url, password, signal)
  if ("endpoint" in second) return { ok: true, host: v2Host(second.endpoint, dataDir) }
  return {
    ok: false,
    error: `${url} is no OpenCode server (${second.why}); give the address that \`opencode serve\` prints`,
  }
}

/** OpenCode 2's service that is registered on this machine, if one is there; it holds what its terminals show. */
export async function registeredHost(
  env: Environment,
  dataDir: string,
  signal: AbortSignal,
): Promise<Host | undefined> {
  const found = await registeredService(env, signal)
  return "endpoint" in found ? v2Host(found.endpoint, dataDir) : undefined
}

/** How the registered service is: undefined where none is registered, as on machines without OpenCode 2. */
export async function registeredState(env: Environment, signal: AbortSignal): Promise<Look | undefined> {
  const registered = await registrations(env, 0)
  return registered.length === 0 ? undefined : registeredService(env, signal)
}

function v1Host(url: string, password: string | undefined): Host {
  const client = createOpencodeClient({ baseUrl: url, headers: authorization(password) })
  return {
    name: `OpenCode 1 at ${url}`,
    feed: v1Feed(client),
    through: (history) => history,
    close: () => undefined,
  }
}

function v2Host(endpoint: Endpoint, dataDir: string): Host {
  const feed = outsideFeed(endpoint, dataDir)
  const name = `OpenCode 2's service at ${endpoint.url}`
  return { name, feed, through: keepV1, close: () => feed.close() }
}

/** Whether OpenCode 1 answers there; "another" when somebody else does. Anything else is for the user. */
async function checkV1(url: string, password: string | undefined, signal: AbortSignal): Promise<string> {
  try {
    const answer = await fetch(new URL("/global/health", url), {
      signal: AbortSignal.any([signal, AbortSignal.timeout(CHECK_MS)]),
      headers: authorization(password),
    })
    if (answer.status === 401)
      return `${url} asks for a password; write --password, or set OPENCODE_SERVER_PASSWORD`
    if (answer.ok && answer.headers.get("content-type")?.includes("json") === true) return "here"
    return "another"
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return `${url} does not answer (${why}); start \`opencode serve\`, or leave --url out`
  }
}

/** A server on this machine answers at once; one that is starting takes its time. */
const CHECK_MS = 15_000

function authorization(password: string | undefined): Readonly<Record<string, string>> {
  if (password === undefined || password === "") return {}
  return { Authorization: `Basic ${Buffer.from(`opencode:${password}`).toString("base64")}` }
}
