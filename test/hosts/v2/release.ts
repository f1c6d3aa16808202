// The two ends of what is supported, and the parts of a host that may be absent.

/** `2.0.16`: the oldest. `2.1`: session list, message domain, metadata, the later routes and shapes. */
export type Release = "2.0.16" | "2.1.0"

export type Part =
  | "service"
  | "tools"
  | "command"
  | "hook"
  | "events"
  | "create"
  | "prompt"
  | "context"
  | "metadata"
  /** `agent.list` of the context. */
  | "agents"
  /** A title given to a new session is dropped. */
  | "title"
  /** The route that asks the user. */
  | "permission"

export type HostSetup = {
  readonly release?: Release
  readonly without?: readonly Part[]
  /** `callback` is GA, the others are what came before. */
  readonly command?: "callback" | "template" | "update"
  /** `nested`: `session.prompt` of the context takes its fields under `prompt`. */
  readonly promptForm?: "flat" | "nested"
  /** `earlier`: the names and states that tool calls and replies had before the release. */
  readonly shapes?: "earlier"
  /** Tools of the host itself in Code Mode. */
  readonly ownTools?: readonly string[]
  readonly password?: string
  readonly options?: Readonly<Record<string, unknown>>
}
