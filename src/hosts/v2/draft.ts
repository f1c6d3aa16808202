import { keepDraft } from "../../handoff/draft-file.ts"
import { readRecord, withRecord } from "../../handoff/record.ts"
import { noteSource } from "../../handoff/source-notes.ts"
import type { DraftMaker, DraftOutcome, HostResult } from "../host.ts"
import type { Calls } from "./calls.ts"
import { field, textField } from "../../session/capability.ts"
import { describe, faultOf, type Outcome } from "./trouble.ts"

// A draft on V2 waits in a new session: in its metadata, or in a file of ours where a release has no metadata. A
// tool cannot reach a terminal there; the terminal part sees the tool's answer and opens the session by itself.

export type DraftSetup = {
  readonly calls: Calls
  readonly directory: string
  /** For notes of where sessions came from. */
  readonly dataDir: string
  /** The host's own, where the terminal part looks. */
  readonly hostDir: string
  /** False where sent drafts get no files. */
  readonly injects: boolean
}

/** The draft maker of one plugin instance. */
export function draftMaker(setup: DraftSetup): DraftMaker {
  return {
    async make(draft) {
      const at = Date.now()
      const record = { source: draft.sourceSessionIDs[0] ?? "", at, draft: draft.text }
      const created = await createSession(setup, draft.title, withRecord({}, record))
      if (!created.ok) return { ok: false, fault: faultOf(created.trouble) }
      const sessionID = textField(created.value, "id")
      if (sessionID === "") return failed("new session: OpenCode answered without a session")
      await keepTitle(setup.calls, created.value, sessionID, draft.title)
      if (await isKept(setup.calls, created.value, sessionID, draft.text))
        return { ok: true, value: stored(setup, sessionID) }
      try {
        await keepDraft(setup.hostDir, sessionID, record)
        await noteSource(setup.dataDir, sessionID, record)
        return { ok: true, value: stored(setup, sessionID) }
      } catch (error) {
        return failed(`the draft could not be kept beside session ${sessionID}: ${describe(error)}`)
      }
    },
  }
}

/** A release without metadata in new sessions may refuse it, or drop it; the place is where the plugin runs anyway. */
async function createSession(
  setup: DraftSetup,
  title: string,
  metadata: Readonly<Record<string, unknown>>,
): Promise<Outcome> {
  const location = { directory: setup.directory }
  const first = await setup.calls.createSession({ title, location, metadata })
  if (first.ok || first.trouble.reason === "no-service" || first.trouble.reason === "late") return first
  for (const body of [{ title, location }, { title }]) {
    const next = await setup.calls.createSession(body)
    if (next.ok || next.trouble.reason === "late") return next
  }
  return first
}

/** A release may drop the title of a new session: it is given once more. Without one the draft is there all the same. */
async function keepTitle(calls: Calls, created: unknown, sessionID: string, title: string): Promise<void> {
  if (textField(created, "title") !== title) await calls.updateSession(sessionID, { title })
}

/** Whether the draft is in the session's metadata; an answer without any is no proof that there is none. */
async function isKept(calls: Calls, created: unknown, sessionID: string, draft: string): Promise<boolean> {
  const told = field(created, "metadata")
  if (told !== undefined) return readRecord(told)?.draft === draft
  const session = await calls.session(sessionID)
  return session.ok && readRecord(field(session.value, "metadata"))?.draft === draft
}

function stored(setup: DraftSetup, sessionID: string): DraftOutcome {
  const files = setup.injects
    ? ""
    : "; this OpenCode has no prompt hook, so the files it names are read by the next model itself"
  const why = `on OpenCode 2 a draft waits in a new session, and a terminal with the terminal part that shows this session opens it there${files}`
  return { kind: "stored", sessionID, open: `opencode --session ${sessionID}`, why }
}

function failed(message: string): HostResult<never> {
  return { ok: false, fault: { reason: "failed", message } }
}
