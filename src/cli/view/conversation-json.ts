import type { Section } from "../conversation.ts"
import { timeJson } from "./json.ts"

// A message of a conversation in `--json` and in a JSON export.

export function sectionJson({ message, texts, omitted }: Section) {
  return {
    messageID: message.id,
    index: message.index,
    role: message.role,
    created: timeJson(message.created),
    summary: message.summary,
    parts: texts,
    omitted,
    cut: message.cut,
    lost: message.lost,
  }
}
