import * as z from "zod/mini"
import { choice, choices, described, flag, text, wholeNumber } from "../arguments.ts"
import {
  EDITS_SHOWN_MAX,
  HIDDEN,
  LISTED_DEFAULT,
  LISTED_MAX,
  PAGE_DEFAULT,
  PAGE_MAX,
  PROJECTS_MAX,
  SESSIONS_SHOWN_MAX,
  WINDOW_DEFAULT,
  WINDOW_MAX,
} from "../search/limits.ts"
import { definition } from "./definition.ts"

// What the model sees of the four history tools, and the limits that it quotes.

export const HISTORY_SEARCH_MESSAGES = definition({
  name: "history-search-messages",
  description:
    "Search past sessions by what was said or done in them. Gives excerpts with message ids for history-read.",
  input: () => ({
    query: described(
      z.string(),
      'Words (all must occur), "a phrase", -excluded, path:src/a.ts (sessions that edited it), project:all|<id>|<dir> (default: this project)',
    ),
    date: described(
      z.optional(z.string()),
      "today, yesterday, last 7 days, 3 days ago, 2026-03, 2026-03-31, 2026-03-01 to 2026-03-31, since/before 2026-03-01",
    ),
    ...sharedInput(),
    limit: limitInput(SESSIONS_SHOWN_MAX, SESSIONS_SHOWN_MAX),
  }),
})

export const HISTORY_SEARCH_SESSIONS = definition({
  name: "history-search-sessions",
  description: "List past sessions that match, or which projects do (show: projects), without message text.",
  input: () => ({
    query: described(z.optional(z.string()), "As in history-search-messages; empty: recent sessions"),
    date: z.optional(z.string()),
    ...sharedInput(),
    show: z.optional(choice(["sessions", "projects"])),
    limit: limitInput(LISTED_DEFAULT, LISTED_MAX, `; projects: ${PROJECTS_MAX}`),
  }),
})

export const HISTORY_SEARCH_EDITS = definition({
  name: "history-search-edits",
  description: "Past file edits with the prompts behind them, newest first: who changed this file, and why.",
  input: () => ({
    query: described(
      z.optional(z.string()),
      "path:src/a.ts for a file (path:src/ for a folder); words: edits of matching sessions",
    ),
    date: z.optional(z.string()),
    ...sharedInput(),
    limit: limitInput(EDITS_SHOWN_MAX, EDITS_SHOWN_MAX),
  }),
})

/** UTF-16 units of one message's content: enough for a long answer, little enough for twenty of them. */
export const CONTENT_DEFAULT = 2_000
export const CONTENT_MIN = 100
export const CONTENT_MAX = 20_000

export const HISTORY_READ = definition({
  name: "history-read",
  description:
    "Read a past session (or this one, also before compaction): messages around a search hit, or page by page.",
  input: () => ({
    sessionID: described(z.optional(text()), "Default: this session"),
    messageID: described(z.optional(text()), "Read a window around it; not with cursor or limit"),
    before: described(
      z.optional(wholeNumber(0, WINDOW_MAX)),
      `Window: messages before, default ${WINDOW_DEFAULT}, max ${WINDOW_MAX}`,
    ),
    after: z.optional(wholeNumber(0, WINDOW_MAX)),
    cursor: described(z.optional(text()), "nextCursor, or prevCursor with direction back"),
    direction: z.optional(choice(["forward", "back"])),
    limit: described(z.optional(wholeNumber(1, PAGE_MAX)), `Default ${PAGE_DEFAULT}, max ${PAGE_MAX}`),
    from: described(z.optional(choice(["start", "end"])), "First page; default start"),
    role: z.optional(choice(["user", "assistant"])),
    maxCharsPerMessage: described(
      z.optional(wholeNumber(CONTENT_MIN, CONTENT_MAX)),
      `Default ${CONTENT_DEFAULT}, max ${CONTENT_MAX}`,
    ),
    includeToolResults: z.optional(flag()),
  }),
})

/** Arguments of all searches beside the query, the date and the limit. */
function sharedInput() {
  return {
    role: z.optional(choice(["user", "assistant"])),
    include: z.optional(choices(HIDDEN)),
    sort: z.optional(choice(["newest", "relevance"])),
  }
}

/** The limit of a search; more than `cap` is lowered to it and told. */
function limitInput(defaultLimit: number, cap: number, more = "") {
  const words = defaultLimit === cap ? `Default and max ${cap}` : `Default ${defaultLimit}, max ${cap}`
  return described(z.optional(wholeNumber(1)), words + more)
}
