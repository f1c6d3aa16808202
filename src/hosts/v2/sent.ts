import { field, textField } from "../../session/capability.ts"
import { earlierRows, type Earlier } from "./first.ts"
import { idle } from "./service.ts"

// A prompt may be refused after its hook: what is kept for it is given up only when its message is seen.

export type Sent = {
  /** Waits for the message of a prompt, then runs `settle`, once. Returns at once. */
  expect(prompt: { readonly sessionID: string; readonly messageID: string }, settle: () => void): void
  /** Takes an event of the host. */
  receive(event: unknown): void
}

/** Prompts waited for; one that was refused never comes. */
const EXPECTED_MAX = 50

/** Looks at the session where the host has no events, each twice as late as the one before: about a minute. */
const LOOKS = 7
const FIRST_LOOK_MS = 500

/** Tells that a message is in the session: its id is the inbox item's (GA), the input's (before). */
const DELIVERED = /^session\.(?:inbox\.delivered|input\.promoted)$/

/** At the end of a turn its prompt is in the session, whatever the events of this release are called. */
const TURN_OVER = /^session\.(?:execution\.(?:succeeded|failed|interrupted)|step\.ended|idle)$/

/** The prompts of one plugin instance. */
export function sentPrompts(earlier: Earlier, hasEvents: boolean, ending: AbortSignal): Sent {
  type Expected = { readonly sessionID: string; readonly messageID: string; readonly settle: () => void }
  const expected = new Set<Expected>()

  function seen(prompt: Expected): void {
    if (expected.delete(prompt)) prompt.settle()
  }

  async function look(prompt: Expected): Promise<void> {
    const rows = (await earlierRows(earlier, prompt.sessionID)) ?? []
    if (rows.some((row) => textField(row, "id") === prompt.messageID)) seen(prompt)
  }

  async function watch(prompt: Expected): Promise<void> {
    for (let at = 0; at < LOOKS && expected.has(prompt) && !ending.aborted; at++) {
      await idle(FIRST_LOOK_MS * 2 ** at, ending)
      if (!ending.aborted) await look(prompt)
    }
  }

  return {
    expect({ sessionID, messageID }, settle) {
      const prompt = { sessionID, messageID, settle }
      expected.add(prompt)
      for (const oldest of expected) if (expected.size > EXPECTED_MAX) expected.delete(oldest)
      if (!hasEvents) void watch(prompt)
    },
    receive(event) {
      const type = textField(event, "type")
      const data = field(event, "data")
      const sessionID = textField(data, "sessionID")
      for (const prompt of expected) {
        if (prompt.sessionID !== sessionID) continue
        const id = textField(data, "inboxID") || textField(data, "inputID")
        if (DELIVERED.test(type) && (id === prompt.messageID || prompt.messageID === "")) seen(prompt)
        else if (TURN_OVER.test(type)) void look(prompt)
      }
    },
  }
}
