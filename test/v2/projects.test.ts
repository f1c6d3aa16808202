import { describe, test } from "node:test"
import assert from "node:assert/strict"
import { ask, inHost, RELEASES, SLOW, wrote } from "../hosts/v2/asking.ts"
import type { ContractHost } from "../hosts/v2/host.ts"
import type { HostSetup } from "../hosts/v2/release.ts"

// Sessions of other projects: counted, asked for, refused. The user's answers come as events.

const messages = "history-search-messages"

type Made = Readonly<Record<"own" | "worktree" | "second" | "third" | "private", string>>

/** Five sessions with a heron, in four projects; the index has them all when this runs. */
async function inProjects(
  setup: HostSetup,
  run: (host: ContractHost, caller: string, made: Made) => Promise<void>,
): Promise<void> {
  await inHost({ options: { exclude: ["/private/**"] }, ...setup }, async (host, caller) => {
    const put = (name: string, projectID: string, directory: string) => {
      const { id } = host.store.put({ title: `In ${name}`, projectID, location: { directory } })
      host.store.write(id, wrote(`a heron in ${name}`))
      return id
    }
    const made = {
      own: put("own", "prj_here", host.directory),
      worktree: put("worktree", "prj_here", "/work/trees/one"),
      second: put("second", "prj_second", "/work/second"),
      third: put("third", "prj_third", "/work/third"),
      private: put("private", "prj_private", "/private/x"),
    }
    await host.load()
    await ask(host, caller, messages, { query: "heron" }, /^2 sessions/)
    // An answer says how much is indexed until all is.
    await ask(host, caller, messages, { query: '"heron in third"' }, /^(?![^]*indexed )[^]*were not searched/)
    await run(host, caller, made)
  })
}

/** Which of them an answer shows. */
const shown = (answer: string) =>
  [...answer.matchAll(/a heron in (\w+)/g)]
    .map((found) => found[1] ?? "")
    .toSorted((one, other) => one.localeCompare(other))

for (const release of RELEASES)
  describe(`other projects on ${release}`, () => {
    test("the own project is searched with its worktrees, and nobody is asked", SLOW, () =>
      inProjects({ release }, async (host, caller) => {
        const { content } = await host.tool(caller, messages, { query: "heron" })
        assert.deepEqual(shown(content), ["own", "worktree"])
        assert.deepEqual(host.questions, [])
      }),
    )

    test("a word of other projects is not shown, and the answer says how to ask for them", SLOW, () =>
      inProjects({ release }, async (host, caller) => {
        const { content } = await host.tool(caller, messages, { query: '"a heron in second"' })
        assert.match(
          content,
          /^No session holds[^]*Other projects were not searched \(project:all in the query asks for them\)/,
        )
        assert.doesNotMatch(content, /msg_/)
      }),
    )

    test("refused: one clear line; session_list falls back to the own project and says so", SLOW, () =>
      inProjects({ release }, async (host, caller) => {
        host.rules.reply = "reject"
        const { content } = await host.tool(caller, messages, { query: "heron project:all" })
        assert.match(content, /^[^\n]*refused by the user$/)
        const listed = await host.tool(caller, "session_list", { search: "heron" })
        assert.deepEqual(shown(listed.content), ["own", "worktree"])
        assert.match(listed.content, /Only sessions of this project: [^"]*refused/)
        assert.equal(host.questions.length, 2)
      }),
    )

    test("allowed once: asked again the next time, for its folder", SLOW, () =>
      inProjects({ release }, async (host, caller) => {
        for (const _ of [1, 2]) {
          const { content } = await host.tool(caller, messages, { query: "heron project:/work/second" })
          assert.deepEqual(shown(content), ["second"])
        }
        assert.deepEqual(
          host.questions.map((question) => question["resources"]),
          [["/work/second/*"], ["/work/second/*"]],
        )
      }),
    )

    test("where the host names no project, only the folder's sessions are own", SLOW, () =>
      inHost({ release }, async (host, caller) => {
        const put = (name: string, directory: string) => {
          const { id } = host.store.put({ title: `In ${name}`, projectID: "", location: { directory } })
          host.store.write(id, wrote(`a heron in ${name}`))
          return id
        }
        put("own", host.directory)
        const second = put("second", "/work/second")
        await host.load(host.directory, (context) =>
          Object.assign(context, { location: { directory: host.directory } }),
        )
        assert.deepEqual(shown(await ask(host, caller, messages, { query: "heron" }, /^1 session/)), ["own"])
        host.rules.reply = "reject"
        for (const [name, input] of [
          ["history-read", { sessionID: second }],
          ["read_session", { sessionId: second }],
        ] as const)
          assert.match((await host.tool(caller, name, input)).content, /refused by the user/)
        assert.equal(host.questions.length, 2)
      }),
    )

    test("a session of it is asked for before it is read", SLOW, () =>
      inProjects({ release }, async (host, caller, made) => {
        for (const name of ["history-read", "session_read"]) {
          host.rules.reply = "reject"
          const refused = await host.tool(caller, name, { sessionID: made.second })
          assert.match(refused.content, /"error":"[^"]*refused by the user/)
          assert.doesNotMatch(refused.content, /heron/)
          host.rules.reply = "once"
          assert.match(
            (await host.tool(caller, name, { sessionID: made.second })).content,
            /a heron in second/,
          )
        }
        assert.equal(host.questions.length, 4)
      }),
    )

    test("always: asked once, by whichever tool and spelling, until the plugin starts anew", SLOW, () =>
      inProjects({ release }, async (host, caller, made) => {
        host.rules.reply = "always"
        await host.tool(caller, messages, { query: "heron project:/work/third" })
        host.rules.reply = "reject"
        const again = await host.tool(caller, messages, { query: "heron project:prj_third" })
        assert.deepEqual(shown(again.content), ["third"])
        const read = await host.tool(caller, "history-read", { sessionID: made.third })
        assert.match(read.content, /a heron in third/)
        assert.equal(host.questions.length, 1)
      }),
    )

    test("all projects, once allowed", SLOW, () =>
      inProjects({ release }, async (host, caller) => {
        const input = { query: "heron project:all", show: "projects" }
        const { content } = await host.tool(caller, "history-search-sessions", input)
        assert.match(content, /^3 projects · heron · all projects/)
        const found = await host.tool(caller, messages, { query: "heron project:all" })
        assert.deepEqual(shown(found.content), ["own", "second", "third", "worktree"])
      }),
    )

    test("an excluded project does not exist for any tool", SLOW, () =>
      inProjects(
        { release, options: { exclude: ["/private/**"], otherProjects: "allow" } },
        async (host, caller, made) => {
          const asked: readonly (readonly [string, object, RegExp])[] = [
            [messages, { query: '"heron in private" project:all' }, /^No session/],
            [messages, { query: "heron project:/private/x" }, /no indexed session in/],
            ["history-search-sessions", { query: "project:all" }, /session/],
            ["history-search-edits", { query: "project:all" }, /./],
            ["session_list", {}, /In third/],
            ["history-read", { sessionID: made.private }, /neither OpenCode nor the index has it/],
            ["session_read", { sessionID: made.private }, /error/],
            ["read_session", { sessionId: made.private }, /does not exist/],
          ]
          for (const [name, input, wanted] of asked) {
            const { content } = await host.tool(caller, name, input)
            assert.match(content, wanted)
            assert.doesNotMatch(content, /In private|a heron in private/)
          }
        },
      ),
    )

    test("an unknown place is an error of one line", SLOW, () =>
      inProjects({ release }, async (host, caller) => {
        for (const [place, wanted] of [
          ["/nowhere/at/all", /^project:"\/nowhere\/at\/all": no indexed session[^\n]*$/],
          ["nobody", /^project:"nobody" is in no indexed session[^\n]*$/],
          ["", /^`?project:[^\n]*$/],
        ] as const)
          assert.match(
            (await host.tool(caller, messages, { query: `heron project:${place}` })).content,
            wanted,
          )
        assert.deepEqual(host.questions, [])
      }),
    )

    test("nobody there to answer: refused after a while, the remedy named", SLOW, () =>
      inProjects({ release, without: ["permission"] }, async (host, caller) => {
        const { content } = await host.tool(caller, messages, { query: "heron project:all" })
        assert.match(content, /nobody could be asked[^\n]*otherProjects to "allow"/)
        const listed = await host.tool(caller, "session_list", { search: "heron" })
        assert.deepEqual(shown(listed.content), ["own", "worktree"])
      }),
    )
  })
