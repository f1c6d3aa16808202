import { call, sequence, text, type Reply } from "../test/hosts/reply.ts"
import { lastUserTexts, type ModelRequest } from "../test/hosts/request.ts"

// What the scripted model does in the tour: a little work, the handoff when it is asked for, and in the new
// session a look back at the old one.

export const files = ["src/retry.ts", "src/retry.test.ts", "docs/decisions.md"]

const handoffPrompt = `Goal: make the retry stop hammering the server.

Decided: exponential backoff with jitter, capped at 30 s, because a fixed delay let all clients retry together.
Constraint: no new dependency; the user wants tests first.
Ruled out: a queue in front of the server (too big for this fix).
State: retry() still waits a fixed 100 ms. Next: write the failing test, then change delayFor().`

/** The model's answer to a request. */
export function answer(request: ModelRequest): Reply {
  const last = request.body.messages.at(-1)
  const prompt = lastUserTexts(request).join("\n")
  if (last?.role === "tool") return text("Done.")
  if (prompt.startsWith("Write a handoff")) return call("handoff_session", { prompt: handoffPrompt, files })
  const source = /^Continuing work from session (ses_\w+)\./m.exec(prompt)?.[1]
  if (source !== undefined)
    return sequence(
      text("I have the files. One look back first."),
      call("read_session", { sessionId: source }),
    )
  return text(
    "A fixed delay makes all clients retry together. I suggest exponential backoff with jitter, capped at 30 s.",
  )
}
