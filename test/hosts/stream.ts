import type { ServerResponse } from "node:http"
import type { Reply, Step } from "./reply.ts"

// A reply on the wire: chat-completions chunks as server-sent events.

type Chunk = { readonly delta: Readonly<Record<string, unknown>>; readonly finish?: "stop" | "tool_calls" }

/** Never reused, also not between models: the host keeps tool calls apart by their id. */
let madeCalls = 0

/** Sends `reply` and ends the response. Resolves when all is handed over or the host hung up. */
export async function sendReply(response: ServerResponse, reply: Reply, model: string): Promise<void> {
  const hungUp = new Promise<"gone">((resolve) => response.on("close", () => resolve("gone")))
  const tokens = { input: 10, output: 5 }
  let sentCalls = 0

  const send = (chunk: Chunk, extra: Readonly<Record<string, unknown>> = {}) => {
    if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" })
    const choice = { index: 0, delta: chunk.delta, finish_reason: chunk.finish ?? null }
    const data = {
      id: "chatcmpl-scripted",
      object: "chat.completion.chunk",
      created: 0,
      model,
      choices: [choice],
      ...extra,
    }
    response.write(`data: ${JSON.stringify(data)}\n\n`)
  }

  /** False when the reply ends here. */
  const take = async (step: Step): Promise<boolean> => {
    switch (step.kind) {
      case "text":
        send({ delta: { role: "assistant", content: step.text } })
        return true
      case "reasoning":
        send({ delta: { role: "assistant", reasoning_content: step.text } })
        return true
      case "call":
        for (const delta of callDeltas(step, sentCalls)) send({ delta })
        sentCalls += 1
        return true
      case "usage":
        tokens.input = step.input
        tokens.output = step.output
        return true
      case "wait":
        step.gate.reach()
        return (await Promise.race([step.gate.opened, hungUp])) !== "gone"
      case "fail":
        response.writeHead(step.status, {
          "content-type": "application/json",
          "retry-after-ms": String(step.retryAfterMs),
        })
        response.end(
          JSON.stringify({ error: { message: step.message, type: "scripted", code: step.status } }),
        )
        return false
      case "break":
        await breakOff(response)
        return false
    }
  }

  for (const step of reply) {
    if (!(await take(step))) return
  }
  const usage = {
    prompt_tokens: tokens.input,
    completion_tokens: tokens.output,
    total_tokens: tokens.input + tokens.output,
  }
  send({ delta: {}, finish: sentCalls > 0 ? "tool_calls" : "stop" }, { usage })
  response.end("data: [DONE]\n\n")
}

/** Name first, arguments after it, as real providers stream them. */
function callDeltas(
  step: Extract<Step, { kind: "call" }>,
  index: number,
): readonly Record<string, unknown>[] {
  madeCalls += 1
  const id = `call_${madeCalls}`
  return [
    {
      role: "assistant",
      tool_calls: [{ index, id, type: "function", function: { name: step.tool, arguments: "" } }],
    },
    { tool_calls: [{ index, function: { arguments: step.input } }] },
  ]
}

/** What was written goes out first, so that the host sees a stream that starts and stops. */
async function breakOff(response: ServerResponse): Promise<void> {
  if (response.headersSent) await new Promise((resolve) => response.write(": breaking off\n\n", resolve))
  response.destroy()
}
