import { randomUUID } from "node:crypto"
import type { DraftMaker, DraftOutcome, HostResult, Log } from "../host.ts"
import { attempt, type V1Client } from "./client.ts"
import { offerDraft, type Offer } from "./draft-offer.ts"
import { isWaiting, storeDraft, type StoredDraft } from "./draft-store.ts"
import type { Mode } from "./mode.ts"
import { execute } from "./signals.ts"

// Where a draft goes on V1, best first:
//   1. the terminal part of the terminal that shows the source session puts it into its own new prompt;
//   2. no terminal part answers, and this process is a terminal: the host's terminal calls do it;
//   3. otherwise it is stored in a new session. Terminals without the terminal part may still be attached to
//      a server, and nothing tells: they are led to that session, and see the draft in its prompt.
// Drafts are made one after the other, so that two never meet in one prompt.

/**
 * The gap between a navigation and the text that follows. A terminal applies events in batches of 16 ms and
 * gives no sign when its new prompt is there: text sent within one batch is lost. Measured on 1.18: 0 ms lost
 * 10 of 23, 20 ms 1 of 8, 50 ms and more none of 60, under load too.
 */
export const promptGapMs = 250

type Wants = { readonly text: string; readonly sourceSessionIDs: readonly string[]; readonly title: string }

type Setup = { readonly client: V1Client; readonly mode: Mode; readonly directory: string; readonly log: Log }

/** The draft maker of one plugin instance. */
export function draftMaker(setup: Setup): DraftMaker {
  let last: Promise<unknown> = Promise.resolve()
  return {
    make(draft) {
      const result = last.then(() => place(setup, draft))
      last = result
      return result
    },
  }
}

async function place(setup: Setup, draft: Wants): Promise<HostResult<DraftOutcome>> {
  if (setup.mode === "command") return store(setup, draft, "OpenCode runs without a terminal here")

  const offer = await offerDraft(setup.client, {
    id: randomUUID(),
    sessionIDs: draft.sourceSessionIDs,
    directory: setup.directory,
    draft: draft.text,
  })
  if (offer.kind === "shown") return { ok: true, value: { kind: "shown", by: "terminal" } }
  if (offer.kind === "nobody") return setup.mode === "terminal" ? append(setup, draft) : lead(setup, draft)

  const stored = await store(setup, draft, reasons(offer))
  if (stored.ok)
    toast(
      setup.client,
      "info",
      "The handoff draft is stored in a new session. Its id is in the tool's answer.",
    )
  return stored
}

function reasons(offer: Extract<Offer, { kind: "elsewhere" | "failed" }>): string {
  return offer.kind === "elsewhere"
    ? "no terminal shows the session it was made from"
    : `the terminal could not show it (${offer.why})`
}

/** The host's own terminal calls, for a terminal without the terminal part. */
async function append(setup: Setup, draft: Wants): Promise<HostResult<DraftOutcome>> {
  const opened = await execute(setup.client, "session.new")
  if (!opened) return store(setup, draft, "OpenCode refused the terminal call that opens a new session")
  await gap()
  if (!(await appendText(setup.client, draft.text)))
    return store(setup, draft, "OpenCode refused the terminal call that fills the prompt")
  toast(setup.client, "success", readyMessage)
  return { ok: true, value: { kind: "shown", by: "server" } }
}

/** Stores the draft, and leads terminals that may be attached without the terminal part to it. */
async function lead(setup: Setup, draft: Wants): Promise<HostResult<DraftOutcome>> {
  const stored = await store(setup, draft, "no terminal that can show it is attached to this server")
  if (!stored.ok || stored.value.kind !== "stored") return stored
  const sessionID = stored.value.sessionID
  const led = await attempt(
    "tui select",
    () =>
      setup.client.tui.publish({ body: { type: "tui.session.select", properties: { sessionID } } as never }),
    callTimeoutMs,
  )
  if (!led.ok) return stored
  await gap()
  // A terminal part that was too slow to answer has seen its session open by now, and shows the draft itself.
  if (!(await isWaiting(setup.client, sessionID))) return stored
  if (await appendText(setup.client, draft.text)) toast(setup.client, "success", readyMessage)
  return stored
}

async function appendText(client: V1Client, text: string): Promise<boolean> {
  // What the user was typing goes to the host's stash; on an empty prompt this does nothing.
  await execute(client, "prompt.stash")
  const reply = await attempt("tui append", () => client.tui.appendPrompt({ body: { text } }), callTimeoutMs)
  return reply.ok
}

function gap(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, promptGapMs))
}

async function store(setup: Setup, draft: Wants, why: string): Promise<HostResult<DraftOutcome>> {
  const stored: HostResult<StoredDraft> = await storeDraft(setup.client, draft)
  if (!stored.ok) return stored
  return {
    ok: true,
    value: { kind: "stored", sessionID: stored.value.sessionID, open: stored.value.open, why },
  }
}

const readyMessage = "The handoff draft is in the prompt: edit it, then press Enter."
const callTimeoutMs = 2000

function toast(client: V1Client, variant: "success" | "info", message: string): void {
  void attempt(
    "toast",
    () => client.tui.showToast({ body: { title: "Handoff", message, variant, duration: 6000 } }),
    callTimeoutMs,
  )
}
