// What the scripted model answers: a list of steps, streamed in order. Only values; model.ts sends them.

/** One thing that goes over the wire, or, with `wait`, holds it. */
export type Step =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string }
  | { readonly kind: "call"; readonly tool: string; readonly input: string }
  | { readonly kind: "usage"; readonly input: number; readonly output: number }
  | { readonly kind: "wait"; readonly gate: Gate }
  | {
      readonly kind: "fail"
      readonly status: number
      readonly message: string
      readonly retryAfterMs: number
    }
  | { readonly kind: "break" }

/** One answer of the model. */
export type Reply = readonly Step[]

/** Arguments of a tool call: an object, or the raw text when the test wants broken JSON. */
export type CallInput = Readonly<Record<string, unknown>> | string

/** The host waits this long before it asks again after a 429 or 5xx; its own first wait is about 2 s. */
const RETRY_AFTER_MS = 20

/** A plain answer. */
export function text(value: string): Reply {
  return [{ kind: "text", text: value }]
}

/** Thinking before the answer; put it before `text` or `call` with `sequence`. */
export function reasoning(value: string): Reply {
  return [{ kind: "reasoning", text: value }]
}

/** One tool call. */
export function call(tool: string, input: CallInput = {}): Reply {
  return [{ kind: "call", tool, input: typeof input === "string" ? input : JSON.stringify(input) }]
}

/** Several tool calls in one turn, in this order. */
export function calls(list: readonly (readonly [tool: string, input?: CallInput])[]): Reply {
  return list.flatMap(([tool, input]) => call(tool, input))
}

/** Tokens the model claims to have used, in place of 10 in and 5 out (to bring about a compaction). */
export function usage(input: number, output: number = 5): Reply {
  return [{ kind: "usage", input, output }]
}

/**
 * An HTTP error. The host asks again after 429 and 5xx, `retryAfterMs` later, without end: the script must
 * give it something else next. 400 ends the turn.
 */
export function fail(status: number, message: string, retryAfterMs: number = RETRY_AFTER_MS): Reply {
  return [{ kind: "fail", status, message, retryAfterMs }]
}

/** The connection breaks, after `before` when given. The host asks again after its own 2, 4, 8 … seconds. */
export function broken(before: string = ""): Reply {
  return [...(before === "" ? [] : text(before)), { kind: "break" }]
}

/** Several replies as one, in this order. */
export function sequence(...replies: readonly Reply[]): Reply {
  return replies.flat()
}

/** Holds an answer until the test opens it. */
export type Gate = {
  /** `reply`, sent once the gate is open. Parts before it in a `sequence` are sent at once. */
  before(reply: Reply): Reply
  open(): void
  /** Resolves when it is open. */
  readonly opened: Promise<void>
  /** Resolves when an answer stands before the gate. */
  readonly reached: Promise<void>
  /** For the model: an answer stands here. */
  reach(): void
}

export function gate(): Gate {
  const opened = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  const self: Gate = {
    before: (reply) => [{ kind: "wait", gate: self }, ...reply],
    open: () => opened.resolve(),
    opened: opened.promise,
    reached: reached.promise,
    reach: () => reached.resolve(),
  }
  return self
}
