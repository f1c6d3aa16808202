import * as z from "zod/mini"
import { mostFiles, usualFiles } from "../../handoff/template.ts"
import { clampedInteger, described, texts, withDefault } from "../arguments.ts"
import { definition } from "./definition.ts"

// What the model sees of the two handoff tools, and the limits that it quotes.

export const HANDOFF_SESSION = definition({
  name: "handoff_session",
  description: `Open a handoff draft in a new session: prompt text that the user edits and sends. Nothing is sent by itself. Name the files the next session needs (usually ${usualFiles}, at most ${mostFiles}): their contents are put in front of the model when the draft is sent.`,
  input: () => ({
    prompt: described(z.string(), "The handoff: decisions, constraints, state, next steps"),
    files: described(z.optional(texts()), "Paths relative to the project, most important first"),
  }),
})

/** Messages of one transcript. */
export const TRANSCRIPT_DEFAULT = 100
export const TRANSCRIPT_MAX = 500

export const READ_SESSION = definition({
  name: "read_session",
  description:
    "Read the transcript of an earlier OpenCode session: what the user and the assistant said, which tools ran and " +
    "compaction summaries. Reasoning and tool output are not part of it. " +
    `Gives the ${TRANSCRIPT_DEFAULT} most recent messages; 'limit' reads up to ${TRANSCRIPT_MAX}.`,
  input: () => ({
    sessionId: described(z.string(), "The session's id (ses_…); a link or text that holds it is accepted"),
    limit: described(
      withDefault(clampedInteger(1, TRANSCRIPT_MAX), TRANSCRIPT_DEFAULT),
      `Most recent messages, 1 to ${TRANSCRIPT_MAX} (default ${TRANSCRIPT_DEFAULT})`,
    ),
  }),
})
