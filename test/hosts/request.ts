import * as z from "zod"

// What the host asked the model, and how a test reads it.

const textPart = z.looseObject({ type: z.literal("text"), text: z.string() })
const otherPart = z.looseObject({ type: z.string() })
const content = z.union([z.string(), z.array(z.union([textPart, otherPart]))]).nullish()
const toolCall = z.looseObject({
  id: z.string(),
  function: z.object({ name: z.string(), arguments: z.string() }),
})
const chatMessage = z.looseObject({
  role: z.string(),
  content,
  tool_call_id: z.string().optional(),
  tool_calls: z.array(toolCall).optional(),
})

/** The body of a chat-completions request, as far as tests look at it. */
export const chatBody = z.looseObject({
  model: z.string(),
  messages: z.array(chatMessage),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).optional(),
})

export type ChatBody = z.infer<typeof chatBody>
type ChatMessage = ChatBody["messages"][number]

/** One request as it arrived. */
export type ModelRequest = {
  readonly body: ChatBody
  readonly headers: Readonly<Record<string, string>>
  /** Milliseconds since the epoch. */
  readonly time: number
  /** True once the host hung up before the answer was complete. */
  readonly aborted: boolean
}

/** A tool's answer as the model sees it, with the call it belongs to. */
export type ToolResult = {
  readonly tool: string
  readonly callID: string
  readonly input: string
  readonly output: string
}

/** The text parts of the last user message, in order. Empty when there is no user message. */
export function lastUserTexts(request: ModelRequest): readonly string[] {
  const last = request.body.messages.findLast((message) => message.role === "user")
  return last === undefined ? [] : textsOf(last)
}

/** The system prompt, all of it. */
export function systemText(request: ModelRequest): string {
  const system = request.body.messages.filter((message) => message.role === "system")
  return system.flatMap(textsOf).join("\n")
}

/** Names of the tools offered to the model, in order. */
export function toolNames(request: ModelRequest): readonly string[] {
  return (request.body.tools ?? []).map((tool) => tool.function.name)
}

/** Every tool result in the request, in order, older turns included. */
export function toolResults(request: ModelRequest): readonly ToolResult[] {
  const made = request.body.messages.flatMap((message) => message.tool_calls ?? [])
  return request.body.messages
    .filter((message) => message.role === "tool")
    .map((message) => {
      const callID = message.tool_call_id ?? ""
      const source = made.find((one) => one.id === callID)
      return {
        tool: source?.function.name ?? "",
        callID,
        input: source?.function.arguments ?? "",
        output: textsOf(message).join("\n"),
      }
    })
}

function textsOf(message: ChatMessage): readonly string[] {
  if (typeof message.content === "string") return [message.content]
  return (message.content ?? []).flatMap((part) =>
    "text" in part && typeof part.text === "string" ? [part.text] : [],
  )
}
