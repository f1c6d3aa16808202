import { describe, test } from "node:test"
import assert from "node:assert/strict"
import * as z from "zod"
import type { Caller, DraftMaker, DraftOutcome, HostResult, SessionReader } from "../../src/hosts/host.ts"
import type { Session } from "../../src/session/model.ts"
import { handoffSession, repeatMs } from "../../src/tools/handoff-session.ts"

// The tool's own decisions: what counts as the same call, which session a draft is made from, what is answered
// when no draft could be made. Hosts are tested for real elsewhere.

const caller: Caller = {
  sessionID: "ses_caller",
  messageID: "msg_1",
  directory: "/p",
  projectID: "p",
  signal: new AbortController().signal,
  askOtherProject: async () => ({ granted: true }),
}

const answerShape = z.record(z.string(), z.unknown())

type Draft = Parameters<DraftMaker["make"]>[0]

function tool(setup: {
  sessions?: Readonly<Record<string, string | undefined>>
  outcome?: HostResult<DraftOutcome>
  clock?: { now: number }
}) {
  const drafts: Draft[] = []
  const reader: SessionReader = {
    async session(id) {
      const sessions = setup.sessions ?? { [caller.sessionID]: undefined }
      if (!(id in sessions)) return { ok: false, fault: { reason: "not-found", message: "no" } }
      const parentID = sessions[id]
      const session: Session = {
        id,
        title: `T ${id}`,
        projectID: "p",
        directory: "/p",
        created: 0,
        updated: 0,
        metadata: {},
      }
      return { ok: true, value: parentID === undefined ? session : { ...session, parentID } }
    },
    messages: async () => ({ ok: true, value: { messages: [] } }),
  }
  const made = handoffSession({
    reader,
    drafts: {
      async make(draft) {
        drafts.push(draft)
        return setup.outcome ?? { ok: true, value: { kind: "shown", by: "terminal" } }
      },
    },
    log: () => {},
    now: () => setup.clock?.now ?? 0,
  })
  const run = async (input: unknown, by = caller): Promise<Record<string, unknown>> =>
    answerShape.parse(JSON.parse(await made.run(input, by)))
  return { run, drafts }
}

describe("the same call again", () => {
  test("within a minute gets the first one's draft", async () => {
    const clock = { now: 1000 }
    const { run, drafts } = tool({ clock })
    await run({ prompt: "x" })
    clock.now += repeatMs - 1
    assert.match(String((await run({ prompt: "x" }))["message"]), /within a minute/)
    assert.equal(drafts.length, 1)
  })
  test("after a minute makes a new one", async () => {
    const clock = { now: 1000 }
    const { run, drafts } = tool({ clock })
    await run({ prompt: "x" })
    clock.now += repeatMs
    await run({ prompt: "x" })
    assert.equal(drafts.length, 2)
  })
  test("at the same time makes one", async () => {
    const { run, drafts } = tool({})
    await Promise.all([run({ prompt: "x" }), run({ prompt: "x" })])
    assert.equal(drafts.length, 1)
  })
  test("with another text, other files or another session is another call; one file is a list of one", async () => {
    const { run, drafts } = tool({ sessions: { ses_caller: undefined, ses_b: undefined } })
    await run({ prompt: "x" })
    await run({ prompt: "y" })
    await run({ prompt: "x", files: ["a"] })
    await run({ prompt: "x", files: "a" })
    await run({ prompt: "x" }, { ...caller, sessionID: "ses_b" })
    assert.equal(drafts.length, 4)
  })
  test("after a failure tries again", async () => {
    const { run, drafts } = tool({ outcome: { ok: false, fault: { reason: "failed", message: "refused" } } })
    const first = await run({ prompt: "x" })
    assert.equal(first["ok"], false)
    assert.match(String(first["error"]), /could not be made: refused/)
    assert.match(String(first["draft"]), /^Continuing work from session ses_caller\./)
    await run({ prompt: "x" })
    assert.equal(drafts.length, 2)
  })
})

describe("the source session", () => {
  const chains: [name: string, sessions: Record<string, string | undefined>, source: string][] = [
    ["is the caller's own", { ses_caller: undefined }, "ses_caller"],
    [
      "is the root above a subagent",
      { ses_caller: "ses_mid", ses_mid: "ses_root", ses_root: undefined },
      "ses_root",
    ],
    ["is the highest that can be read", { ses_caller: "ses_gone" }, "ses_caller"],
    ["is the caller's own when nothing can be read", {}, "ses_caller"],
  ]
  for (const [name, sessions, source] of chains)
    test(name, async () => {
      const { run, drafts } = tool({ sessions })
      assert.equal((await run({ prompt: "x" }))["sourceSessionId"], source)
      assert.deepEqual(drafts[0]?.sourceSessionIDs, [...new Set([source, "ses_caller"])])
    })
  test("is found in a cycle too", async () => {
    const { run } = tool({ sessions: { ses_caller: "ses_b", ses_b: "ses_caller" } })
    assert.equal((await run({ prompt: "x" }))["ok"], true)
  })
})
