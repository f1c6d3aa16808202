import type { TuiPluginApi } from "@opencode-ai/plugin/tui"
import { claimDraft } from "../handoff/claim.ts"
import { readRecord, withRecord, type HandoffRecord } from "../handoff/record.ts"
import type { Prompts } from "./prompts.ts"

// A draft that could not be shown waits in its session's metadata. The first terminal that opens the session
// takes it out of there and puts it into the prompt; taking it out first, with a claim, is what makes it happen once.

type Taken = { readonly draft: string; readonly record: HandoffRecord }

/**
 * Watches which session is opened; terminals that meet in `hostDir` agree who takes a draft. `session_prompt_right` is
 * called on mount and replaces nothing.
 */
export function showStoredDrafts(api: TuiPluginApi, inPrompt: Prompts, hostDir: string): void {
  const seen = new Set<string>()
  api.slots.register({
    slots: {
      session_prompt_right: (_context, props) => {
        const sessionID = props.session_id
        if (!seen.has(sessionID)) {
          seen.add(sessionID)
          void showStored(sessionID)
        }
        return null
      },
    },
  })

  async function showStored(sessionID: string): Promise<void> {
    const taken = await take(sessionID).catch(() => "unanswered" as const)
    if (taken === undefined) return
    if (taken === "unanswered") return forget(sessionID)
    if (await fill(sessionID, taken.draft)) {
      api.ui.toast({
        variant: "success",
        title: "Handoff",
        message: "The draft is ready: edit it, then press Enter.",
      })
      return
    }
    const kept = await putBack(sessionID, taken.record).catch(() => false)
    api.ui.toast({
      variant: "warning",
      title: "Handoff",
      message: kept
        ? "The draft could not be shown; open its session again."
        : "The draft could not be shown; its text is in the answer of handoff_session.",
    })
    forget(sessionID)
  }

  /** The next time the session is opened it is looked at again. */
  function forget(sessionID: string): void {
    seen.delete(sessionID)
  }

  function isOpen(sessionID: string): boolean {
    const route = api.route.current
    return route.name === "session" && route.params?.["sessionID"] === sessionID
  }

  async function fill(sessionID: string, draft: string): Promise<boolean> {
    const place = { name: "session", sessionID } as const
    return inPrompt
      .show(
        place,
        draft,
        // The prompt is mounted again so that its handle can be taken.
        () => {
          api.route.navigate("home")
          api.route.navigate("session", { sessionID })
        },
        () => isOpen(sessionID),
      )
      .catch(() => false)
  }

  async function take(sessionID: string): Promise<Taken | "unanswered" | undefined> {
    const found = await lookAt(sessionID)
    if (found === undefined) return "unanswered"
    if (found.record?.draft === undefined) return undefined
    const release = await claimDraft(hostDir, sessionID)
    if (release === undefined) return "unanswered"
    try {
      return await takeOut(sessionID)
    } finally {
      await release()
    }
  }

  /** Undefined when the host does not answer. */
  async function lookAt(sessionID: string) {
    const answer = await api.client.session.get({ sessionID })
    if (answer.error !== undefined) return undefined
    const metadata = answer.data?.metadata ?? {}
    return { metadata, record: readRecord(metadata) }
  }

  async function takeOut(sessionID: string): Promise<Taken | "unanswered" | undefined> {
    // Another terminal may have taken it between the look and the claim.
    const found = await lookAt(sessionID)
    if (found === undefined) return "unanswered"
    const { metadata, record } = found
    if (record?.draft === undefined) return undefined
    const { draft, ...rest } = record
    const taken = await api.client.session.update({ sessionID, metadata: withRecord(metadata, rest) })
    return taken.error === undefined ? { draft, record } : "unanswered"
  }

  async function putBack(sessionID: string, record: HandoffRecord): Promise<boolean> {
    const answer = await api.client.session.get({ sessionID })
    const metadata = withRecord(answer.data?.metadata ?? {}, record)
    const put = await api.client.session.update({ sessionID, metadata })
    return put.error === undefined
  }
}
