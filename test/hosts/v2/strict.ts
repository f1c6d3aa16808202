import { isDeepStrictEqual } from "node:util"
import { isRecord } from "../../../src/session/from-unknown.ts"

// How the contract host refuses: with the service's tags, and with a note of every breach, so that a plugin that
// swallows the refusal is caught too.

export class Refusal extends Error {
  readonly status: number
  readonly fields: Readonly<Record<string, unknown>>
  constructor(tag: string, status: number, message: string, fields: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.name = tag
    this.status = status
    this.fields = fields
  }
  body(): Readonly<Record<string, unknown>> {
    return { _tag: this.name, message: this.message, ...this.fields }
  }
}

export const invalid = (message: string) => new Refusal("InvalidRequestError", 400, message)
export const noSession = (id: string) =>
  new Refusal("SessionNotFoundError", 404, `no session ${id}`, { sessionID: id })
export const noMessage = (id: string) =>
  new Refusal("MessageNotFoundError", 404, `no message ${id}`, { messageID: id })

/** A stored message that cannot be decoded fails whatever holds it. */
export const undecodable = () =>
  new Refusal("UnknownError", 500, "Unexpected server error", { ref: "err_0badc0de" })

/** An object with known keys and the needed ones. */
export function shape(
  what: string,
  value: unknown,
  needed: readonly string[],
  allowed: readonly string[] = [],
): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw invalid(`${what}: not an object`)
  for (const key of Object.keys(value))
    if (![...needed, ...allowed].includes(key)) throw invalid(`${what}: unknown key ${key}`)
  for (const key of needed) if (value[key] === undefined) throw invalid(`${what}: ${key} is missing`)
  return value
}

export function text(what: string, value: unknown): string {
  if (typeof value !== "string") throw invalid(`${what}: not a text`)
  return value
}

/** What JSON can hold comes back as it was. */
export function json(what: string, value: unknown): void {
  const copy: unknown = JSON.parse(JSON.stringify(value) ?? "null")
  if (!isDeepStrictEqual(copy, value)) throw invalid(`${what}: not a value that JSON can hold`)
}
