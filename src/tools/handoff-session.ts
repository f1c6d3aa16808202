import { createHash } from "node:crypto"
import { buildDraft, normaliseFiles } from "../handoff/draft.ts"
import type { Caller, DraftMaker, DraftOutcome, HostResult, Log, SessionReader } from "../hosts/host.ts"
import type { Session } from "../session/model.ts"
import { HANDOFF_SESSION } from "./definitions/handoff.ts"
import { parseInput } from "./input.ts"
import type { Tool } from "./tool.ts"

/** An identical call within this time gets the first call's draft: models and hosts repeat calls. */
export const repeatMs = 60_000

type Services = {
  readonly reader: SessionReader
  readonly drafts: DraftMaker
  readonly log: Log
  now(): number
}

type Made = { readonly at: number; readonly outcome: Promise<HostResult<DraftOutcome>> }

/** The tool. Its answer is a JSON string; trouble is `{ ok: false, error }`, never thrown. */
export function handoffSession(services: Services): Tool {
  const made = new Map<string, Made>()
  return { ...HANDOFF_SESSION, run }

  async function run(raw: unknown, caller: Caller): Promise<string> {
    const parsed = parseInput(HANDOFF_SESSION, raw)
    if (!parsed.ok) return answer({ ok: false, error: parsed.error })
    if (parsed.value.prompt.trim() === "")
      return answer({
        ok: false,
        error: "`prompt` is blank: write the handoff text, then call handoff_session again.",
      })

    const source = await rootOf(services.reader, caller)
    const files = normaliseFiles(parsed.value.files ?? [])
    const text = buildDraft({ sourceSessionID: source.id, files, prompt: parsed.value.prompt })

    const key = createHash("sha256").update(`${source.id}\n${text}`).digest("hex")
    const now = services.now()
    for (const [old, entry] of made) if (now - entry.at >= repeatMs) made.delete(old)
    const earlier = made.get(key)
    const outcome =
      earlier?.outcome ??
      services.drafts.make({
        text,
        sourceSessionIDs: [...new Set([source.id, caller.sessionID])],
        title: `Handoff from ${source.title === "" ? source.id : source.title}`,
      })
    if (earlier === undefined) made.set(key, { at: now, outcome })

    const result = await outcome
    if (!result.ok) {
      made.delete(key)
      services.log("error", "handoff draft not made", {
        sessionID: caller.sessionID,
        reason: result.fault.message,
      })
      return answer({
        ok: false,
        error: `The draft could not be made: ${result.fault.message}. Nothing is lost: the draft follows; call handoff_session again, or paste it into a new session.`,
        draft: text,
      })
    }
    services.log("info", "handoff draft made", {
      sessionID: caller.sessionID,
      sourceSessionID: source.id,
      files: files.length,
      bytes: Buffer.byteLength(text),
      outcome: result.value.kind,
      repeated: earlier !== undefined,
    })
    return answer({
      ok: true,
      sourceSessionId: source.id,
      files,
      message: `${messageOf(result.value)}${earlier ? " (The same draft was asked for within a minute; there is one.)" : ""}${source.note}`,
      ...(result.value.kind === "stored"
        ? { sessionId: result.value.sessionID, open: result.value.open }
        : {}),
      draft: text,
    })
  }
}

function messageOf(outcome: DraftOutcome): string {
  if (outcome.kind === "shown")
    return "The draft is in the prompt of a new session, not sent: the user edits it and presses Enter. Nothing else is left to do here."
  return `Draft stored, not sent: ${outcome.why}. It waits in session ${outcome.sessionID}; open it with \`${outcome.open}\`. Its full text is in \`draft\`.`
}

type Source = { readonly id: string; readonly title: string; readonly note: string }

/** A chain of subagents is a few sessions long; more than this is a cycle. */
const maxParents = 32

/** The session a handoff is made from: the caller's own, or the root above a subagent. */
async function rootOf(reader: SessionReader, caller: Caller): Promise<Source> {
  const own = await reader.session(caller.sessionID, caller.signal)
  if (!own.ok) return { id: caller.sessionID, title: "", note: "" }
  let root: Session = own.value
  for (let steps = 0; root.parentID !== undefined && steps < maxParents; steps++) {
    const parent = await reader.session(root.parentID, caller.signal)
    if (!parent.ok) break
    root = parent.value
  }
  if (root.id === caller.sessionID) return { id: root.id, title: root.title, note: "" }
  const note = ` It is made from the root session ${root.id}, because ${caller.sessionID} is a subagent of it.`
  return { id: root.id, title: root.title, note }
}

// Indented, so that a host which cuts long tool answers by the line cuts the draft and keeps what comes first.
function answer(value: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(value, null, 2)
}
