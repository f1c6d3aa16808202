// The one model of a session that every tool works on. A host's shapes are turned into it once, at the
// edge (session/from-v1.ts), and are never seen again behind it.

/** A session as any tool needs it. Times are milliseconds since the epoch. */
export type Session = {
  readonly id: string
  readonly title: string
  readonly projectID: string
  readonly directory: string
  /** The session that started this one as a subagent. */
  readonly parentID?: string
  /** The session this one was forked from, where the host tells it. */
  readonly forkedFrom?: string
  readonly created: number
  readonly updated: number
  readonly archived?: number
  /** Set while messages from this one on are reverted; they stay stored until the next prompt. */
  readonly revertedFrom?: string
  readonly metadata: Readonly<Record<string, unknown>>
}

export type Role = "user" | "assistant"

/** A message with its parts in the host's order. */
export type Message = {
  readonly id: string
  readonly sessionID: string
  readonly role: Role
  readonly created: number
  /** True for the assistant message that holds a compaction summary. */
  readonly summary: boolean
  readonly parts: readonly Part[]
  /** Parts the host delivered that had no usable shape; counted, never guessed. */
  readonly malformed: number
  /** It stands for a run of messages that the host gives no way to count: `malformed` is the least. */
  readonly run?: true
}

export type Part = TextPart | ReasoningPart | FilePart | ToolPart | PatchPart | CompactionPart | OtherPart

export type TextPart = {
  readonly type: "text"
  readonly text: string
  /** Written by the host or a plugin, not by the user or the model. */
  readonly synthetic: boolean
  /** Stored, and kept from the model. */
  readonly ignored: boolean
  /** A plugin's own notes on the part. */
  readonly metadata: Readonly<Record<string, unknown>>
}

export type ReasoningPart = { readonly type: "reasoning"; readonly text: string }

export type FilePart = {
  readonly type: "file"
  readonly mime: string
  readonly filename: string
  readonly url: string
}

export type ToolPart = {
  readonly type: "tool"
  readonly tool: string
  readonly callID: string
  readonly status: "pending" | "running" | "completed" | "error"
  readonly input: Readonly<Record<string, unknown>>
  /** Set when completed. */
  readonly title: string
  readonly output: string
  /** Set when failed. */
  readonly error: string
  /** Images and other files that came with the result; absent where there are none. Their bytes are not taken along. */
  readonly attachments?: readonly Attachment[]
  readonly metadata: Readonly<Record<string, unknown>>
}

/** A file by what the host says of it; "" for what it does not say. */
export type Attachment = { readonly filename: string; readonly mime: string }

export type PatchPart = { readonly type: "patch"; readonly files: readonly string[] }

export type CompactionPart = { readonly type: "compaction"; readonly auto: boolean }

/** A kind this version does not read (step marks, snapshots, agents, retries, newer kinds). */
export type OtherPart = { readonly type: "other"; readonly kind: string }
