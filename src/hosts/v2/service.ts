import { field, textField } from "../../session/capability.ts"
import { describe } from "./trouble.ts"
import { registrations, type Registration } from "./registration.ts"

// Finds the service this plugin's host registered, in the background and again after it went away. Nobody has to
// wait for it: at the plugin's start it is often not ready, and a stand-alone terminal never registers.

export type Endpoint = { readonly url: string; readonly headers: Readonly<Record<string, string>> }

export type Service = {
  /** The service, waited for up to `waitMs`; undefined when it is not found by then. */
  endpoint(waitMs: number, signal?: AbortSignal): Promise<Endpoint | undefined>
  /** It did not answer, or refused the password: it is looked for anew. */
  lost(endpoint: Endpoint): void
  /** Why there is none. */
  why(): string
  /** The same, or undefined while there is one. */
  missing(): string | undefined
  close(): void
}

export type ServiceSetup = {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The version the service must report; "" takes any. */
  readonly version: string
  readonly pid: number
}

/** As long as OpenCode's own client waits for a sign of health. */
export const PROBE_MS = 2_000

/** The wait between two looks, as OpenCode's own client has it. */
export const RETRY_MS = 1_000

/** Looks without success after which nobody looks any more until the next call asks. */
export const LOOKS_MAX = 60

/** A service that starts together with its plugins is up within this; afterwards one look tells. */
export const START_MS = 10_000

/** Where a service tells that it is up, new releases first; a release has one of them. */
const HEALTH_PATHS = ["/api/info", "/api/health", "/api/status"]

/** A finder that has not looked yet. */
export function findService(setup: ServiceSetup): Service {
  const ending = new AbortController()
  let found: Endpoint | undefined
  let looking: Promise<void> | undefined
  let reason = "it was not looked for yet"
  let waiting: (() => void)[] = []
  const startedAt = performance.now()

  async function look(): Promise<void> {
    for (let looks = 0; looks < LOOKS_MAX && !ending.signal.aborted; looks++) {
      const look = await lookForService(setup, ending.signal)
      if ("endpoint" in look) {
        found = look.endpoint
        return
      }
      reason = look.why
      if (performance.now() - startedAt > START_MS) wakeAll()
      await idle(RETRY_MS, ending.signal)
    }
  }

  function start(): Promise<void> {
    looking ??= look()
      .catch((error: unknown) => {
        reason = describe(error)
      })
      .finally(() => {
        looking = undefined
        wakeAll()
      })
    return looking
  }

  function wakeAll(): void {
    const woken = waiting
    waiting = []
    for (const wake of woken) wake()
  }

  return {
    async endpoint(waitMs, signal) {
      if (found !== undefined || ending.signal.aborted) return found
      const waited = Promise.withResolvers<void>()
      waiting.push(waited.resolve)
      void start()
      const ended = new AbortController()
      await Promise.race([
        waited.promise,
        pause(waitMs, AbortSignal.any([ended.signal, ...(signal ? [signal] : [])])),
      ])
      ended.abort()
      return found
    },
    lost(endpoint) {
      if (found !== endpoint) return
      found = undefined
      reason = "OpenCode's service went away"
    },
    why: () => reason,
    missing: () => (found === undefined ? reason : undefined),
    close: () => ending.abort(),
  }
}

/** A service that is up and the right one; otherwise what is wrong, of several the last one's. */
export type Look = { readonly endpoint: Endpoint } | { readonly why: string }

/** Looks once at all that is registered. Never throws; takes at most some seconds. */
export async function lookForService(setup: ServiceSetup, ending: AbortSignal): Promise<Look> {
  let look: Look = { why: "OpenCode has registered no service on this machine" }
  for (const registration of await registrations(setup.env, setup.pid)) {
    look = await probeService(registration, setup, ending)
    if ("endpoint" in look) return look
  }
  return look
}

/** Asks one service how it is. */
export async function probeService(
  registration: Registration,
  setup: ServiceSetup,
  ending: AbortSignal,
): Promise<Look> {
  const why = await probe(registration, setup, ending)
  return why === undefined ? { endpoint: endpointOf(registration) } : { why }
}

/** Undefined when the service is up and the right one; otherwise what is wrong. */
async function probe(
  registration: Registration,
  setup: ServiceSetup,
  ending: AbortSignal,
): Promise<string | undefined> {
  const { headers } = endpointOf(registration)
  for (const path of HEALTH_PATHS) {
    const signal = AbortSignal.any([ending, AbortSignal.timeout(PROBE_MS)])
    try {
      const answer = await fetch(registration.url + path, { headers, signal, redirect: "error" })
      const text = await answer.text()
      if (answer.status === 404) continue
      if (answer.status === 401) return "OpenCode's service refused the registered password"
      if (!answer.ok) return `OpenCode's service answered HTTP ${answer.status}`
      return mismatch(JSON.parse(text), registration, setup)
    } catch (error) {
      return `OpenCode's service at ${registration.url} does not answer: ${describe(error)}`
    }
  }
  return `OpenCode's service at ${registration.url} has no health address this version knows`
}

function mismatch(body: unknown, registration: Registration, setup: ServiceSetup): string | undefined {
  const info = field(body, "data") ?? body
  const pid = field(info, "pid")
  if (typeof pid === "number" && registration.pid !== undefined && pid !== registration.pid)
    return "the registered address belongs to another process by now"
  if (field(info, "healthy") === false || textField(info, "state") === "starting")
    return "OpenCode's service is not ready yet"
  const version = textField(info, "version") || registration.version
  if (registration.pid !== setup.pid && version !== "" && setup.version !== "" && version !== setup.version)
    return `the registered service is OpenCode ${version}, this is ${setup.version}`
  return undefined
}

function endpointOf(registration: Registration): Endpoint {
  if (registration.password === "") return { url: registration.url, headers: {} }
  const credentials = Buffer.from(`opencode:${registration.password}`).toString("base64")
  return { url: registration.url, headers: { authorization: `Basic ${credentials}` } }
}

/** A wait that ends early when aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return wait(ms, signal).done
}

/** The same, without keeping the process alive: for what nobody waits for. */
export function idle(ms: number, signal?: AbortSignal): Promise<void> {
  const { timer, done } = wait(ms, signal)
  timer?.unref()
  return done
}

function wait(ms: number, signal: AbortSignal | undefined) {
  const ended = Promise.withResolvers<void>()
  if (signal?.aborted === true) {
    ended.resolve()
    return { timer: undefined, done: ended.promise }
  }
  const end = () => {
    clearTimeout(timer)
    signal?.removeEventListener("abort", end)
    ended.resolve()
  }
  const timer = setTimeout(end, ms)
  signal?.addEventListener("abort", end, { once: true })
  return { timer, done: ended.promise }
}
