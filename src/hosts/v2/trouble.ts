import type { HostFault } from "../host.ts"
import { field, textField } from "../../session/capability.ts"

// What went wrong in a call, as a value. The service answers `{ _tag, message }`; its client and the plugin
// context throw an Error whose name is the tag.

/**
 * `late`: not answered in time; it may have been carried out, so what changes something is not asked for again.
 * `no-route`: this release does not have the address; another may. `no-service`: nothing was asked. `undecodable`: the
 * host failed inside, as it does for all of a page in which one stored message cannot be decoded. `too-large`: more
 * than is read of one answer.
 */
export type Trouble = {
  readonly reason:
    | HostFault["reason"]
    | "late"
    | "no-route"
    | "no-service"
    | "unreachable"
    | "refused"
    | "undecodable"
    | "too-large"
  readonly message: string
}

export type Outcome =
  /** `bytes`: how much came, where the host was asked over HTTP. */
  | { readonly ok: true; readonly value: unknown; readonly bytes?: number }
  | { readonly ok: false; readonly trouble: Trouble }

/** Tags that say that what was asked for does not exist. */
const NOT_FOUND: ReadonlySet<string> = new Set([
  "SessionNotFoundError",
  "MessageNotFoundError",
  "NotFoundError",
])

/** The tag of what failed inside of the host. */
const INSIDE = "UnknownError"

/** A thrown value as trouble. */
export function thrown(what: string, error: unknown): Trouble {
  const tag = textField(error, "_tag") || textField(error, "name")
  if (NOT_FOUND.has(tag)) return { reason: "not-found", message: `${what}: not found` }
  return { reason: tag === INSIDE ? "undecodable" : "failed", message: `${what}: ${describe(error)}` }
}

/** An answer of the service that is no success. */
export function answered(what: string, status: number, body: unknown): Trouble {
  const tag = textField(body, "_tag")
  const text = oneLine(textField(body, "message") || textField(field(body, "error"), "message") || tag)
  const message = `${what}: ${text === "" ? `HTTP ${status}` : `${text} (HTTP ${status})`}`
  if (status === 404) return tag === "" ? { reason: "no-route", message } : notFound(what, tag, message)
  if (status === 401 || status === 403) return { reason: "refused", message }
  return { reason: tag === INSIDE ? "undecodable" : "failed", message }
}

function notFound(what: string, tag: string, message: string): Trouble {
  return NOT_FOUND.has(tag)
    ? { reason: "not-found", message: `${what}: not found` }
    : { reason: "failed", message }
}

/** The trouble as the tools know it. */
export function faultOf(trouble: Trouble): HostFault {
  return { reason: trouble.reason === "not-found" ? "not-found" : "failed", message: trouble.message }
}

/** One line that says what went wrong, from whatever was thrown or answered. */
export function describe(error: unknown): string {
  if (error instanceof Error) return oneLine(error.message || error.name)
  if (typeof error === "string") return oneLine(error)
  const message = textField(error, "message")
  return oneLine(message === "" ? (JSON.stringify(error) ?? String(error)) : message)
}

const maxFaultUnits = 300

function oneLine(text: string): string {
  return (text.split("\n", 1)[0] ?? "").slice(0, maxFaultUnits)
}
