import { describe, test } from "node:test"
import assert from "node:assert/strict"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { keepDraft } from "../../src/handoff/draft-file.ts"
import { markerSentence } from "../../src/handoff/draft.ts"
import { asText, kindOf } from "../../src/hosts/v2/attachable.ts"
import { inHost, inLoadedHost, RELEASES, SLOW, until } from "../hosts/v2/asking.ts"
import { agent, DEFAULT_RULES } from "../hosts/v2/agents.ts"
import type { ContractHost } from "../hosts/v2/host.ts"
import { contractTerminal } from "../hosts/v2/terminal.ts"

// What a real V2 tree did that the documents do not tell: kinds from bytes, rules of the default agent, questions that
// stay, layers only in a slot, metadata that is taken and dropped.

const draft = (text: string) => `${markerSentence("ses_source")}\n\n${text}\n`

async function send(host: ContractHost, references: string, session: object = {}): Promise<string> {
  await host.prompt(host.store.put(session).id, { text: draft(references) })
  return host.requests.at(-1) ?? ""
}

const BEGINNINGS = [
  "BM is a tag",
  "GIF8 is one",
  "%PDF-1.7 by hand",
  "abcdftypavif",
  "RIFFabcdWEBP",
  "\0\0",
  "\x01\x02\x03",
]

for (const beginning of BEGINNINGS)
  test(`${JSON.stringify(beginning)} is made to be text`, () => {
    assert.notEqual(kindOf(Buffer.from(beginning)), "text")
    assert.equal(kindOf(Buffer.from(asText(beginning))), "text")
  })

for (const plain of ["", "PK is text", "MZ", "ID3", "é\n", "\ufeffBM", "\x1b[31mred text\x1b[0m"])
  test(`${JSON.stringify(plain)} is text as it is`, () => {
    assert.equal(kindOf(Buffer.from(plain)), "text")
    assert.equal(asText(plain), plain)
  })

for (const release of RELEASES)
  describe(`a real tree, ${release}`, () => {
    test("files whose bytes mislead the host are sent as text, or named", SLOW, () =>
      inLoadedHost({ release }, async (host) => {
        const files: readonly (readonly [string, string | Uint8Array, string, RegExp])[] = [
          ["bm.md", "BM25 ranks\nsecond\n", "@bm.md", /Attached file: bm\.md\n\n\nBM25 ranks\nsecond\n/],
          ["bm2.md", "BM25 ranks\nsecond\n", "@bm2.md#2-2", /Attached file: bm2\.md#2-2\n\nsecond/],
          ["gif.md", "GIF8 ranks\n", "@gif.md", /gif\.md/],
          ["pdf.md", "%PDF-1.7 notes\n", "@pdf.md", /pdf\.md/],
          ["avif.md", "abcdftypavif\n", "@avif.md", /Attached file: avif\.md\n\n\nabcdftypavif/],
          [
            "latin1.txt",
            Buffer.from("caf\xe9\n", "latin1"),
            "@latin1.txt",
            /latin1\.txt\n\ncaf\ufffd\n\n\n\(This file is not UTF-8/,
          ],
          ["nul.log", `${"a\n".repeat(4_000)}\0z`, "@nul.log", /a\n\ufffdz/],
          [
            "huge.log",
            "0123456789\n".repeat(2_000_000),
            "@huge.log#2-3",
            /huge\.log#2-3\n\n0123456789\n0123456789$/,
          ],
        ]
        for (const [name, content, reference, wanted] of files) {
          writeFileSync(join(host.directory, name), content)
          assert.match(await send(host, reference), wanted)
        }
      }),
    )

    test("the default agent's rules hold, in a cold location, however they are told", SLOW, async () => {
      for (const without of [[], ["agents"]] as const)
        await inLoadedHost({ release, without: [...without] }, async (host) => {
          for (const name of ["a.ts", "k.secret", "b.key"])
            writeFileSync(join(host.directory, name), "body\n")
          const rule = { action: "read", resource: join(host.directory, "b.*"), effect: "deny" } as const
          host.agents.at.set(host.directory, [
            agent("build", { permissions: [...agent("build").permissions, rule] }),
            agent("open", { permissions: DEFAULT_RULES }),
          ])
          const request = await send(host, "@a.ts @k.secret @b.key")
          assert.match(request, /Attached file: a\.ts\n\nbody/)
          assert.match(request, /Not included: k\.secret \([^)]*\), b\.key \([^)]*\)/)
          assert.match(await send(host, "@k.secret", { agent: "open" }), /Attached file: k\.secret/)
          assert.match(await send(host, "@a.ts", { agent: "nobody" }), /Not included: a\.ts/)
        })
    })

    test("rules that the host does not tell refuse every file", SLOW, () =>
      inLoadedHost({ release }, async (host) => {
        writeFileSync(join(host.directory, "a.ts"), "body\n")
        host.agents.at.set(host.directory, [])
        assert.match(await send(host, "@a.ts"), /Not included: a\.ts/)
      }),
    )

    for (const shapes of ["earlier", undefined] as const)
      test(`a question of an aborted call is taken back (${shapes ?? "now"})`, SLOW, () =>
        inLoadedHost({ release, ...(shapes === undefined ? {} : { shapes }) }, async (host, caller) => {
          host.rules.reply = undefined
          const other = host.store.put({ projectID: "prj_other", location: { directory: "/elsewhere" } })
          const ending = new AbortController()
          const call = host.tool(caller, "read_session", { sessionId: other.id }, ending.signal)
          const failed = assert.rejects(call, /aborted/)
          await until("it is asked", () => host.asked.pending.size === 1)
          ending.abort()
          await failed
          await until("it is taken back", () => host.asked.pending.size === 0)
          assert.deepEqual(
            host.asked.replies.map(({ reply }) => reply),
            ["once"],
          )
        }),
      )

    test("a refused prompt leaves the draft where it waits; a delivered one takes it", SLOW, () =>
      inLoadedHost({ release }, async (host) => {
        const { id } = host.store.put({})
        await keepDraft(host.dataDir, id, { source: "ses_source", at: Date.now(), draft: draft("go on") })
        const file = join(host.dataDir, "opencode-baton", "drafts", `${id}.json`)
        const bad = [{ uri: "file:///does/not/exist" }]
        await assert.rejects(host.prompt(id, { text: draft("go on"), files: bad }))
        assert.ok(existsSync(file))
        await host.prompt(id, { text: draft("go on") })
        await until("it is taken", () => !existsSync(file))
      }),
    )

    test("a dropped title is set afterwards", SLOW, () =>
      inLoadedHost({ release, without: ["title"] }, async (host, caller) => {
        const { content } = await host.tool(caller, "handoff_session", { prompt: "go on" })
        const made: unknown = JSON.parse(content)
        const id = String(Reflect.get(Object(made), "sessionId"))
        assert.equal(host.store.session(id).title, "Handoff from Caller")
      }),
    )
  })

for (const slot of ["earlier", undefined] as const)
  test(`the terminal's /handoff is there by its slot (${slot ?? "now"})`, SLOW, () =>
    inHost({}, async (host, caller) => {
      const terminal = await contractTerminal(host, slot === undefined ? {} : { slot })
      try {
        terminal.open(caller)
        await until("it is taken", () => terminal.slash("handoff", "the goal"))
        await until("it is sent", () => host.requests.length === 1)
        assert.match(JSON.stringify(host.store.messages.get(caller)), /"opencode-baton":\{"terminal":/)
        assert.deepEqual(terminal.violations, [])
      } finally {
        terminal.close()
      }
    }),
  )
