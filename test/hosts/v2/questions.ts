import { isRecord } from "../../../src/session/from-unknown.ts"
import { effectOf, type Agents, type Effect, type Rule } from "./agents.ts"
import type { Store } from "./store.ts"
import { invalid, Refusal, shape, text } from "./strict.ts"

// Questions of plugins to the user: what the rules say, and the requests that wait until somebody replies.

export type Rules = {
  /** What the user's configuration says of every question; "ask" is the host's default. */
  effect: Effect
  /** What the user replies at once; undefined leaves the question open. */
  reply: Reply | undefined
}

export type Reply = "once" | "always" | "reject"

type Request = Readonly<Record<string, unknown>> & { readonly id: string; readonly sessionID: string }

export type Questions = {
  /** Every question that was put, in order. */
  readonly put: Readonly<Record<string, unknown>>[]
  /** Those that nobody replied to, by id. */
  readonly pending: Map<string, Request>
  /** Every reply, whoever gave it. */
  readonly replies: { readonly id: string; readonly reply: string }[]
  ask(
    sessionID: string,
    body: Readonly<Record<string, unknown>>,
  ): { readonly id: string; readonly effect: Effect }
  list(sessionID: string): readonly Request[]
  get(sessionID: string, id: string): Request
  reply(sessionID: string, id: string, reply: string): void
}

/** `earlier` has the names of before. */
export function createQuestions(store: Store, agents: Agents, rules: Rules, earlier: boolean): Questions {
  const saved: Rule[] = []
  const pending = new Map<string, Request>()
  const replied = earlier ? "permission.v2.replied" : "permission.replied"

  function effect(sessionID: string, action: string, resources: readonly string[]): Effect {
    const session = store.session(sessionID)
    const own = agents.of(session)
    const inSession = Array.isArray(session["permissions"]) ? (session["permissions"] as Rule[]) : []
    const all = [...(own?.permissions ?? []), { action, resource: "*", effect: rules.effect }, ...inSession]
    const say = (list: readonly Rule[]) => resources.map((resource) => effectOf(list, action, resource))
    // What the user allowed for good comes after a refusal of the rules.
    if (own === undefined || say(all).includes("deny")) return "deny"
    return say([...all, ...saved]).includes("ask") ? "ask" : "allow"
  }

  const questions: Questions = {
    put: [],
    pending,
    replies: [],
    ask(sessionID, body) {
      const { action, resources, source, save } = body
      if (!Array.isArray(resources) || resources.length === 0) throw invalid("permission.resources")
      if (source !== undefined) {
        const given = shape("source", source, ["type", "messageID"], ["callID", "id"])
        if (given["type"] !== "tool") throw invalid("source.type")
        store.message(sessionID, text("source.messageID", given["messageID"]))
        text("source call", given[earlier ? "callID" : "id"])
      }
      questions.put.push(body)
      const id = store.id("per")
      const verdict = effect(sessionID, text("action", action), resources.map(String))
      if (verdict !== "ask") return { id, effect: verdict }
      pending.set(id, { ...body, id, sessionID, ...(save === undefined ? {} : { save }) })
      store.emit(earlier ? "permission.v2.asked" : "permission.asked", { sessionID, id })
      // Nothing keeps the reply from being there before the answer.
      if (rules.reply !== undefined) questions.reply(sessionID, id, rules.reply)
      return { id, effect: "ask" }
    },
    list: (sessionID) => [...pending.values()].filter((request) => request.sessionID === sessionID),
    get(sessionID, id) {
      const request = pending.get(id)
      if (request?.sessionID !== sessionID)
        throw new Refusal("PermissionNotFoundError", 404, `no request ${id}`, { requestID: id })
      return request
    },
    reply(sessionID, id, reply) {
      const request = questions.get(sessionID, id)
      if (reply !== "once" && reply !== "always" && reply !== "reject") throw invalid("permission reply")
      const settle = (one: string) => {
        pending.delete(one)
        questions.replies.push({ id: one, reply })
        store.emit(replied, { sessionID, requestID: one, reply })
      }
      if (reply === "always" && Array.isArray(request["save"]))
        for (const resource of request["save"])
          saved.push({ action: String(request["action"]), resource: String(resource), effect: "allow" })
      settle(id)
      // Who refuses one, refuses what else the session asks.
      if (reply === "reject") for (const other of questions.list(sessionID)) settle(other.id)
    },
  }
  return questions
}

/** The reply in a body: `decision`, or `reply` in the names of before. Other keys are dropped. */
export function replyIn(body: unknown, earlier: boolean): string {
  if (!isRecord(body)) throw invalid("permission reply")
  return text("reply", body[earlier ? "reply" : "decision"])
}
