import type { PluginInput } from "@opencode-ai/plugin"
import type { HostResult } from "../host.ts"

// Every call to the V1 host goes through `attempt`: its client answers a refusal as `{ error }`, and an
// unreachable host may throw. Both become values here, so that no hook and no tool can be broken by one.

export type V1Client = PluginInput["client"]

type Answer = { readonly data?: unknown; readonly error?: unknown; readonly response?: Response }

export type V1Reply = { readonly data: unknown; readonly headers: Headers }

/**
 * Waits for one host call. The value is the raw answer; a refusal is `not-found` for HTTP 404 and `failed`
 * otherwise. `timeoutMs` bounds the wait where a person is waiting too.
 */
export async function attempt(
  what: string,
  call: () => Promise<Answer>,
  timeoutMs?: number,
): Promise<HostResult<V1Reply>> {
  try {
    const answer = await bounded(call(), timeoutMs)
    if (answer === undefined) {
      const message = `${what}: no answer from OpenCode within ${timeoutMs} ms`
      return { ok: false, fault: { reason: "failed", message, late: true } }
    }
    if (answer.error === undefined)
      return { ok: true, value: { data: answer.data, headers: answer.response?.headers ?? new Headers() } }
    if (answer.response?.status === 404)
      return { ok: false, fault: { reason: "not-found", message: `${what}: not found` } }
    return failed(`${what}: ${describe(answer.error)}`)
  } catch (error) {
    return failed(`${what}: ${describe(error)}`)
  }
}

type Transport = {
  get(request: Request): Promise<Answer>
  patch(request: Request): Promise<Answer>
}

type Request = {
  readonly url: string
  readonly query?: Readonly<Record<string, string | number | boolean>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** The client's own transport, for routes and fields of the API that its methods do not have. Throws without one. */
export function transport(client: V1Client): Transport {
  const own: unknown = Reflect.get(client, "_client")
  if (!isTransport(own)) throw new Error("the OpenCode client has no transport")
  return own
}

function isTransport(value: unknown): value is Transport {
  return (
    (typeof value === "object" || typeof value === "function") &&
    value !== null &&
    typeof Reflect.get(value, "get") === "function" &&
    typeof Reflect.get(value, "patch") === "function"
  )
}

/** One line that says what went wrong, from whatever was thrown or answered. */
export function describe(error: unknown): string {
  if (error instanceof Error) return firstLine(error.message || error.name)
  if (typeof error === "string") return firstLine(error)
  return firstLine(JSON.stringify(error) ?? String(error))
}

function failed(message: string): HostResult<never> {
  return { ok: false, fault: { reason: "failed", message } }
}

const maxFaultUnits = 300

function firstLine(text: string): string {
  return (text.split("\n", 1)[0] ?? "").slice(0, maxFaultUnits)
}

async function bounded(answer: Promise<Answer>, timeoutMs: number | undefined): Promise<Answer | undefined> {
  if (timeoutMs === undefined) return answer
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => late.resolve(undefined), timeoutMs)
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
