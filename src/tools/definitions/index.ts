import type { ToolGroup } from "../../config/options.ts"
import type { Definition } from "../tool.ts"
import { HANDOFF_SESSION, READ_SESSION } from "./handoff.ts"
import {
  HISTORY_READ,
  HISTORY_SEARCH_EDITS,
  HISTORY_SEARCH_MESSAGES,
  HISTORY_SEARCH_SESSIONS,
} from "./history.ts"
import { SESSION_LIST, SESSION_READ } from "./sessions.ts"

// All that the model sees of the tools. A host loads this at its start, and what the tools do later.

const DEFINITIONS: Readonly<Record<ToolGroup, readonly Definition[]>> = {
  handoff: [HANDOFF_SESSION, READ_SESSION],
  history: [HISTORY_SEARCH_MESSAGES, HISTORY_SEARCH_SESSIONS, HISTORY_SEARCH_EDITS, HISTORY_READ],
  sessions: [SESSION_LIST, SESSION_READ],
}

/** The definitions of some groups, in their order. */
export function definitionsOf(groups: readonly ToolGroup[]): readonly Definition[] {
  return groups.flatMap((group) => DEFINITIONS[group])
}
