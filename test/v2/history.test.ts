import { describe, test } from "node:test"
import assert from "node:assert/strict"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { openHistory } from "../../src/history/index.ts"
import { ask, inHost, RELEASES, said, SLOW } from "../hosts/v2/asking.ts"
import type { ContractHost } from "../hosts/v2/host.ts"
import { BASE_TIME } from "../hosts/v2/store.ts"

/** Syncs that run in this process. */
const syncs = () => globalThis.opencodeBatonHistorySync1?.size ?? 0

for (const release of RELEASES)
  describe(`history on ${release}`, () => {
    test("what was there before is found, everywhere in it, and its attachments are not", SLOW, () =>
      inHost({ release }, async (host, caller) => {
        const { id } = host.store.put({ title: "Old session" })
        const data = Buffer.from("zzattachedzz").toString("base64")
        host.store.write(id, {
          type: "user",
          text: "about the walrus",
          files: [{ data, mime: "text/plain", name: "tusks.txt", source: { type: "inline" } }],
        })
        for (let at = 0; at < 230; at++) host.store.write(id, said(`filler ${at}`))
        host.store.write(id, said("the narwhal answer"))
        await host.load()
        for (const word of ["walrus", "narwhal", "tusks.txt", '"filler 7"'])
          await ask(host, caller, "history-search-messages", { query: word }, new RegExp(id))
        for (const word of [data, "zzattachedzz"]) {
          const { content } = await host.tool(caller, "history-search-messages", { query: word })
          assert.doesNotMatch(content, new RegExp(id))
        }
      }),
    )

    test("what is said now is found, by events", SLOW, () =>
      inHost({ release }, async (host, caller) => {
        const { id } = host.store.put({ title: "Live session" })
        await host.load()
        await ask(host, caller, "history-search-sessions", { query: "Live" }, new RegExp(id))
        await host.prompt(id, { text: "now the ocelot" })
        await ask(host, caller, "history-search-messages", { query: "ocelot" }, new RegExp(id))
        host.store.write(id, said("then the quokka"), "session.step.ended")
        await ask(host, caller, "history-search-messages", { query: "quokka" }, new RegExp(id))
        host.store.write(id, {
          type: "compaction",
          status: "completed",
          reason: "auto",
          summary: "axolotl gist",
        })
        host.store.emit("session.compaction.ended", { sessionID: id, text: "axolotl gist" })
        await ask(host, caller, "history-search-messages", { query: "axolotl" }, new RegExp(id))
      }),
    )

    test("edits by either name of the path, by patch and by the host's snapshot", SLOW, () =>
      inHost({ release }, async (host, caller) => {
        const { id } = host.store.put({})
        const call = (name: string, input: object) => ({
          type: "tool",
          id: host.store.id("call"),
          name,
          state: { status: "completed", input, content: [{ type: "text", text: "ok" }], metadata: {} },
          time: { created: 1 },
        })
        host.store.write(id, { type: "user", text: "please change them" })
        host.store.write(id, {
          type: "assistant",
          content: [
            call("edit", { path: "one.ts", oldString: "a", newString: "b" }),
            call("write", { filePath: "two.ts", content: "x" }),
            call("patch", { patchText: "*** Begin Patch\n*** Add File: three.ts\n+x\n*** End Patch" }),
          ],
          snapshot: { files: ["four.ts"] },
        })
        await host.load()
        const content = await ask(host, caller, "history-search-edits", { query: "" }, /four\.ts/)
        for (const name of ["one.ts", "two.ts", "three.ts", "please change them"])
          assert.match(content, new RegExp(name))
      }),
    )

    test("history-read pages through the host, session_list and session_read answer structured", SLOW, () =>
      inHost({ release }, async (host, caller) => {
        const { id } = host.store.put({ title: "Paged" })
        for (let at = 0; at < 45; at++) host.store.write(id, said(`line ${at}`))
        await host.load()
        await ask(host, caller, "history-search-messages", { query: '"line 44"' }, new RegExp(id))
        const page = await ask(host, caller, "history-read", { sessionID: id, limit: 2 }, /line 0[^]*line 1/)
        assert.doesNotMatch(page, /line 2"/)
        const listed = await host.tool(caller, "session_list", { search: "line" })
        assert.match(JSON.stringify(listed.output), new RegExp(`"sessionID":"${id}"`))
        const read = await host.tool(caller, "session_read", { sessionID: id, offset: 40 })
        assert.match(JSON.stringify(read.output), /"total":45[^]*"index":40[^]*line 40/)
      }),
    )

    test("a deleted session is gone, by event and when nobody was there to see it", SLOW, () =>
      inHost({ release }, async (host, caller) => {
        const [first, second] = [host.store.put({}).id, host.store.put({}).id]
        for (const id of [first, second]) host.store.write(id, said("pangolin"))
        const instance = await host.load()
        await ask(host, caller, "history-search-messages", { query: "pangolin" }, new RegExp(second))
        host.store.remove(first)
        await ask(
          host,
          caller,
          "history-search-messages",
          { query: "pangolin" },
          new RegExp(`^(?![^]*${first})[^]*${second}`),
        )
        await instance.cleanup()
        host.store.remove(second)
        await host.load()
        await ask(
          host,
          caller,
          "history-search-messages",
          { query: "pangolin" },
          new RegExp(`^(?![^]*${second})`),
        )
      }),
    )

    test("a stream that failed is opened again, and what came in between is found", SLOW, () =>
      inHost({ release }, async (host, caller) => {
        const { id } = host.store.put({})
        const instance = await host.load()
        await ask(host, caller, "history-search-sessions", { query: "" }, new RegExp(id))
        instance.failStreams()
        host.store.write(id, said("missed meerkat"), "session.step.ended")
        host.store.put({
          ...host.store.session(id),
          time: { created: 1, updated: 2, idle: host.store.now() },
        })
        await ask(host, caller, "history-search-messages", { query: "meerkat" }, new RegExp(id))
        await new Promise((resolve) => setTimeout(resolve, 1_100))
        host.store.write(id, said("live lemur"), "session.step.ended")
        await ask(host, caller, "history-search-messages", { query: "lemur" }, new RegExp(id))
      }),
    )

    test("without events it follows by listing", SLOW, () =>
      inHost({ release, without: ["events"] }, async (host, caller) => {
        const { id } = host.store.put({})
        host.store.write(id, said("first ferret"))
        await host.load()
        await ask(host, caller, "history-search-messages", { query: "ferret" }, new RegExp(id))
        host.store.write(id, said("later lynx"))
        host.store.put({
          ...host.store.session(id),
          time: { created: 1, updated: 2, idle: host.store.now() },
        })
        await ask(host, caller, "history-search-messages", { query: "lynx" }, new RegExp(id))
      }),
    )

    test("two locations share one index and one sync; when one ends the other goes on", SLOW, () =>
      inHost({ release }, async (host, caller) => {
        const other = join(host.directory, "..", "other")
        mkdirSync(other)
        const [here, there] = [host.store.put({}).id, host.store.put({ location: { directory: other } }).id]
        const first = await host.load()
        const second = await host.load(other)
        assert.equal(syncs(), 1)
        for (const id of [here, there]) {
          host.store.write(id, said(`shared shrew ${id}`), "session.step.ended")
          await ask(host, caller, "history-search-messages", { query: `shrew ${id}` }, new RegExp(id))
        }
        await first.cleanup()
        assert.equal(syncs(), 1)
        host.store.write(there, said("second stoat"), "session.step.ended")
        await ask(host, caller, "history-search-messages", { query: "stoat" }, new RegExp(there))
        await second.cleanup()
        assert.equal(syncs(), 0)
      }),
    )

    test("an event that both locations get is followed once", SLOW, () =>
      inHost({ release }, async (host, caller) => {
        const other = join(host.directory, "..", "other")
        mkdirSync(other)
        const { id } = host.store.put({})
        await host.load()
        await host.load(other)
        host.store.write(id, said("first finch"), "session.step.ended")
        await ask(host, caller, "history-search-messages", { query: "finch" }, new RegExp(id))
        const before = host.store.pages.length
        host.store.write(id, { type: "user", text: "one wombat" })
        host.store.emit("session.execution.succeeded", { sessionID: id })
        await ask(host, caller, "history-search-messages", { query: "wombat" }, new RegExp(id))
        const looks = host.store.pages.slice(before).filter((page) => page === `${id} 20`)
        assert.equal(looks.length, 1)
      }),
    )
  })

test("with no way to list, a search answers and says what is not indexed", SLOW, () =>
  inHost({ release: "2.0.16", without: ["service"] }, async (host, caller) => {
    await host.load()
    const { content } = await host.tool(caller, "history-search-messages", { query: "anything" })
    assert.match(
      content,
      /anything: in no session\nThe index is not complete[^]*its service is not reachable: OpenCode has registered no/,
    )
    assert.equal(content.match(/service is not reachable/g)?.length, 1, content)
  }),
)

/** The index as V1 left it: one session with two messages, of which V2 knows nothing. */
async function leftByV1(host: ContractHost, id: string): Promise<void> {
  const history = openHistory({ dataDir: host.dataDir, maskSecrets: true })
  const at = BASE_TIME - 86_400_000
  const session = {
    id,
    title: "From V1",
    projectID: "prj_here",
    directory: host.directory,
    created: at,
    updated: at + 5,
    metadata: {},
  }
  const message = (n: number, text: string) => ({
    id: `msg_v1_${n}`,
    sessionID: id,
    role: "user" as const,
    created: at + n,
    summary: false,
    malformed: 0,
    parts: [{ type: "text" as const, text, synthetic: false, ignored: false, metadata: {} }],
  })
  const marker = `v1.1:${at + 5}:0123456789abcdef`
  const messages = [message(1, "ancient aardvark"), message(2, "ancient badger")]
  const applied = await history.applyChanges({
    fetchedAt: at,
    sessions: [{ session, marker, messages, complete: true }],
  })
  assert.ok(applied.ok, JSON.stringify(applied))
  await history.close()
}

for (const release of RELEASES)
  describe(`V1's history on ${release}`, () => {
    test("a session V2 does not list is kept, found, and read from the index", SLOW, () =>
      inHost({ release }, async (host, caller) => {
        await leftByV1(host, "ses_v1")
        host.store.write(host.store.put({}).id, said("new newt"))
        await host.load()
        await ask(host, caller, "history-search-messages", { query: "newt" }, /ses_0/)
        await ask(host, caller, "history-search-messages", { query: "aardvark" }, /ses_v1/)
        const read = await ask(host, caller, "history-read", { sessionID: "ses_v1" }, /badger/)
        assert.match(read, /"source": ?"index"/)
        const { content } = await host.tool(caller, "read_session", { sessionId: "ses_v1", limit: 1 })
        assert.match(content, /from the index, OpenCode 2 does not have it\]\\nancient badger/)
        assert.match(content, /Showing 1 most recent messages/)
      }),
    )

    test("a session V2 lists as empty is kept too, and read from the index", SLOW, () =>
      inHost({ release }, async (host, caller) => {
        await leftByV1(host, "ses_v1")
        host.store.put({ id: "ses_v1", title: "From V1, seen by V2" })
        await host.load()
        await ask(host, caller, "history-search-sessions", { query: '"seen by"' }, /ses_v1/)
        await new Promise((resolve) => setTimeout(resolve, 500))
        await ask(host, caller, "history-search-messages", { query: "aardvark" }, /ses_v1/)
        await ask(host, caller, "history-read", { sessionID: "ses_v1" }, /badger/)
      }),
    )

    test("one that goes on in V2 has both halves, also after another start", SLOW, () =>
      inHost({ release }, async (host, caller) => {
        await leftByV1(host, "ses_v1")
        host.store.put({ id: "ses_v1" })
        host.store.write("ses_v1", said("modern mongoose"))
        const first = await host.load()
        for (const word of ["mongoose", "aardvark"])
          await ask(host, caller, "history-search-messages", { query: word }, /ses_v1/)
        await first.cleanup()
        await host.load()
        host.store.write("ses_v1", said("second serval"), "session.step.ended")
        for (const word of ["serval", "mongoose", "badger"])
          await ask(host, caller, "history-search-messages", { query: word }, /ses_v1/)
      }),
    )

    test("one that V2 holds from its beginning is V2's", SLOW, () =>
      inHost({ release }, async (host, caller) => {
        await leftByV1(host, "ses_v1")
        host.store.put({ id: "ses_v1" })
        const created = BASE_TIME - 86_400_000 + 1
        host.store.write("ses_v1", { type: "user", text: "imported ibex", time: { created } })
        await host.load()
        await ask(host, caller, "history-search-messages", { query: "ibex" }, /ses_v1/)
        await ask(host, caller, "history-search-messages", { query: "aardvark" }, /^(?![^]*ses_v1)/)
      }),
    )
  })
