import { isRecord } from "../../../src/session/from-unknown.ts"
import type { Store } from "./store.ts"
import { invalid, shape, text } from "./strict.ts"

// Questions of plugins to the user, and what the rules and the user say.

export type Rules = {
  effect: "allow" | "deny" | "ask"
  reply: "once" | "always" | "reject" | undefined
}

/** The route that asks; every question is kept in `questions`. `earlier` replies under the names of before. */
export function asker(
  store: Store,
  rules: Rules,
  questions: Readonly<Record<string, unknown>>[],
  earlier: boolean,
): (sessionID: string, body: unknown) => unknown {
  return (sessionID, body) => {
    if (!isRecord(body) || !Array.isArray(body["resources"])) throw invalid("permission")
    if (body["source"] !== undefined) {
      const source = shape("source", body["source"], ["type", "messageID", "callID"])
      if (source["type"] !== "tool") throw invalid("source.type")
      store.message(sessionID, text("source.messageID", source["messageID"]))
      text("source.callID", source["callID"])
    }
    questions.push(body)
    const id = store.id("per")
    const reply = rules.reply
    // Nothing keeps the reply from being there before the answer.
    if (rules.effect === "ask" && reply !== undefined)
      store.emit(
        earlier ? "permission.v2.replied" : "permission.replied",
        earlier ? { sessionID, permissionID: id, response: reply } : { sessionID, requestID: id, reply },
      )
    return { id, effect: rules.effect }
  }
}
