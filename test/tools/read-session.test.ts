import assert from "node:assert/strict"
import { describe, test } from "node:test"
import * as fc from "fast-check"
import * as z from "zod"
import type { Caller, HostResult, MessagePage, SessionReader } from "../../src/hosts/host.ts"
import { messageFromV1, sessionFromV1 } from "../../src/session/from-v1.ts"
import type { Message, Session } from "../../src/session/model.ts"
import { MAX_ANSWER_BYTES, readSession, type ReadSessionSetup } from "../../src/tools/read-session.ts"

const answerShape = z.union([
  z.strictObject({ ok: z.literal(true), sessionId: z.string(), count: z.number(), transcript: z.string() }),
  z.strictObject({ ok: z.literal(false), error: z.string() }),
])

function message(
  index: number,
  role: "user" | "assistant",
  parts: readonly unknown[],
  summary = false,
): Message {
  const id = `msg_${String(index).padStart(6, "0")}`
  const made = messageFromV1({ info: { id, sessionID: "ses_1", role, summary }, parts })
  assert.ok(made)
  return made
}

const user = (index: number, text = `question ${index}`) => message(index, "user", [{ type: "text", text }])
const talk = (count: number) => Array.from({ length: count }, (_, index) => user(index))
const steps = (index: number) => message(index, "assistant", [{ type: "step-start" }])

function session(fields: object = {}): Session {
  const made = sessionFromV1({ id: "ses_1", projectID: "here", ...fields })
  assert.ok(made)
  return made
}

/** A host that keeps the messages in a list; a cursor is the number of messages before it. */
function hostOf(messages: readonly Message[], stored: Session = session()) {
  const requests: number[] = []
  const reader: SessionReader = {
    async session(id): Promise<HostResult<Session>> {
      if (id === stored.id) return { ok: true, value: stored }
      return { ok: false, fault: { reason: "not-found", message: "no such session" } }
    },
    async messages(_id, page): Promise<HostResult<MessagePage>> {
      requests.push(page.limit)
      const end = page.older === undefined ? messages.length : Number(page.older)
      const start = Math.max(0, end - page.limit)
      return {
        ok: true,
        value: { messages: messages.slice(start, end), ...(start > 0 ? { older: String(start) } : {}) },
      }
    },
  }
  return { reader, requests }
}

function caller(fields: Partial<Caller> = {}): Caller {
  return {
    sessionID: "ses_caller",
    messageID: "msg_caller",
    directory: "/here",
    projectID: "here",
    signal: new AbortController().signal,
    askOtherProject: async () => assert.fail("must not be asked"),
    ...fields,
  }
}

async function read(
  messages: readonly Message[],
  input: object = {},
  setup: Partial<ReadSessionSetup> = {},
  by = caller(),
) {
  const tool = readSession({ reader: hostOf(messages).reader, maskSecrets: true, ...setup })
  const text = await tool.run({ sessionId: "ses_1", ...input }, by)
  return { text, answer: answerShape.parse(JSON.parse(text)) }
}

async function transcriptOf(
  messages: readonly Message[],
  input: object = {},
  setup: Partial<ReadSessionSetup> = {},
) {
  const { answer } = await read(messages, input, setup)
  assert.ok(answer.ok, JSON.stringify(answer))
  return answer
}

async function errorOf(
  messages: readonly Message[],
  input: object = {},
  setup: Partial<ReadSessionSetup> = {},
  by = caller(),
) {
  const { answer } = await read(messages, input, setup, by)
  assert.ok(!answer.ok, JSON.stringify(answer))
  return answer.error
}

test("a whole session: sections in order, a blank line between, the exact ending", async () => {
  const messages = [
    user(1, "fix it"),
    message(2, "assistant", [
      { type: "step-start" },
      { type: "text", text: "done" },
      { type: "tool", tool: "edit", callID: "c", state: { status: "completed", title: "src/a.ts" } },
    ]),
    message(3, "user", [{ type: "compaction", auto: false }]),
    message(4, "assistant", [{ type: "text", text: "It was fixed." }], true),
  ]
  assert.deepEqual(await transcriptOf(messages), {
    ok: true,
    sessionId: "ses_1",
    count: 3,
    transcript:
      "## User\nfix it\n\n## Assistant\ndone\n[Tool: edit] src/a.ts\n\n## Summary (compaction)\nIt was fixed.\n\n" +
      "(End of session — 3 messages)",
  })
})

describe("limit", () => {
  counts(250, {}, 100, true)
  counts(250, { limit: null }, 100, true)
  counts(250, { limit: 10 }, 10, true)
  counts(250, { limit: "10" }, 10, true)
  counts(250, { limit: 0 }, 1, true)
  counts(250, { limit: -1 }, 1, true)
  counts(250, { limit: 250 }, 250, false)
  counts(250, { limit: 249 }, 249, true)
  counts(600, { limit: 501 }, 500, true)
  counts(100, {}, 100, false)
  counts(101, {}, 100, true)
  counts(1, { limit: 1 }, 1, false)

  function counts(stored: number, input: object, count: number, more: boolean): void {
    test(`${JSON.stringify(input)} of ${stored}`, async () => {
      const answer = await transcriptOf(talk(stored), input)
      assert.equal(answer.count, count)
      assert.equal(answer.transcript.match(/^## User$/gm)?.length, count)
      assert.ok(answer.transcript.includes(`question ${stored - 1}\n`))
      assert.equal(
        answer.transcript.split("\n").at(-1),
        more
          ? `(Showing ${count} most recent messages. Use a higher 'limit' to see more.)`
          : `(End of session — ${count} messages)`,
      )
    })
  }
})

test("messages with nothing to show neither count nor hide that there are more", async () => {
  const padded = [
    user(0),
    ...Array.from({ length: 300 }, (_, index) => steps(index + 1)),
    user(400),
    steps(401),
  ]
  assert.equal(
    (await transcriptOf(padded, { limit: 2 })).transcript.split("\n").at(-1),
    "(End of session — 2 messages)",
  )
  assert.match((await transcriptOf(padded, { limit: 1 })).transcript, /Showing 1 most recent messages\./)
})

test("pages hold at most 100 messages, and no more are read than needed", async () => {
  const { reader, requests } = hostOf(talk(5_000))
  await transcriptOf([], { limit: 250 }, { reader })
  assert.deepEqual(requests, [100, 100, 51])
})

describe("the id is found inside a link or text", () => {
  for (const written of [
    "ses_1",
    " ses_1 ",
    "https://opncd.ai/s/ses_1?x=1",
    "opencode://session%2Fses_1",
    "Continuing work from session ses_1. Use read_session",
    "`ses_1`",
    '"ses_1"',
    "session:ses_1/msg_2",
  ])
    test(written, async () =>
      assert.equal((await transcriptOf([user(1)], { sessionId: written })).sessionId, "ses_1"),
    )
})

describe("errors", () => {
  const advice = "write an id such as ses_1a2b3c, or a link that holds one"
  refuses({ sessionId: "" }, `no session id in ""; ${advice}`)
  refuses({ sessionId: "processes_list" }, `no session id in "processes_list"; ${advice}`)
  refuses({ sessionId: "ses_" }, `no session id in "ses_"; ${advice}`)
  refuses({ sessionId: "a\n## User" }, `no session id in "a\\n## User"; ${advice}`)
  refuses({ sessionId: "ses_2" }, "session ses_2 does not exist; check the id")
  refuses({ sessionId: null }, "read_session: `sessionId` is required; write a string")
  refuses({ sessionId: 7 }, "read_session: `sessionId` is 7; write a string")
  refuses({ limit: "ten" }, 'read_session: `limit` is "ten"; write a whole number from 1 to 500')
  refuses({ sessionID: "ses_1" }, "read_session: unknown argument `sessionID`, did you mean `sessionId`?")

  function refuses(input: object, error: string): void {
    test(error, async () => assert.equal(await errorOf([user(1)], input), error))
  }

  test("an empty session", async () => {
    assert.equal(await errorOf([]), "session ses_1 has no messages yet")
  })

  test("a session with nothing to show", async () => {
    assert.equal(
      await errorOf([steps(1), steps(2)]),
      "session ses_1 has nothing to show: 2 messages without text, attachments or finished tool calls",
    )
  })

  test("an excluded session is like an unknown one", async () => {
    const error = await errorOf([user(1)], {}, { excluded: (target) => target.projectID === "here" })
    assert.equal(error, "session ses_1 does not exist; check the id")
  })

  test("a host that fails", async () => {
    const reader: SessionReader = {
      ...hostOf([]).reader,
      messages: async () => ({ ok: false, fault: { reason: "failed", message: "timed out" } }),
    }
    assert.equal(await errorOf([], {}, { reader }), "session ses_1 could not be read: timed out")
  })

  test("a host that repeats a cursor", async () => {
    const reader: SessionReader = {
      ...hostOf([]).reader,
      messages: async () => ({ ok: true, value: { messages: [steps(1)], older: "same" } }),
    }
    assert.equal(
      await errorOf([], {}, { reader }),
      "session ses_1 could not be read: the host repeated a page cursor",
    )
  })

  test("a cancelled call", async () => {
    const error = await errorOf([user(1)], {}, {}, caller({ signal: AbortSignal.abort() }))
    assert.equal(error, "session ses_1 could not be read: the call was cancelled")
  })
})

describe("a session of another project", () => {
  const elsewhere = session({ projectID: "elsewhere" })

  test("is read once the user allows it, asked once", async () => {
    const asked: string[] = []
    const by = caller({
      askOtherProject: async (target) => {
        asked.push(target.id)
        return { granted: true }
      },
    })
    const { answer } = await read([], {}, { reader: hostOf(talk(300), elsewhere).reader }, by)
    assert.deepEqual([answer.ok, asked], [true, ["ses_1"]])
  })

  test("so is one of another directory without a repository", async () => {
    const [target, near] = ["/elsewhere", "/here/below"].map((directory) =>
      session({ projectID: "global", directory }),
    )
    const by = caller({
      projectID: "global",
      askOtherProject: async () => ({ granted: false, message: "not allowed" }),
    })
    assert.equal(await errorOf([], {}, { reader: hostOf(talk(3), target).reader }, by), "not allowed")
    const { answer } = await read([], {}, { reader: hostOf(talk(3), near).reader }, by)
    assert.equal(answer.ok, true)
  })

  test("is refused before a message is read", async () => {
    const { reader, requests } = hostOf(talk(3), elsewhere)
    const by = caller({ askOtherProject: async () => ({ granted: false, message: "not allowed" }) })
    assert.equal(await errorOf([], {}, { reader }, by), "not allowed")
    assert.deepEqual(requests, [])
  })
})

test("reverted messages are left out and counted, across pages", async () => {
  const stored = session({ revert: { messageID: "msg_000050" } })
  const answer = await transcriptOf([], { limit: 20 }, { reader: hostOf(talk(300), stored).reader })
  assert.equal(answer.count, 20)
  assert.ok(answer.transcript.startsWith("## User\nquestion 30\n"))
  assert.ok(
    answer.transcript.endsWith(
      "question 49\n\n(250 reverted messages left out.)\n" +
        "(Showing 20 most recent messages. Use a higher 'limit' to see more.)",
    ),
  )
})

test("a message after the reverted one is reverted whatever its id", async () => {
  const odd = [user(1), user(2), { ...user(3), id: "custom" }, { ...user(4), id: "a-custom" }]
  const stored = session({ revert: { messageID: "custom" } })
  const answer = await transcriptOf([], {}, { reader: hostOf(odd, stored).reader })
  assert.ok(
    answer.transcript.endsWith(
      "question 2\n\n(2 reverted messages left out.)\n(End of session — 2 messages)",
    ),
  )
})

test("a session that is reverted as a whole is empty and says so", async () => {
  const stored = session({ revert: { messageID: "msg_000000" } })
  const error = await errorOf([], {}, { reader: hostOf(talk(3), stored).reader })
  assert.equal(error, "session ses_1 is empty: its 3 messages are all reverted")
})

test("masked secrets and unreadable parts are counted in the ending", async () => {
  const secret = `ghp_${"aB3dE7fG1".repeat(4)}`
  const broken = message(2, "assistant", [{ type: "text", text: "ok" }, null])
  const answer = await transcriptOf([user(1, `token ${secret}`), broken])
  assert.ok(!answer.transcript.includes(secret))
  assert.ok(
    answer.transcript.endsWith(
      "(1 secret masked.)\n(1 unreadable part skipped.)\n(End of session — 2 messages)",
    ),
  )
})

describe("the whole answer stays within its bound", () => {
  test("older messages go first, and the ending says so", async () => {
    const messages = Array.from({ length: 100 }, (_, index) => user(index, `${index} ${"x".repeat(5_000)}`))
    const { text, answer } = await read(messages)
    assert.ok(answer.ok)
    assert.ok(Buffer.byteLength(text) <= MAX_ANSWER_BYTES)
    assert.ok(Buffer.byteLength(text) > MAX_ANSWER_BYTES - 8_000)
    const last = `(Showing ${answer.count} most recent messages. ${100 - answer.count} older messages of those asked for left out: an answer is at most 200 KB.)`
    assert.equal(answer.transcript.split("\n").at(-1), last)
    assert.ok(answer.transcript.startsWith(`## User\n${100 - answer.count} x`))
  })

  test("a smaller bound of the host holds, with text that grows in JSON", async () => {
    const messages = Array.from({ length: 50 }, (_, index) => user(index, '"\\\n\u0001é中🚀'.repeat(300)))
    const { text, answer } = await read(messages, {}, { maxAnswerBytes: 48 * 1024 })
    assert.ok(answer.ok)
    assert.ok(Buffer.byteLength(text) <= 48 * 1024)
    assert.match(answer.transcript, /an answer is at most 48 KB\.\)$/)
  })

  test("a newest message larger than the bound is cut, never dropped", async () => {
    const { text, answer } = await read([user(1), user(2, "🚀 word ".repeat(400_000))])
    assert.ok(answer.ok)
    assert.ok(Buffer.byteLength(text) <= MAX_ANSWER_BYTES)
    assert.equal(answer.count, 1)
    assert.match(answer.transcript, /^## User\n🚀 word /)
    assert.match(
      answer.transcript,
      /\n\(\d+ characters cut from long messages\.\)\n\(Showing 1 most recent messages\. 1 older message of those asked for left out/,
    )
  })

  test("any sizes: within the bound, newest kept, counts add up", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(6_000), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 4, max: 40 }),
        async (sizes, kilobytes) => {
          const messages = sizes.map((size, index) => user(index, `m${index} ${'é"'.repeat(size / 2)}`))
          const { text, answer } = await read(messages, {}, { maxAnswerBytes: kilobytes * 1024 })
          assert.ok(answer.ok)
          assert.ok(Buffer.byteLength(text) <= kilobytes * 1024)
          assert.equal(answer.transcript.match(/^## User$/gm)?.length, answer.count)
          assert.ok(answer.transcript.includes(`## User\nm${sizes.length - 1}`))
          const dropped = Number(/(\d+) older messages? of those/.exec(answer.transcript)?.[1] ?? 0)
          assert.equal(answer.count + dropped, sizes.length)
        },
      ),
      { numRuns: 60 },
    )
  })
})
