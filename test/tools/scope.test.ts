import assert from "node:assert/strict"
import { describe, test } from "node:test"
import type { Asked } from "../../src/hosts/host.ts"
import { historyRead } from "../../src/tools/history-read.ts"
import { historySearchMessages } from "../../src/tools/history-search-messages.ts"
import { historySearchSessions } from "../../src/tools/history-search-sessions.ts"
import { sessionList } from "../../src/tools/session-list.ts"
import { sessionRead } from "../../src/tools/session-read.ts"
import { message, session } from "../reading/memory-reader.ts"
import { overBoth, type Bench } from "./services.ts"

// Which projects a call reaches, when the user is asked, and what a refusal says.

const REFUSED = { granted: false, message: "reading sessions of another project is off" } as const

async function store(made: Bench): Promise<void> {
  const put = (id: string, projectID: string, directory: string) =>
    made.store(session(id, { projectID, directory, title: id }), [
      message(`msg_${id}`, { text: `the word of ${id}` }),
    ])
  await put("ses_here", "prj_here", "/work/here")
  await put("ses_tree", "prj_here", "/work/here-worktree")
  await put("ses_other", "prj_other", "/work/other")
  await put("ses_deep", "prj_deep", "/work/other/deep")
  await put("ses_near", "prj_near", "/work/otherwise")
  await put("ses_secret", "prj_secret", "/work/secret/a")
  await put("ses_loose", "global", "/tmp/loose")
  await put("ses_loose2", "global", "/tmp/elsewhere")
}

async function found(made: Bench, query: string, caller = {}): Promise<readonly string[]> {
  const answer = await made.run(historySearchMessages(made.services), { query }, caller)
  return [...answer.matchAll(/^"(ses_\w+)"/gm)].map((match) => match[1] ?? "").toSorted()
}

const excluding = { options: { exclude: ["/work/secret/**"], maskSecrets: true } }

describe("scope", () => {
  test("without project: the current project with its worktrees; nobody is asked", async () => {
    await overBoth(async (made) => {
      await store(made)
      assert.deepEqual(await found(made, "word"), ["ses_here", "ses_tree"])
      assert.deepEqual(await found(made, "word project:prj_here"), ["ses_here", "ses_tree"])
      assert.deepEqual(await found(made, "word project:/work/here"), ["ses_here", "ses_tree"])
      assert.deepEqual(made.asked, [])
    }, excluding)
  })

  test("other projects by id, directory, ~ and all; each is asked for by its directory", async () => {
    await overBoth(
      async (made) => {
        await store(made)
        assert.deepEqual(await found(made, "word project:prj_other"), ["ses_other"])
        assert.deepEqual(await found(made, "word project:/work/other"), ["ses_deep", "ses_other"])
        assert.deepEqual(await found(made, "word project:/work/other/"), ["ses_deep", "ses_other"])
        assert.deepEqual(await found(made, "word project:~/other"), ["ses_deep", "ses_other"])
        assert.deepEqual(await found(made, "word project:../other"), ["ses_deep", "ses_other"])
        assert.deepEqual(await found(made, "word project:/work/here-worktree"), ["ses_here", "ses_tree"])
        const all = ["ses_deep", "ses_here", "ses_loose", "ses_loose2", "ses_near", "ses_other", "ses_tree"]
        assert.deepEqual(await found(made, "word project:all"), all)
        const other = "/work/other"
        assert.deepEqual(made.asked, [other, other, other, other, other, "all projects"])
      },
      { ...excluding, home: "/work" },
    )
  })

  test("a refusal is the answer; an unknown project says so and asks nobody", async () => {
    await overBoth(async (made) => {
      await store(made)
      made.permission = REFUSED
      const tool = historySearchMessages(made.services)
      assert.equal(await made.run(tool, { query: "word project:all" }), REFUSED.message)
      assert.equal(await made.run(tool, { query: "word project:prj_other" }), REFUSED.message)
      made.asked.length = 0
      assert.match(
        await made.run(tool, { query: "word project:nope" }),
        /^project:"nope" is in no indexed session/,
      )
      assert.match(
        await made.run(tool, { query: "word project:/nope" }),
        /no indexed session in \/nope or below/,
      )
      assert.deepEqual(made.asked, [])
    }, excluding)
  })

  test("an excluded project does not exist for any tool, and looks like one that never did", async () => {
    await overBoth(async (made) => {
      await store(made)
      const searches = historySearchMessages(made.services)
      for (const project of ["prj_secret", "/work/secret", "/work/secret/a"]) {
        const answer = await made.run(searches, { query: `word project:${project}` })
        assert.doesNotMatch(answer, /ses_secret/)
      }
      assert.match(await made.run(searches, { query: "word project:prj_secret" }), /is in no indexed session/)
      const projects = historySearchSessions(made.services)
      assert.doesNotMatch(await made.run(projects, { query: "project:all", show: "projects" }), /secret/)
      assert.doesNotMatch(await made.run(sessionList(made.services), {}), /secret/)
      for (const tool of [historyRead(made.services), sessionRead(made.services)]) {
        const [hidden, never] = [
          await made.run(tool, { sessionID: "ses_secret" }),
          await made.run(tool, { sessionID: "ses_never" }),
        ]
        assert.equal(hidden.replace("ses_secret", "ses_never"), never)
        assert.match(never, /no session \\"ses_never\\": neither OpenCode nor the index has it/)
      }
      assert.ok(!made.asked.some((asked) => asked.includes("secret")))
    }, excluding)
  })

  test("an excluded project below a directory is no reason to ask", async () => {
    await overBoth(
      async (made) => {
        await store(made)
        assert.deepEqual(await found(made, "word project:/work"), ["ses_here", "ses_tree"])
        assert.deepEqual(made.asked, [])
      },
      { options: { exclude: ["/work/secret", "/work/other", "/work/otherwise"], maskSecrets: true } },
    )
  })

  test("a project that was moved is found by either directory, each session with its own", async () => {
    await overBoth(async (made) => {
      await made.store(session("ses_before", { title: "ses_before", directory: "/old/here" }), [
        message("msg_1", { text: "the word of before" }),
      ])
      await made.store(session("ses_after", { title: "ses_after" }), [
        message("msg_2", { text: "the word of after" }),
      ])
      for (const query of ["word", "word project:/old/here", "word project:/work/here"]) {
        const answer = await made.run(historySearchMessages(made.services), { query })
        assert.match(answer, /ses_before {2}\/old\/here /, query)
        assert.match(answer, /ses_after {2}\/work\/here /, query)
      }
      assert.match(
        await made.run(historyRead(made.services), { sessionID: "ses_before" }),
        /the word of before/,
      )
      assert.deepEqual(made.asked, [])
    })
  })

  test("an entry that can only be a project id excludes no directory", async () => {
    for (const entry of ["*", "work", "work/**", "prj_secre"])
      await overBoth(
        async (made) => {
          await store(made)
          assert.equal((await found(made, "word project:all")).length, 8, entry)
          assert.doesNotMatch(
            await made.run(historyRead(made.services), { sessionID: "ses_secret" }),
            /no session/,
          )
        },
        { options: { exclude: [entry], maskSecrets: true } },
      )
  })

  test("a directory is excluded however it is written", async () => {
    for (const entry of [
      "/work/secret",
      "/work/secret/",
      "/work/secret/**",
      "~/secret/**",
      "~/secret",
      "/work/*/a",
      "prj_secret",
    ])
      await overBoth(
        async (made) => {
          await store(made)
          const all = await found(made, "word project:all")
          assert.ok(all.length === 7 && !all.includes("ses_secret"), entry)
          const read = await made.run(historyRead(made.services), { sessionID: "ses_secret" })
          assert.match(read, /^\{"error":"no session/, entry)
        },
        { home: "/work", options: { exclude: [entry], maskSecrets: true } },
      )
  })

  test("reading another project's session asks once; the own ones never", async () => {
    await overBoth(async (made) => {
      await store(made)
      for (const tool of [historyRead(made.services), sessionRead(made.services)]) {
        made.asked.length = 0
        made.permission = { granted: true }
        assert.match(await made.run(tool, { sessionID: "ses_tree" }), /the word/)
        assert.deepEqual(made.asked, [])
        assert.match(await made.run(tool, { sessionID: "ses_other" }), /the word/)
        assert.deepEqual(made.asked, ["/work/other"])
        made.permission = REFUSED
        assert.equal(
          await made.run(tool, { sessionID: "ses_other" }),
          JSON.stringify({ error: REFUSED.message }),
        )
      }
    })
  })

  test("session_list goes on with the current project when refused, and says so", async () => {
    await overBoth(async (made) => {
      await store(made)
      made.permission = REFUSED
      const answer = await made.run(sessionList(made.services), {})
      assert.match(answer, /Only sessions of this project: reading sessions of another project is off/)
      assert.match(answer, /ses_tree/)
      assert.doesNotMatch(answer, /ses_other|ses_near/)
    })
  })

  test("nobody is asked for all projects where there is only one", async () => {
    await overBoth(async (made) => {
      await made.store(session("ses_here"), [message("msg_1", { text: "the word" })])
      await made.run(sessionList(made.services), {})
      assert.match(
        await made.run(historySearchMessages(made.services), { query: "word project:all" }),
        /ses_here/,
      )
      assert.deepEqual(made.asked, [])
    })
  })

  test("the question names every folder that is opened, and no other is", async () => {
    await overBoth(async (made) => {
      await store(made)
      await made.store(
        session("ses_tree2", { projectID: "prj_other", directory: "/trees/other", title: "ses_tree2" }),
        [message("msg_tree2", { text: "the word of a worktree" })],
      )
      const asked: Asked[] = []
      const caller = {
        askOtherProject: (target: Asked) => {
          asked.push(target)
          return Promise.resolve(made.permission)
        },
      }
      const cases: [project: string, folders: readonly string[] | undefined, found: readonly string[]][] = [
        ["global", ["/tmp/elsewhere", "/tmp/loose"], ["ses_loose", "ses_loose2"]],
        ["prj_other", ["/trees/other", "/work/other"], ["ses_other", "ses_tree2"]],
        ["prj_deep", undefined, ["ses_deep"]],
        [
          "/work/other",
          ["/trees/other", "/work/other", "/work/other/deep"],
          ["ses_deep", "ses_other", "ses_tree2"],
        ],
        ["/tmp", ["/tmp/elsewhere", "/tmp/loose"], ["ses_loose", "ses_loose2"]],
      ]
      for (const [project, folders, expected] of cases) {
        assert.deepEqual(await found(made, `word project:${project}`, caller), expected, project)
        assert.deepEqual(asked.at(-1)?.folders, folders, project)
      }
    })
  })

  test("where other projects are off, the answer is the same whether there is one or not", async () => {
    const options = { exclude: [], maskSecrets: true, otherProjects: "deny" as const }
    await overBoth(
      async (made) => {
        await store(made)
        made.permission = REFUSED
        for (const project of ["prj_other", "prj_never", "/work/other", "/never"])
          assert.equal(
            await made.run(historySearchMessages(made.services), { query: `word project:${project}` }),
            REFUSED.message,
          )
      },
      { options },
    )
  })

  test("outside of a repository a directory is a project of its own", async () => {
    const project = { id: "global", directory: "/tmp/loose", worktree: "/" }
    await overBoth(
      async (made) => {
        await store(made)
        const caller = { projectID: "global", directory: "/tmp/loose" }
        assert.deepEqual(await found(made, "word", caller), ["ses_loose"])
        assert.deepEqual(made.asked, [])
        assert.deepEqual(await found(made, "word project:/tmp/elsewhere", caller), ["ses_loose2"])
        await made.run(historyRead(made.services), { sessionID: "ses_loose2" }, caller)
        assert.deepEqual(made.asked, ["/tmp/elsewhere", "/tmp/elsewhere"])
      },
      { project },
    )
  })

  // "": a host that names no project.
  for (const id of ["global", ""])
    test(`project ${JSON.stringify(id)}: repositories below the directory are other projects`, async () => {
      const project = { id, directory: "/tmp", worktree: "/" }
      await overBoth(
        async (made) => {
          await store(made)
          const put = async (name: string, projectID: string, directory: string) =>
            made.store(session(name, { projectID, directory, title: name }), [
              message(`msg_${name}`, { text: `the word of ${name}` }),
            ])
          await put("ses_below", id, "/tmp/below")
          await put("ses_repo", "prj_repo", "/tmp/repo")
          await put("ses_far", id, "/var/far")
          const caller = { projectID: id, directory: "/tmp" }
          const own = id === "global" ? ["ses_below", "ses_loose", "ses_loose2"] : ["ses_below"]
          assert.deepEqual(await found(made, "word", caller), own)
          assert.deepEqual(await found(made, "word project:/tmp/below", caller), ["ses_below"])
          await made.run(historyRead(made.services), { sessionID: "ses_below" }, caller)
          assert.deepEqual(made.asked, [])
          assert.deepEqual(await found(made, "word project:/tmp/repo", caller), ["ses_repo"])
          await made.run(historyRead(made.services), { sessionID: "ses_far" }, caller)
          assert.deepEqual(made.asked, ["/tmp/repo", "/var/far"])
        },
        { project },
      )
    })
})
