import type { ToolPart } from "../../session/model.ts"

// The answers of these tools repeat history. Indexed, a search would find its own earlier answers.

/** Their names in both spellings a host may use for them. */
export const OWN_TOOLS: readonly string[] = [
  "handoff_session",
  "read_session",
  "history-search-messages",
  "history-search-sessions",
  "history-search-edits",
  "history-read",
  "session_list",
  "session_read",
]

/** True when the part's output comes from one of our tools: by name, namespaced, or through Code Mode. */
export function isOwnOutput(part: ToolPart): boolean {
  if (isOwnTool(part.tool)) return true
  return CODE_MODE.test(part.tool) && OWN_CALL.test(JSON.stringify(part.input).replaceAll("-", "_"))
}

/**
 * True when the part's input is only a question to history: whoever searched for a word would be found for it. What a
 * handoff says is work, and stays.
 */
export function isOwnQuestion(part: ToolPart): boolean {
  return isOwnTool(part.tool) && !/handoff.session$/i.test(part.tool)
}

/** True for the name itself and behind a namespace (`opencode_session_list`, `mcp.history-read`). */
export function isOwnTool(name: string): boolean {
  return OWN_NAME.test(name.replaceAll("-", "_"))
}

const NAMES = OWN_TOOLS.map((name) => name.replaceAll("-", "_")).join("|")
const OWN_NAME = new RegExp(`(?:^|[^a-z0-9])(?:${NAMES})$`, "i")
const OWN_CALL = new RegExp(`(?<![a-z0-9])(?:${NAMES})(?![a-z0-9])`, "i")
const CODE_MODE = /(?:^|[^a-z0-9])execute$/i
