import { readRecord, withRecord } from "../../handoff/record.ts"
import { field } from "../../session/capability.ts"
import { sessionFromV1 } from "../../session/from-v1.ts"
import type { HostResult } from "../host.ts"
import { attempt, type V1Client } from "./client.ts"
import { shellWord } from "../../text/shell.ts"

export type StoredDraft = {
  readonly sessionID: string
  /** A command that opens the session from any folder. */
  readonly open: string
}

/** Keeps a draft in the metadata of a new session, where a terminal that opens the session finds it. */
export async function storeDraft(
  client: V1Client,
  draft: { readonly text: string; readonly sourceSessionIDs: readonly string[]; readonly title: string },
): Promise<HostResult<StoredDraft>> {
  const source = draft.sourceSessionIDs[0] ?? ""
  // `metadata` is in the API and not in this client's types.
  const body = { title: draft.title, metadata: withRecord({}, { source, at: Date.now(), draft: draft.text }) }
  const reply = await attempt("new session", () => client.session.create({ body }), createTimeoutMs)
  if (!reply.ok) return reply
  const session = sessionFromV1(reply.value.data)
  if (session === undefined)
    return {
      ok: false,
      fault: { reason: "failed", message: "new session: OpenCode answered without a session" },
    }
  // A folder that cannot be written for a shell is left out: the command then works in that folder alone.
  const folder = session.directory === "" ? undefined : shellWord(session.directory)
  const project = folder === undefined ? "" : `${folder} `
  const id = shellWord(session.id) ?? ""
  return { ok: true, value: { sessionID: session.id, open: `opencode ${project}--session ${id}` } }
}

/** Whether a stored draft still waits; one that cannot be looked at does. */
export async function isWaiting(client: V1Client, sessionID: string): Promise<boolean> {
  const reply = await attempt(
    "session",
    () => client.session.get({ path: { id: sessionID } }),
    createTimeoutMs,
  )
  return !reply.ok || readRecord(field(reply.value.data, "metadata"))?.draft !== undefined
}

const createTimeoutMs = 3000
