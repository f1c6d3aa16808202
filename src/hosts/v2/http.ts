import { readBody, TEXT_MAX_BYTES } from "./body.ts"
import { pause, type Endpoint, type Service } from "./service.ts"
import { answered, describe, thrown, type Outcome, type Trouble } from "./trouble.ts"
import { parseJson } from "../../text/json.ts"

// One request to the service. It never throws: a refusal, an unreachable service and an answer that is not JSON
// are values.

export type Request = {
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE"
  readonly path: string
  readonly query?: Readonly<Record<string, string | number>>
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

export type Http = (what: string, request: Request) => Promise<Outcome>

export type HttpTimes = {
  /** How long the service is waited for while it is not known. */
  readonly waitMs: number
  /** How long one answer may take. */
  readonly timeoutMs: number
}

/** Requests to the service with the given patience. A read is asked again once when the service was replaced. */
export function httpTo(service: Service, times: HttpTimes): Http {
  return async (what, request) => {
    const first = await attempt(service, times, what, request)
    const again = !first.ok && (first.trouble.reason === "unreachable" || first.trouble.reason === "refused")
    if (!again || (request.method ?? "GET") !== "GET" || request.signal?.aborted === true) return first
    return attempt(service, times, what, request)
  }
}

async function attempt(service: Service, times: HttpTimes, what: string, request: Request): Promise<Outcome> {
  const endpoint = await service.endpoint(times.waitMs, request.signal)
  if (endpoint === undefined)
    return {
      ok: false,
      trouble: {
        reason: "no-service",
        message: `${what}: OpenCode's service is not reachable: ${service.why()}`,
      },
    }
  const outcome = await send(endpoint, times, what, request)
  const isLost =
    !outcome.ok && (outcome.trouble.reason === "unreachable" || outcome.trouble.reason === "refused")
  if (isLost) service.lost(endpoint)
  return outcome
}

async function send(endpoint: Endpoint, times: HttpTimes, what: string, request: Request): Promise<Outcome> {
  const url = new URL(request.path, endpoint.url)
  for (const [name, value] of Object.entries(request.query ?? {})) url.searchParams.set(name, String(value))
  const late = AbortSignal.timeout(times.timeoutMs)
  const signal = request.signal === undefined ? late : AbortSignal.any([request.signal, late])
  const json = request.body === undefined ? {} : { "content-type": "application/json" }
  try {
    const answer = await fetch(url, {
      method: request.method ?? "GET",
      headers: { ...endpoint.headers, ...json },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      signal,
      redirect: "error",
    })
    const { text, bytes } = await readBody(answer)
    if (text === undefined) return { ok: false, trouble: tooLarge(what) }
    // Undefined for none and for one that is not JSON (the page of a web interface).
    const body = parseJson(text)
    if (!answer.ok) return { ok: false, trouble: answered(what, answer.status, body) }
    return { ok: true, value: body, bytes }
  } catch (error) {
    if (request.signal?.aborted === true) return failed(`${what}: the call was aborted`)
    if (late.aborted) return { ok: false, trouble: tooLate(what, times.timeoutMs) }
    return { ok: false, trouble: { reason: "unreachable", message: `${what}: ${describe(error)}` } }
  }
}

function tooLate(what: string, ms: number): Trouble {
  return { reason: "late", message: `${what}: no answer from OpenCode within ${ms} ms` }
}

function tooLarge(what: string): Trouble {
  const message = `${what}: more than ${TEXT_MAX_BYTES / 1024 / 1024} MiB besides attachments`
  return { reason: "too-large", message }
}

function failed(message: string): Outcome {
  return { ok: false, trouble: { reason: "failed", message } }
}

/** A call of the host itself, bounded like a request. Never throws. */
export async function bounded(what: string, call: () => unknown, ms: number): Promise<Outcome> {
  const ending = new AbortController()
  const late = Symbol("late")
  try {
    const value = await Promise.race([call(), pause(ms, ending.signal).then(() => late)])
    if (value === late) return { ok: false, trouble: tooLate(what, ms) }
    return { ok: true, value }
  } catch (error) {
    return { ok: false, trouble: thrown(what, error) }
  } finally {
    ending.abort()
  }
}
