import { isDeepStrictEqual } from "node:util"
import { field, type Call } from "../../session/capability.ts"
import type { V2Context } from "./context.ts"
import { bounded, type Http } from "./http.ts"
import type { Outcome } from "./trouble.ts"

// What the plugin asks of the host, each by the host's own method where this release has it and through the
// service otherwise. Only "it does not exist" is taken as the answer of a method; anything else is asked again
// over HTTP, because a method that is there may still want other arguments.

export type Calls = {
  session(id: string, signal?: AbortSignal): Promise<Outcome>
  /** `{ data, cursor }`. */
  sessions(query: PageQuery, signal?: AbortSignal): Promise<Outcome>
  /** `{ data, cursor }`. */
  messages(sessionID: string, query: PageQuery, signal?: AbortSignal): Promise<Outcome>
  message(sessionID: string, messageID: string, signal?: AbortSignal): Promise<Outcome>
  createSession(body: Readonly<Record<string, unknown>>): Promise<Outcome>
  /** Where the release has it; `no-route` otherwise. What the host takes and does not keep is a failure. */
  updateSession(id: string, body: Readonly<Record<string, unknown>>): Promise<Outcome>
}

export type PageQuery = {
  readonly limit: number
  /** Never together with `cursor`: the service refuses both. */
  readonly order?: "asc" | "desc"
  readonly cursor?: string
}

/** The calls of one plugin instance; `timeoutMs` bounds each call of the host itself. */
export function callsOf(context: V2Context, http: Http, timeoutMs: number): Calls {
  const own = (what: string, call: Call | undefined, args: Readonly<Record<string, unknown>>) =>
    call === undefined ? undefined : bounded(what, () => call(args), timeoutMs)

  async function either(what: string, direct: Promise<Outcome> | undefined, request: Parameters<Http>[1]) {
    const first = await direct
    if (first?.ok === true || first?.trouble.reason === "not-found") return first
    const second = await http(what, request)
    return second.ok || first === undefined || second.trouble.reason === "not-found" ? second : first
  }

  const messagesPath = (id: string) => `/api/session/${encodeURIComponent(id)}/message`

  return {
    async session(id, signal) {
      const what = `session ${id}`
      const request = { path: `/api/session/${encodeURIComponent(id)}`, signal }
      return unwrapped(await either(what, own(what, context.session.get, { sessionID: id }), request))
    },

    sessions(query, signal) {
      const request = { path: "/api/session", query: { ...query }, signal }
      return either("list of sessions", own("list of sessions", context.session.list, query), request)
    },

    messages(sessionID, query, signal) {
      const what = `messages of ${sessionID}`
      const request = { path: messagesPath(sessionID), query: { ...query }, signal }
      return either(what, own(what, context.message.list, { sessionID, ...query }), request)
    },

    async message(sessionID, messageID, signal) {
      const what = `message ${messageID}`
      const direct = own(what, context.message.get, { sessionID, messageID })
      const path = `${messagesPath(sessionID)}/${encodeURIComponent(messageID)}`
      return unwrapped(await either(what, direct, { path, signal }))
    },

    async createSession(body) {
      // Not asked twice: a call that failed late may have made one.
      const direct = own("new session", context.session.create, body)
      if (direct !== undefined) return unwrapped(await direct)
      return unwrapped(await http("new session", { method: "POST", path: "/api/session", body }))
    },

    async updateSession(id, body) {
      const what = `update of ${id}`
      const path = `/api/session/${encodeURIComponent(id)}`
      // The service first: the host's own method takes metadata, and drops it without a word.
      const patched = await http(what, { method: "PATCH", path, body })
      if (patched.ok || patched.trouble.reason === "not-found") return patched
      const direct = await own(what, context.session.update, { sessionID: id, ...body })
      if (direct?.ok === true) return held(direct, await this.session(id), body, what)
      if (typeof body["title"] !== "string" || Object.keys(body).length > 1) return direct ?? patched
      return http(what, { method: "POST", path: `${path}/rename`, body })
    },
  }
}

/** A success, when the session holds what was asked for. */
function held(
  done: Outcome,
  session: Outcome,
  body: Readonly<Record<string, unknown>>,
  what: string,
): Outcome {
  if (!session.ok) return session
  const lost = Object.keys(body).filter((key) => !isDeepStrictEqual(field(session.value, key), body[key]))
  if (lost.length === 0) return done
  return {
    ok: false,
    trouble: { reason: "failed", message: `${what}: OpenCode did not keep ${lost.join(", ")}` },
  }
}

/** A single result: the value itself from the host, `{ data }` from the service. */
function unwrapped(outcome: Outcome): Outcome {
  if (!outcome.ok || field(outcome.value, "id") !== undefined) return outcome
  return { ok: true, value: field(outcome.value, "data") }
}
