import { describe, test } from "node:test"
import assert from "node:assert/strict"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as z from "zod"
import { markerSentence } from "../../src/handoff/draft.ts"
import { takeDraft } from "../../src/handoff/draft-file.ts"
import { readRecord } from "../../src/handoff/record.ts"
import { commandText } from "../../src/handoff/template.ts"
import { RELEASES, SLOW, until } from "../hosts/v2/asking.ts"
import { contractHost, type ContractHost } from "../hosts/v2/host.ts"
import type { HostSetup } from "../hosts/v2/release.ts"

const answerSchema = z.looseObject({
  ok: z.boolean(),
  error: z.string().optional(),
  message: z.string().optional(),
  sessionId: z.string().optional(),
  sourceSessionId: z.string().optional(),
  draft: z.string().optional(),
})

async function inHost(setup: HostSetup, run: (host: ContractHost) => Promise<void>): Promise<void> {
  const host = await contractHost(setup)
  try {
    await run(host)
  } finally {
    await host.stop()
  }
}

async function handoff(host: ContractHost, sessionID: string, input: object = { prompt: "go on" }) {
  const result = await host.tool(sessionID, "handoff_session", input)
  return answerSchema.parse(JSON.parse(result.content))
}

const GOALS = [
  "plain words",
  "quotes \"a b\" and 'c'",
  "$HOME $1 $ARGUMENTS $999999999",
  "`ls` !`touch /tmp/never`",
  "line one\nline two\n\n  indented",
  "@src/a.ts /handoff again",
  "",
  "日本語 🚀 é",
  "trailing blanks  ",
]

for (const release of RELEASES)
  describe(`/handoff on ${release}`, () => {
    for (const goal of GOALS)
      test(`the goal arrives byte for byte: ${JSON.stringify(goal)}`, SLOW, () =>
        inHost({ release }, async (host) => {
          const { id } = host.store.put({})
          await host.load()
          await host.command(id, "handoff", goal)
          assert.deepEqual(host.requests, [commandText(goal)])
          assert.deepEqual(host.executed, [])
        }),
      )

    test("without the host's prompt method it is sent through the service", SLOW, () =>
      inHost({ release, without: ["prompt"] }, async (host) => {
        const { id } = host.store.put({})
        await host.load()
        await host.command(id, "handoff", "the goal")
        assert.deepEqual(host.requests, [commandText("the goal")])
      }),
    )

    test("without the command editor the sent text is the command", SLOW, () =>
      inHost({ release, without: ["command"] }, async (host) => {
        const { id } = host.store.put({})
        await host.load()
        for (const goal of ["", "one\ntwo $1 !`x`"]) await host.command(id, "handoff", goal)
        await host.prompt(id, { text: "/handoffs are nice" })
        assert.deepEqual(host.requests, [
          commandText(""),
          commandText("one\ntwo $1 !`x`"),
          "/handoffs are nice",
        ])
      }),
    )

    test("a failure reaches the user", SLOW, () =>
      inHost({ release, without: ["prompt", "service"] }, async (host) => {
        await host.load()
        await assert.rejects(
          host.command(host.store.put({}).id, "handoff", "x"),
          /\/handoff: .*not reachable/,
        )
      }),
    )
  })

for (const command of ["template", "update"] as const)
  test(`a host with the ${command} form gets a template in which nothing runs`, SLOW, () =>
    inHost({ command }, async (host) => {
      const { id } = host.store.put({})
      await host.load()
      await host.command(id, "handoff", "fix it !`touch /tmp/never` $1 $HOME")
      assert.deepEqual(host.executed, [])
      assert.match(host.requests[0] ?? "", /^Write a handoff[^]*cannot hand over what was typed/)
    }),
  )

for (const release of RELEASES)
  describe(`handoff_session on ${release}`, () => {
    test("keeps the draft in a new session, unsent, and answers with all of it", SLOW, () =>
      inHost({ release }, async (host) => {
        const source = host.store.put({ title: "Long work" })
        await host.load()
        const answer = await handoff(host, source.id, { prompt: "go on", files: ["a.ts"] })
        assert.ok(answer.ok, answer.error ?? "")
        assert.equal(answer.sourceSessionId, source.id)
        assert.equal(answer.draft, `${markerSentence(source.id)}\n\n@a.ts\n\ngo on\n`)
        const sessionID = answer.sessionId ?? ""
        assert.equal(host.store.session(sessionID)["title"], "Handoff from Long work")
        assert.deepEqual(host.store.messages.get(sessionID), [])
        const kept = readRecord(host.store.session(sessionID)["metadata"])?.draft
        const filed = await takeDraft(host.dataDir, sessionID, Date.now())
        assert.equal(kept ?? filed?.draft, answer.draft)
        assert.notEqual(kept, undefined)
        assert.deepEqual(host.requests, [])
      }),
    )

    test("the terminal part finds the draft, wherever the index is told to lie", SLOW, async () => {
      const dataDir = mkdtempSync(join(tmpdir(), "baton-data-"))
      try {
        await inHost({ release, options: { dataDir } }, async (host) => {
          const source = host.store.put({})
          await host.load()
          const { sessionId: sessionID = "", draft } = await handoff(host, source.id)
          const kept = readRecord(host.store.session(sessionID)["metadata"])?.draft
          assert.equal(kept ?? (await takeDraft(host.dataDir, sessionID, Date.now()))?.draft, draft)
        })
      } finally {
        rmSync(dataDir, { recursive: true })
      }
    })

    test("an identical call does not make a second draft", SLOW, () =>
      inHost({ release }, async (host) => {
        const source = host.store.put({})
        await host.load()
        const [first, second] = [await handoff(host, source.id), await handoff(host, source.id)]
        assert.equal(first.sessionId, second.sessionId)
        assert.equal(host.store.sessions.size, 2)
        assert.match(second.message ?? "", /within a minute/)
      }),
    )

    test("from a subagent it is made from the root session", SLOW, () =>
      inHost({ release }, async (host) => {
        const root = host.store.put({})
        const child = host.store.put({ parentID: root.id })
        await host.load()
        const answer = await handoff(host, child.id)
        assert.equal(answer.sourceSessionId, root.id)
        assert.match(answer.message ?? "", /made from the root session/)
      }),
    )

    test("without the host's create method the session is made through the service", SLOW, () =>
      inHost({ release, without: ["create"] }, async (host) => {
        const source = host.store.put({})
        await host.load()
        const answer = await handoff(host, source.id)
        assert.ok(answer.ok, answer.error ?? "")
        assert.ok(host.service.requests.includes("POST /api/session"))
      }),
    )

    test("without either the answer holds the draft and says what failed", SLOW, () =>
      inHost({ release, without: ["create", "service"] }, async (host) => {
        const source = host.store.put({})
        await host.load()
        const answer = await handoff(host, source.id)
        assert.equal(answer.ok, false)
        assert.match(answer.error ?? "", /service is not reachable: OpenCode has registered no service/)
        assert.match(answer.draft ?? "", /go on/)
      }),
    )

    test("without the prompt hook the answer says that files are not injected", SLOW, () =>
      inHost({ release, without: ["hook"] }, async (host) => {
        const source = host.store.put({})
        await host.load()
        assert.match((await handoff(host, source.id)).message ?? "", /no prompt hook/)
      }),
    )

    const wrong: readonly (readonly [object, RegExp])[] = [
      [{ prompt: " \n\t" }, /`prompt` is blank/],
      [{}, /`prompt` is required/],
      [{ prompt: null }, /`prompt` is required/],
      [{ prompt: "x", files: 3 }, /`files` is 3; write a list/],
      [{ prompt: "x", file: ["a"] }, /unknown argument `file`, did you mean `files`/],
      [{ promt: "x" }, /did you mean `prompt`/],
    ]
    test("wrong arguments and a blank prompt are answers of one line, and make no session", SLOW, () =>
      inHost({ release }, async (host) => {
        const source = host.store.put({})
        await host.load()
        for (const [input, error] of wrong) {
          const answer = await handoff(host, source.id, input)
          assert.equal(answer.ok, false)
          assert.match(answer.error ?? "", error)
          assert.equal(answer.error?.includes("\n"), false)
        }
        assert.equal(host.store.sessions.size, 1)
      }),
    )

    test("files are cleaned and quoted, null is as good as none", SLOW, () =>
      inHost({ release }, async (host) => {
        const source = host.store.put({})
        await host.load()
        const files = ["@README.md", " src/a b.ts ", "", "README.md"]
        const answer = await handoff(host, source.id, { prompt: "Goal.\n\nNext: `two`.", files })
        assert.deepEqual(answer["files"], ["README.md", "src/a b.ts"])
        const references = '@README.md @"src/a b.ts"'
        assert.equal(
          answer.draft,
          `${markerSentence(source.id)}\n\n${references}\n\nGoal.\n\nNext: \`two\`.\n`,
        )
        assert.match(answer.message ?? "", /stored, not sent/)
        const without = await handoff(host, source.id, { prompt: "x", files: null })
        assert.equal(without.draft, `${markerSentence(source.id)}\n\nx\n`)
      }),
    )

    test("an aborted call ends at once", SLOW, () =>
      inHost({ release }, async (host) => {
        const source = host.store.put({})
        await host.load()
        const aborted = AbortSignal.abort()
        await assert.rejects(host.tool(source.id, "handoff_session", { prompt: "x" }, aborted))
        const slow = AbortSignal.timeout(50)
        host.rules.reply = undefined
        const other = host.store.put({ projectID: "prj_other", location: { directory: "/elsewhere" } })
        await assert.rejects(host.tool(source.id, "read_session", { sessionId: other.id }, slow), /aborted/)
      }),
    )
  })

function files(host: ContractHost, contents: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(contents)) {
    const path = join(host.directory, name)
    mkdirSync(join(path, ".."), { recursive: true })
    writeFileSync(path, content)
  }
}

const draft = (source: string, rest: string) => `${markerSentence(source)}\n\n${rest}\n`

for (const release of RELEASES)
  describe(`injection on ${release}`, () => {
    test("the first request has the files, as the host's own attachments, behind the user's text", SLOW, () =>
      inHost({ release }, async (host) => {
        files(host, { "a.ts": "export const a = 1\n", "b c.txt": "bee\nsee\ndee" })
        const { id } = host.store.put({})
        await host.load()
        const text = draft("ses_source", '@a.ts @"b c.txt#2-2" @missing.ts\n\ngo on')
        const message = await host.prompt(id, { text })
        assert.equal(message["text"], text)
        assert.deepEqual(host.requests, [
          [
            text,
            "\nAttached file: a.ts\n\nexport const a = 1\n",
            "\nAttached file: b c.txt#2-2\n\nsee",
            "\nAttached file: handoff-notes.txt\n\nNot included: missing.ts (missing)",
          ].join("\n"),
        ])
      }),
    )

    test("a second message, another's marker and a plain prompt get nothing", SLOW, () =>
      inHost({ release }, async (host) => {
        files(host, { "a.ts": "a" })
        const { id } = host.store.put({})
        await host.load()
        const sent = ["just @a.ts", draft("ses_x", "@a.ts"), `> ${markerSentence("ses_x")}\n@a.ts`]
        for (const text of sent) await host.prompt(id, { text })
        assert.deepEqual(host.requests, sent)
      }),
    )

    test(
      "once: not again when the message comes again with our mark, and again after a revert to it",
      SLOW,
      () =>
        inHost({ release }, async (host) => {
          files(host, { "a.ts": "a" })
          const { id } = host.store.put({})
          await host.load()
          const first = await host.prompt(id, { text: draft("ses_x", "@a.ts") })
          await host.prompt(id, { text: draft("ses_x", "@a.ts") })
          assert.equal(host.requests.filter((request) => request.includes("Attached file")).length, 1)
          host.store.put({ ...host.store.session(id), revert: { messageID: first.id } })
          await host.prompt(id, { text: draft("ses_x", "@a.ts and more") })
          assert.equal(host.requests.filter((request) => request.includes("Attached file")).length, 2)
        }),
    )

    test("with a second copy of the plugin in the same location still once", SLOW, () =>
      inHost({ release }, async (host) => {
        files(host, { "a.ts": "a" })
        const { id } = host.store.put({})
        await host.load()
        await host.load()
        await host.prompt(id, { text: draft("ses_x", "@a.ts") })
        assert.equal((host.requests[0]?.match(/Attached file/g) ?? []).length, 1)
      }),
    )

    const attached: readonly [string, string, string, readonly string[]][] = [
      ["the whole file", "", "@a.ts @a.ts#2-2", ["mine"]],
      ["some lines: the file still comes", "?start=1&end=2", "@a.ts", ["mine", "a.ts"]],
      ["the lines the draft names", "?start=1&end=2", "@a.ts#1-2 @a.ts#2-3", ["mine", "a.ts#2-3"]],
    ]
    for (const [name, query, references, names] of attached)
      test(`what the user attached is not attached again: ${name}`, SLOW, () =>
        inHost({ release }, async (host) => {
          files(host, { "a.ts": "a\nb\nc\n" })
          const { id } = host.store.put({})
          await host.load()
          const uri = `file://${host.directory}/a.ts${query}`
          await host.prompt(id, { text: draft("ses_x", references), files: [{ uri, name: "mine" }] })
          assert.deepEqual(
            host.requests[0]?.match(/Attached file: .*/g),
            names.map((one) => `Attached file: ${one}`),
          )
        }),
      )

    test("secrets, denied files and files outside stay out, by name", SLOW, () =>
      inHost({ release }, async (host) => {
        files(host, { ".env": "KEY=1", "x.secret": "s", "ok.ts": "fine" })
        const { id } = host.store.put({ agent: "build" })
        await host.load()
        await host.prompt(id, { text: draft("ses_x", "@.env @x.secret @../outside.ts @ok.ts") })
        const request = host.requests[0] ?? ""
        assert.match(request, /Attached file: ok.ts\n\nfine/)
        assert.match(request, /\.env \(refused by the host's read rules\)/)
        assert.match(request, /x\.secret \(refused by the host's read rules\)/)
        assert.doesNotMatch(request, /KEY=1|\ns\n/)
      }),
    )

    test("a file over the budget is cut at a line and says so", SLOW, () =>
      inHost({ release, options: { inject: { maxFileBytes: 400 } } }, async (host) => {
        files(host, { "big.txt": Array.from({ length: 200 }, (_, at) => `line ${at + 1}`).join("\n") })
        const { id } = host.store.put({})
        await host.load()
        await host.prompt(id, { text: draft("ses_x", "@big.txt") })
        assert.match(
          host.requests[0] ?? "",
          /line 1\nline 2\n[^]*\n\n\(Showing lines 1-\d+ of 200\. Read the file for the rest\.\)$/,
        )
      }),
    )

    test("numbered is the classic form on any host", SLOW, () =>
      inHost({ release, options: { readFormat: "numbered" } }, async (host) => {
        files(host, { "a.ts": "one\ntwo\n" })
        const { id } = host.store.put({})
        await host.load()
        await host.prompt(id, { text: draft("ses_x", "@a.ts") })
        assert.match(
          host.requests[0] ?? "",
          /<file>\n00001\| one\n00002\| two\n00003\| \n\n\(End of file - total 3 lines\)\n<\/file>/,
        )
      }),
    )

    for (const without of [["service"], ["context"], ["service", "context"]] as const)
      test(`works without ${without.join(" and ")}`, SLOW, () =>
        inHost({ release, without }, async (host) => {
          files(host, { "a.ts": "a" })
          const { id } = host.store.put({})
          await host.load()
          await host.prompt(id, { text: draft("ses_x", "@a.ts") })
          assert.match(host.requests[0] ?? "", /Attached file: a.ts\n\na$/)
        }),
      )

    test("the session remembers where it came from, and the stored draft is gone", SLOW, () =>
      inHost({ release }, async (host) => {
        const source = host.store.put({})
        await host.load()
        const answer = await handoff(host, source.id)
        const sessionID = answer.sessionId ?? ""
        await host.prompt(sessionID, { text: answer.draft })
        await until("the session is as it stays", async () => {
          const record = readRecord(host.store.session(sessionID)["metadata"])
          if (release === "2.0.16")
            return (await takeDraft(host.dataDir, sessionID, Date.now())) === undefined
          return record?.source === source.id && record.draft === undefined
        })
      }),
    )
  })

test("where the hook sees files as they are stored, ours are in that form", SLOW, () =>
  inHost({}, async (host) => {
    files(host, { "a.ts": "alpha" })
    const { registry } = await host.load()
    const { id } = host.store.put({})
    const mine = { data: "bWluZQ==", mime: "text/plain", name: "mine", source: { type: "inline" } }
    const event = {
      sessionID: id,
      messageID: "msg_x",
      prompt: { text: draft("ses_x", "@a.ts @no.ts"), files: [mine] },
    }
    await registry.hooks[0]?.(event)
    const added: unknown[] = event.prompt.files.slice(1)
    const data = (text: string) => Buffer.from(text).toString("base64")
    assert.partialDeepStrictEqual(added, [
      { data: data("alpha"), name: "a.ts", source: { type: "uri", uri: `file://${host.directory}/a.ts` } },
      { data: data("Not included: no.ts (missing)"), source: { type: "inline" } },
    ])
  }),
)

test("a prompt that cannot be read passes as it is", SLOW, () =>
  inHost({}, async (host) => {
    const { registry } = await host.load()
    const hook = registry.hooks[0]
    assert.ok(hook)
    for (const event of [undefined, null, {}, { prompt: null }, { prompt: { text: 5 } }])
      await hook(Object(event))
  }),
)
