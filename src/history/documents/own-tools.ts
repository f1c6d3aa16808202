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

/** True when the part's output comes from one of our tools: called by its name, or by the program of Code Mode. */
export function isOwnOutput(part: ToolPart): boolean {
  if (isOwnTool(part.tool)) return true
  const { code } = part.input
  return part.tool === CODE_MODE && typeof code === "string" && OWN_CALL.test(code.replaceAll("-", "_"))
}

/**
 * True when the part's input is only a question to history: whoever searched for a word would be found for it. What a
 * handoff says is work, and stays.
 */
export function isOwnQuestion(part: ToolPart): boolean {
  return isOwnTool(part.tool) && !/handoff.session$/i.test(part.tool)
}

/** True for the names themselves: a server's tool `srv_history-read` is somebody else's. */
export function isOwnTool(name: string): boolean {
  return OWN_NAMES.has(name.replaceAll("-", "_"))
}

const NAMES = OWN_TOOLS.map((name) => name.replaceAll("-", "_"))
/** V2 puts its namespace in front where a tool is offered directly. */
const OWN_NAMES = new Set(NAMES.flatMap((name) => [name, `opencode_${name}`, `opencode.${name}`]))
/** The one tool of V2 that runs programs; the name is reserved for it. */
const CODE_MODE = "execute"
const END = `(?:["'\`]\\s*\\])?`
const ACCESS = `\\s*(?:\\?\\.\\s*\\[\\s*["'\`]|\\?\\.|\\.|\\[\\s*["'\`])\\s*`
/**
 * A call in such a program: `tools.session_list(`, `tools.opencode["session_list"](`, `session_list(`; dashes are
 * underscores by then. Behind another namespace it is somebody else's tool.
 */
const OWN_CALL = new RegExp(
  `(?<![\\w$.]|["'\`])(?:tools${END}${ACCESS})?(?:opencode${END}${ACCESS})?(?:${NAMES.join("|")})${END}\\s*(?:\\?\\.\\s*)?\\(`,
)
