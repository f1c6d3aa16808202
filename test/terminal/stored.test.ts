import { after, test } from "node:test"
import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readRecord, withRecord } from "../../src/handoff/record.ts"
import { showStoredDrafts } from "../../src/terminal/stored.ts"

// Terminals over one host that open the session of a stored draft in the same instant.

const hostDir = mkdtempSync(join(tmpdir(), "baton-stored-"))
after(() => rmSync(hostDir, { recursive: true, force: true }))

test("of terminals that open a session in the same instant one shows its draft", async () => {
  const record = { source: "ses_source", at: 1, draft: "the draft\n" }
  let metadata: Record<string, unknown> = withRecord({ kept: true }, record)
  const shown: string[] = []
  /** Every answer comes a turn later, so that all have asked before the first is answered. */
  const answering = <Value>(value: () => Value): Promise<{ data: Value }> =>
    new Promise((resolve) => setTimeout(() => resolve({ data: value() })))
  const opened = Array.from({ length: 6 }, () => {
    let onOpen: (props: { session_id: string }) => void = () => undefined
    const api = {
      slots: {
        register({ slots }: { slots: { session_prompt_right(context: object, props: object): null } }) {
          onOpen = (props) => void slots.session_prompt_right({}, props)
        },
      },
      client: {
        session: {
          get: () => answering(() => ({ metadata })),
          update: (given: { metadata: Record<string, unknown> }) =>
            answering(() => {
              metadata = given.metadata
            }),
        },
      },
      ui: { toast: () => undefined },
    }
    const show = (_place: object, text: string) => {
      shown.push(text)
      return Promise.resolve(true)
    }
    showStoredDrafts(api as never, { show }, hostDir)
    return () => onOpen({ session_id: "ses_new" })
  })
  for (const open of opened) open()
  // Whoever else would show it does so within a few answers.
  for (let answers = 0; answers < 50; answers++) await answering(() => undefined)
  assert.deepEqual(shown, ["the draft\n"])
  assert.deepEqual(readRecord(metadata), { source: "ses_source", at: 1 })
  assert.equal(metadata["kept"], true)
})
