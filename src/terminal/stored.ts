import type { TuiPluginApi } from "@opencode-ai/plugin/tui"
import { readRecord, withRecord, type HandoffRecord } from "../handoff/record.ts"
import type { Prompts } from "./prompts.ts"

// A draft that could not be shown waits in its session's metadata. The first terminal that opens the session
// takes it out of there and puts it into the prompt; taking it out first is what makes it happen once.

/** Watches which session is opened. `session_prompt_right` is called on mount and replaces nothing. */
export function showStoredDrafts(api: TuiPluginApi, inPrompt: Prompts): void {
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
    const taken = await take(sessionID).catch(() => undefined)
    if (taken === undefined) return
    const shown = await fill(sessionID, taken.draft)
    if (!shown) await putBack(sessionID, taken.record).catch(() => undefined)
    api.ui.toast(
      shown
        ? { variant: "success", title: "Handoff", message: "The draft is ready: edit it, then press Enter." }
        : {
            variant: "warning",
            title: "Handoff",
            message: "The draft could not be shown; open this session again.",
          },
    )
    if (!shown) seen.delete(sessionID)
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
        () => true,
      )
      .catch(() => false)
  }

  async function take(sessionID: string): Promise<{ draft: string; record: HandoffRecord } | undefined> {
    const answer = await api.client.session.get({ sessionID })
    const metadata = answer.data?.metadata ?? {}
    const record = readRecord(metadata)
    if (record?.draft === undefined) return undefined
    const { draft, ...rest } = record
    const taken = await api.client.session.update({ sessionID, metadata: withRecord(metadata, rest) })
    return taken.error === undefined ? { draft, record } : undefined
  }

  async function putBack(sessionID: string, record: HandoffRecord): Promise<void> {
    const answer = await api.client.session.get({ sessionID })
    await api.client.session.update({ sessionID, metadata: withRecord(answer.data?.metadata ?? {}, record) })
  }
}
