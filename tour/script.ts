import { call, calls, sequence, text, type Reply } from "../test/hosts/reply.ts"
import { lastUserTexts, toolResults, type ModelRequest } from "../test/hosts/request.ts"

// What the scripted model does in the tour: a little work, the handoff when it is asked for, in the new session a
// look back at the old one and an edit, and later a search through all of it.

export const question = "What did we decide about the retries, and what came of it?"

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
  if (last?.role === "tool") return next(request)
  if (prompt === question)
    return calls([
      ["history-search-messages", { query: 'backoff "fixed delay"', role: "assistant" }],
      ["history-search-edits", { query: "path:src/retry.ts" }],
      ["history-search-sessions", { query: "retry" }],
    ])
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

/** What follows a tool's answer. */
function next(request: ModelRequest): Reply {
  const results = toolResults(request)
  const last = results.at(-1)
  if (last?.tool === "read_session")
    return call("edit", {
      filePath: "src/retry.ts",
      oldString: "return 100",
      newString: "return 100 * 2 ** attempt",
    })
  if (last?.tool !== "history-search-sessions") return text("Done.")
  const hit = results.find((result) => result.tool === "history-search-messages")?.output ?? ""
  const [, sessionID] = /^".*" {2}(ses_\w+)/m.exec(hit) ?? []
  const [, messageID] = /^ {2}.* (msg_\w+) {2}/m.exec(hit) ?? []
  return call("history-read", { sessionID, messageID, before: 1, after: 0 })
}
