import { messageDocuments } from "../src/history/documents/documents.ts"
import type { MessageEdit } from "../src/history/documents/edits.ts"
import type { Role, Session } from "../src/session/model.ts"
import type { CorpusSession } from "./corpus/corpus.ts"

// What is searchable in a session, the same for the engine, the baselines and the scan: the engine's own rule of what
// a message's text is (secrets masked), so that only the search is compared.

export type Row = {
  readonly id: string
  readonly role: Role
  readonly created: number
  readonly text: string
  /** Only what the user and the assistant said: no reasoning, no tool calls. */
  readonly said: string
  readonly edits: readonly MessageEdit[]
}

export type Documents = { readonly session: Session; readonly rows: readonly Row[] }

export function documentsOf({ session, messages }: CorpusSession): Documents {
  const rows = messages.map((message) => {
    const { text, segments, edits } = messageDocuments(message, {
      maskSecrets: true,
      directory: session.directory,
    })
    const said = segments
      .filter((segment) => segment.kind === "user" || segment.kind === "assistant")
      .map((segment) => text.slice(segment.start, segment.end))
      .join("\n")
    return { id: message.id, role: message.role, created: message.created, text, said, edits }
  })
  return { session, rows }
}

/** Hidden unless asked for: sessions of subagents and archived ones. */
export function isHidden(session: Session): boolean {
  return session.parentID !== undefined || session.archived !== undefined
}
