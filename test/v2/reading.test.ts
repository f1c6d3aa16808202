import { describe, test } from "node:test"
import assert from "node:assert/strict"
import * as z from "zod"
import { inLoadedHost, RELEASES, SLOW } from "../hosts/v2/asking.ts"
import type { ContractHost } from "../hosts/v2/host.ts"

const answerSchema = z.object({
  ok: z.boolean(),
  error: z.string().optional(),
  transcript: z.string().optional(),
  count: z.number().optional(),
})

async function read(host: ContractHost, caller: string, sessionId: string, limit?: number) {
  const { content } = await host.tool(caller, "read_session", {
    sessionId,
    ...(limit === undefined ? {} : { limit }),
  })
  return answerSchema.parse(JSON.parse(content))
}

function fill(host: ContractHost, count: number): string {
  const { id } = host.store.put({})
  for (let at = 1; at <= count; at++)
    host.store.write(
      id,
      at % 2 === 1
        ? { type: "user", text: `ask ${at}` }
        : { type: "assistant", content: [{ type: "text", text: `say ${at}` }] },
    )
  return id
}

for (const release of RELEASES)
  describe(`read_session on ${release}`, () => {
    const rows: readonly [number, number, RegExp, RegExp][] = [
      [3, 100, /^## User\nask 1[^]*ask 3/, /\(End of session — 3 messages\)$/],
      [100, 100, /^## User\nask 1\n/, /\(End of session — 100 messages\)$/],
      [101, 100, /^## Assistant\nsay 2\n/, /\(Showing 100 most recent messages\./],
      [450, 500, /^## User\nask 1\n[^]*say 450/, /\(End of session — 450 messages\)$/],
      [450, 201, /^## Assistant\nsay 250\n/, /\(Showing 201 most recent messages\./],
    ]
    for (const [count, limit, start, end] of rows)
      test(`${limit} of ${count} messages, the last page included`, SLOW, () =>
        inLoadedHost({ release }, async (host, caller) => {
          const answer = await read(host, caller, fill(host, count), limit)
          assert.match(answer.transcript ?? answer.error ?? "", start)
          assert.match(answer.transcript ?? "", end)
        }),
      )

    test("any spelling of a limit is a number of messages, a word is an error", SLOW, () =>
      inLoadedHost({ release }, async (host, caller) => {
        const id = fill(host, 6)
        const limits: readonly (readonly [unknown, number])[] = [
          [0, 1],
          [1, 1],
          ["2", 2],
          [500, 6],
          [501, 6],
          [null, 6],
        ]
        for (const [limit, count] of limits) {
          const { content } = await host.tool(caller, "read_session", { sessionId: id, limit })
          assert.equal(answerSchema.parse(JSON.parse(content)).count, count, JSON.stringify(limit))
        }
        const { content } = await host.tool(caller, "read_session", { sessionId: id, limit: "many" })
        assert.match(content, /`limit` is \\"many\\"/)
      }),
    )

    test("a link around the id is read; what holds none is an error that repeats it", SLOW, () =>
      inLoadedHost({ release }, async (host, caller) => {
        const id = fill(host, 1)
        assert.equal((await read(host, caller, `see https://opencode.ai/s/${id}?x=1.`)).ok, true)
        assert.match((await read(host, caller, "no id in here")).error ?? "", /no id in here/)
        for (const [input, error] of [
          [{}, /`sessionId` is required/],
          [{ sessionID: "ses_1" }, /unknown argument `sessionID`, did you mean `sessionId`/],
        ] as const)
          assert.match((await host.tool(caller, "read_session", input)).content, error)
      }),
    )

    test("a failed call is told by its error's first line", SLOW, () =>
      inLoadedHost({ release }, async (host, caller) => {
        const { id } = host.store.put({})
        const error = { type: "unknown", message: "File not found: /x\nand more" }
        const state = { status: "error", input: { path: "/x" }, error }
        const tool = { type: "tool", id: "c", name: "read", state, time: { created: 1 } }
        host.store.write(id, { type: "assistant", content: [tool] })
        const { transcript = "" } = await read(host, caller, id)
        assert.match(transcript, /\[Tool: read\] failed: File not found: \/x\n/)
        assert.doesNotMatch(transcript, /and more/)
      }),
    )

    test("a long session stays under what the host passes on, and says what was dropped", SLOW, () =>
      inLoadedHost({ release }, async (host, caller) => {
        const { id } = host.store.put({})
        for (let at = 0; at < 24; at++)
          host.store.write(id, { type: "user", text: `${at} ${"long text ".repeat(800)}` })
        const answer = await read(host, caller, id, 500)
        assert.ok(Buffer.byteLength(JSON.stringify(answer)) <= 48 * 1024)
        assert.match(answer.transcript ?? "", /23 long text[^]*older messages of those asked for left out/)
        assert.ok((answer.count ?? 24) < 24)
      }),
    )

    test("unknown and empty sessions are different errors", SLOW, () =>
      inLoadedHost({ release }, async (host, caller) => {
        assert.match((await read(host, caller, "ses_unknown")).error ?? "", /does not exist/)
        assert.match((await read(host, caller, host.store.put({}).id)).error ?? "", /has no messages yet/)
      }),
    )

    test("attachments are named, their content is not in it; tools and summaries are", SLOW, () =>
      inLoadedHost({ release }, async (host, caller) => {
        const { id } = host.store.put({})
        const data = Buffer.from("attached text").toString("base64")
        host.store.write(id, {
          type: "user",
          text: "look",
          files: [{ data, mime: "text/plain", name: "notes.txt", source: { type: "inline" } }],
        })
        const state = {
          status: "completed",
          input: {},
          content: [{ type: "text", text: "x" }],
          metadata: { title: "src/a.ts" },
        }
        host.store.write(id, {
          type: "assistant",
          content: [{ type: "tool", id: "c", name: "read", state, time: {} }],
        })
        host.store.write(id, {
          type: "compaction",
          status: "completed",
          reason: "auto",
          summary: "the gist",
          recent: "",
        })
        host.store.write(id, { type: "agent-switched", agent: "plan" })
        const { transcript = "" } = await read(host, caller, id)
        assert.match(
          transcript,
          /look\n*\[Attached: notes.txt\][^]*\[Tool: read\] src\/a.ts[^]*## Summary \(compaction\)\nthe gist/,
        )
        assert.equal(transcript.includes(data), false)
      }),
    )

    test("reverted messages, which V2 still lists, are left out", SLOW, () =>
      inLoadedHost({ release }, async (host, caller) => {
        const id = fill(host, 6)
        const from = host.store.messages.get(id)?.[3]
        host.store.put({ ...host.store.session(id), revert: { messageID: from?.id } })
        const { transcript = "" } = await read(host, caller, id)
        assert.match(transcript, /ask 3[^]*\(3 reverted messages left out\.\)/)
        assert.doesNotMatch(transcript, /say 4|ask 5/)
      }),
    )

    const other = { projectID: "prj_other", location: { directory: "/elsewhere/code" } }
    const questions: readonly [string, ContractHost["rules"], string | undefined, RegExp][] = [
      ["allowed once", { effect: "ask", reply: "once" }, "yes", /./],
      ["allowed by a rule", { effect: "allow", reply: undefined }, "yes", /./],
      ["refused", { effect: "ask", reply: "reject" }, undefined, /refused by the user/],
      [
        "denied by a rule",
        { effect: "deny", reply: undefined },
        undefined,
        /denied by the rules for external_directory/,
      ],
    ]
    for (const [name, rules, granted, error] of questions)
      test(`another project: ${name}`, SLOW, () =>
        inLoadedHost({ release }, async (host, caller) => {
          Object.assign(host.rules, rules)
          const { id } = host.store.put(other)
          host.store.write(id, { type: "user", text: "hidden words" })
          const answer = await read(host, caller, id)
          assert.equal(answer.ok, granted !== undefined, JSON.stringify(answer))
          assert.match(answer.error ?? "ok", error)
          assert.deepEqual(host.questions[0]?.["resources"], ["/elsewhere/code/*"])
          if (granted === undefined) assert.doesNotMatch(JSON.stringify(answer), /hidden words/)
        }),
      )

    test("always holds for the project, once does not", SLOW, () =>
      inLoadedHost({ release }, async (host, caller) => {
        const { id } = host.store.put(other)
        host.store.write(id, { type: "user", text: "x" })
        for (const reply of ["once", "always", "always"] as const) {
          host.rules.reply = reply
          assert.equal((await read(host, caller, id)).ok, true)
        }
        assert.equal(host.questions.length, 2)
      }),
    )

    for (const [choice, ok] of [
      ["allow", true],
      ["deny", false],
    ] as const)
      test(`otherProjects: ${choice} asks nobody`, SLOW, () =>
        inLoadedHost({ release, options: { otherProjects: choice } }, async (host, caller) => {
          const { id } = host.store.put(other)
          host.store.write(id, { type: "user", text: "x" })
          assert.equal((await read(host, caller, id)).ok, ok)
          assert.deepEqual(host.questions, [])
        }),
      )

    test("without a route to ask the answer says which option allows it", SLOW, () =>
      inLoadedHost({ release, without: ["permission"] }, async (host, caller) => {
        const { id } = host.store.put(other)
        host.store.write(id, { type: "user", text: "hidden words" })
        const answer = await read(host, caller, id)
        assert.match(answer.error ?? "", /nobody could be asked[^]*set the option otherProjects to "allow"/)
        assert.equal(answer.transcript, undefined)
      }),
    )

    test("without events nobody can be asked, and the answer says which option allows it", SLOW, () =>
      inLoadedHost({ release, without: ["events"] }, async (host, caller) => {
        const { id } = host.store.put(other)
        const answer = await read(host, caller, id)
        assert.match(answer.error ?? "", /no events[^]*set the option otherProjects to "allow"/)
        assert.deepEqual(host.questions, [])
      }),
    )
  })

describe("the service comes and goes", () => {
  test("registered after the plugin started, it is found", SLOW, () =>
    inLoadedHost({ without: ["service"] }, async (host, caller) => {
      const id = fill(host, 2)
      const reading = read(host, caller, id)
      host.service.register()
      assert.equal((await reading).ok, true)
    }),
  )

  test("not there at all, the answer says so", SLOW, () =>
    inLoadedHost({ without: ["service"] }, async (host, caller) => {
      const answer = await read(host, caller, fill(host, 2))
      assert.match(
        answer.error ?? "",
        /could not be read: .*service is not reachable: OpenCode has registered no service/,
      )
    }),
  )

  test("with the message domain it is not needed", SLOW, () =>
    inLoadedHost({ release: "2.1.0", without: ["service"] }, async (host, caller) => {
      assert.equal((await read(host, caller, fill(host, 2))).ok, true)
    }),
  )

  test("started anew with another password, it is found again", SLOW, () =>
    inLoadedHost({}, async (host, caller) => {
      const id = fill(host, 2)
      assert.equal((await read(host, caller, id)).ok, true)
      host.service.setPassword("another")
      assert.match((await read(host, caller, id)).error ?? "", /refused the registered password/)
      host.service.register({ password: "another" })
      assert.equal((await read(host, caller, id)).ok, true)
    }),
  )

  const faults: readonly [string, number, string, RegExp][] = [
    [
      "a page that cannot be decoded",
      500,
      '{"_tag":"UnknownError","message":"cannot decode","ref":"err_1"}',
      /cannot decode/,
    ],
    ["an answer that is no JSON", 200, "<html>", /a form this version does not read/],
    ["an answer of another shape", 200, '{"messages":[]}', /a form this version does not read/],
    ["not available", 503, '{"_tag":"ServiceUnavailableError","message":"later"}', /later/],
    ["a redirect to another machine", 302, "", /messages of/],
  ]
  for (const [name, status, body, error] of faults)
    test(`${name} is an answer that says so, and the next call goes on`, SLOW, () =>
      inLoadedHost({}, async (host, caller) => {
        const id = fill(host, 2)
        host.service.fault = (route) => (route.includes("/message") ? { status, body } : undefined)
        const answer = await read(host, caller, id)
        assert.equal(answer.ok, false)
        assert.match(answer.error ?? "", error)
        host.service.fault = undefined
        assert.equal((await read(host, caller, id)).ok, true)
      }),
    )

  test("a cursor that repeats ends the reading", SLOW, () =>
    inLoadedHost({}, async (host, caller) => {
      const id = fill(host, 3)
      const row = JSON.stringify(host.store.messages.get(id)?.[0])
      const body = `{"data":[${row}],"cursor":{"next":"again"}}`
      host.service.fault = (route) => (route.includes("/message") ? { status: 200, body } : undefined)
      assert.match((await read(host, caller, id)).error ?? "", /repeated/)
    }),
  )
})
