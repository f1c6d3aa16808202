import * as z from "zod/mini"
import { described, flag, text, wholeNumber } from "../arguments.ts"
import { definition } from "./definition.ts"

// What the model sees of the two session tools, and the limits that it quotes.

/** Sessions of a page. */
export const SESSION_LIST_DEFAULT = 20
export const SESSION_LIST_MAX = 100

/** Matching messages shown of one session. */
export const MATCHES_SHOWN_MAX = 3

export const SESSION_LIST = definition({
  name: "session_list",
  description: `List sessions of all projects, newest first, or search them (newest ${MATCHES_SHOWN_MAX} matches each). A match's index is an offset for session_read.`,
  input: () => ({
    search: described(z.optional(z.string()), "Words; all in the title, or in the text of one message"),
    limit: described(
      z.optional(wholeNumber(1, SESSION_LIST_MAX)),
      `Default ${SESSION_LIST_DEFAULT}, max ${SESSION_LIST_MAX}`,
    ),
    cursor: described(z.optional(text()), "The last answer's cursor, same search"),
  }),
})

/** Messages of a page. */
export const SESSION_READ_DEFAULT = 20
export const SESSION_READ_MAX = 100

/** Cap of a message's text in UTF-16 units. */
export const TEXT_MAX_UNITS = 10_000

/** Cap of a tool's input and of its output. */
export const TOOL_MAX_UNITS = 1_250

export const SESSION_READ = definition({
  name: "session_read",
  description: `Read messages of a session by index (from 0, over all stored messages; hidden ones are skipped), texts cut at ${TEXT_MAX_UNITS} characters.`,
  input: () => ({
    sessionID: text(),
    offset: described(z.optional(wholeNumber(0)), "First index; default: the latest page"),
    limit: described(
      z.optional(wholeNumber(1, SESSION_READ_MAX)),
      `Default ${SESSION_READ_DEFAULT}, max ${SESSION_READ_MAX}`,
    ),
    tools: described(
      z.optional(flag()),
      `Add tool calls, input and output cut at ${TOOL_MAX_UNITS} characters`,
    ),
  }),
})
