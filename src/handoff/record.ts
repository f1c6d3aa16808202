import * as z from "zod/mini"
import { isSessionID } from "./session-id.ts"

// What a handoff leaves in the metadata of the session it leads to, under one key of ours: where the session
// came from, and the draft while it waits there unsent.

export const metadataKey = "opencode-baton"

const record = z.object({
  /** The session the work came from. Anybody may write metadata, and answers print this. */
  source: z.string().check(z.refine(isSessionID)),
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** A stored draft that no terminal has shown yet. */
  draft: z.optional(z.string()),
})

export type HandoffRecord = z.infer<typeof record>

/** The record in a session's metadata; undefined when there is none of ours, or one of another version. */
export function readRecord(metadata: unknown): HandoffRecord | undefined {
  const parsed = z.object({ [metadataKey]: record }).safeParse(metadata)
  return parsed.success ? parsed.data[metadataKey] : undefined
}

/** A session's metadata with the record in it, everything else kept. */
export function withRecord(
  metadata: Readonly<Record<string, unknown>>,
  value: HandoffRecord,
): Record<string, unknown> {
  return { ...metadata, [metadataKey]: value }
}
