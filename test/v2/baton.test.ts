import { describe, test } from "node:test"
import assert from "node:assert/strict"
import { markerSentence } from "../../src/handoff/draft.ts"
import { openHistory } from "../../src/history/index.ts"
import { inHost, RELEASES, SLOW, until, wrote } from "../hosts/v2/asking.ts"
import { baton } from "../hosts/v2/baton.ts"
import type { ContractHost } from "../hosts/v2/host.ts"

// The command over OpenCode 2's registered service: nothing is started, and V1's sessions stay.

/** A program that must not be run. */
const noProgram = { PATH: "/nonexistent" }

function stocked(host: ContractHost): { readonly source: string; readonly next: string } {
  const at = { time: { created: 1_000, updated: 2_000 } }
  const source = host.store.put({ title: "Minerals", ...at }).id
  const next = host.store.put({ title: "Handed off", ...at }).id
  for (let number = 0; number < 150; number++)
    host.store.write(source, { ...wrote(`feldspar ${number}`), time: { created: 1_001 + number } })
  host.store.write(next, { ...wrote(`${markerSentence(source)}\n\ngo on\n`), time: { created: 1_500 } })
  return { source, next }
}

for (const release of RELEASES)
  describe(`baton on ${release}`, () => {
    test("index reads the registered service, a search finds it, a second run fetches nothing", SLOW, () =>
      inHost({ release }, async (host) => {
        const { source } = stocked(host)
        const ran = await baton(host, ["index"], noProgram)
        assert.equal(ran.code, 0, ran.stderr)
        assert.match(
          ran.stdout,
          /^The index is up to date: 3 sessions, 151 messages \(151 new\)\.\nRead from OpenCode 2's service at http/,
        )
        const found = await baton(host, ["search", "feldspar 149"], noProgram)
        assert.match(found.stdout, new RegExp(source))
        host.store.pages.length = 0
        const again = await baton(host, ["index"], noProgram)
        assert.doesNotMatch(again.stdout, /new/)
        // The caller was made just now: its turn may still go on.
        assert.deepEqual(
          host.store.pages.filter((page) => page.startsWith(source)),
          [],
        )
      }),
    )

    test("a handoff that the plugin noted is in the lineage of an index made by the command", SLOW, () =>
      inHost({ release }, async (host) => {
        const { source, next } = stocked(host)
        const instance = await host.load()
        const own = host.store.put({ title: "Own" }).id
        await host.prompt(own, { text: `${markerSentence(source)}\n\ngo on\n` })
        await instance.cleanup()
        const ran = await baton(host, ["index", "--rebuild"], noProgram)
        assert.equal(ran.code, 0, ran.stderr)
        const told = await baton(host, ["lineage", source])
        assert.match(told.stdout, new RegExp(`└─ handoff: [^\\n]*\\n[^\\n]*${own}`))
        assert.equal(told.stdout.includes(next), false)
      }),
    )

    test("an address with its password; without it the line says what is missing", SLOW, () =>
      inHost({ release, without: ["service"] }, async (host) => {
        stocked(host)
        const refused = await baton(host, ["index", "--url", host.service.url], noProgram)
        assert.equal(refused.code, 2)
        assert.match(refused.stderr, /asks for a password; write --password/)
        const ran = await baton(
          host,
          ["index", "--url", host.service.url, "--password", "hunter2"],
          noProgram,
        )
        assert.equal(ran.code, 0, ran.stderr)
        assert.match(ran.stdout, /151 messages/)
      }),
    )

    test("nothing registered and no program: one line with a remedy", SLOW, () =>
      inHost({ release, without: ["service"] }, async (host) => {
        const ran = await baton(host, ["index"], noProgram)
        assert.equal(ran.code, 2)
        assert.match(ran.stderr, /not installed or not in PATH[^\n]*--url/)
      }),
    )

    test("what V1 stored survives a rebuild from V2", SLOW, () =>
      inHost({ release }, async (host) => {
        stocked(host)
        const history = openHistory({ dataDir: host.dataDir, maskSecrets: true })
        const session = {
          id: "ses_v1",
          title: "From V1",
          projectID: "prj_here",
          directory: host.directory,
          created: 1,
          updated: 5,
          metadata: {},
        }
        const part = {
          type: "text",
          text: "ancient aardvark",
          synthetic: false,
          ignored: false,
          metadata: {},
        } as const
        const message = {
          id: "msg_v1",
          sessionID: "ses_v1",
          role: "user",
          created: 2,
          summary: false,
          malformed: 0,
        } as const
        const marker = "v1.1:5:0123456789abcdef"
        const messages = [{ ...message, parts: [part] }]
        await history.applyChanges({
          fetchedAt: 10,
          sessions: [{ session, marker, messages, complete: true }],
        })
        await history.close()
        for (const args of [["index"], ["index", "--rebuild"]])
          assert.equal((await baton(host, args, noProgram)).code, 0)
        assert.match((await baton(host, ["search", "aardvark"])).stdout, /ses_v1/)
      }),
    )

    test("doctor says how the service is", SLOW, () =>
      inHost({ release }, async (host) => {
        // It asks the service for two seconds, which a busy machine may need for itself.
        const says = (sight: RegExp) =>
          until(String(sight), async () => sight.test((await baton(host, ["doctor"], noProgram)).stdout))
        await says(/ok +OpenCode 2: its service answers at http/)
        host.service.setPassword("another")
        await says(
          /OpenCode 2:\s+a\s+service\s+is\s+registered\s+and\s+cannot\s+be\s+used:[^>]*refused[^>]*->\s+start\s+OpenCode\s+2\s+again/,
        )
        host.service.unregister()
        assert.doesNotMatch((await baton(host, ["doctor"], noProgram)).stdout, /OpenCode 2:/)
      }),
    )
  })
