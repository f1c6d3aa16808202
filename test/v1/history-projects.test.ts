import assert from "node:assert/strict"
import { rmSync } from "node:fs"
import { dirname } from "node:path"
import { after, before, describe, test } from "node:test"
import { calls, text } from "../hosts/reply.ts"
import { toolResults } from "../hosts/request.ts"
import { run } from "../hosts/run.ts"
import { serve, type Serve } from "../hosts/serve.ts"
import { waitUntil } from "../hosts/wait.ts"
import { makeWorld, type World } from "../hosts/world.ts"
import { BUILT_PLUGIN } from "../hosts/host-config.ts"
import type { EventFollower } from "../hosts/events.ts"
import { agentOf, type Agent } from "./history-agent.ts"

// Which projects a search reaches on the real host, and what is asked before it leaves its own.

let world: World
let host: Serve
let agent: Agent
let events: EventFollower
/** The sessions that mention the word "heron", by the folder they were made in. */
const made = new Map<string, string>()
const directories = new Map<string, string>()

before(async () => {
  world = await makeWorld()
  directories.set("own", world.project.directory)
  directories.set("worktree", world.project.worktree("worktree").directory)
  for (const name of ["second", "third", "private"]) directories.set(name, world.addProject(name).directory)
  world.usePlugins([[BUILT_PLUGIN, { exclude: [directory("private")] }]])
  host = await serve(world)
  for (const [name, path] of directories) {
    const session = await host.in(path).createSession({ title: `In ${name}` })
    await host.in(path).prompt(session.id, `a heron in ${name}`)
    made.set(name, session.id)
  }
  agent = await agentOf(world, host)
  events = await host.events()
})
after(async () => {
  await events?.close()
  await world?.stop()
})

function directory(name: string): string {
  const found = directories.get(name)
  if (found === undefined) throw new Error(`no folder ${name}`)
  return found
}

/** Asks, and answers the questions that the host puts to the user meanwhile. */
async function asking(ask: Promise<string>, reply: "once" | "always" | "reject"): Promise<Asked> {
  const questions: string[] = []
  const answered = new Set<string>()
  let ended = false
  const end = ask.finally(() => {
    ended = true
  })
  await waitUntil(
    async () => {
      for (const event of events.seen()) {
        const id = String(event.properties["id"])
        if (event.type !== "permission.asked" || known.has(id) || answered.has(id)) continue
        answered.add(id)
        questions.push(String(event.properties["permission"]))
        await host.post(`/permission/${id}/reply`, { body: { reply } })
      }
      return ended ? true : undefined
    },
    () => "the turn does not end",
  )
  for (const id of answered) known.add(id)
  return { answer: await end, questions }
}

type Asked = { readonly answer: string; readonly questions: readonly string[] }
const known = new Set<string>()

/** The names of the folders whose sessions an answer shows. */
function shown(answer: string): readonly string[] {
  return [...made].filter(([, id]) => answer.includes(id)).map(([name]) => name)
}

const search = (query: string) => agent.ask("history-search-messages", { query })

test("the own project is searched with its worktrees, and nobody is asked", async () => {
  const answer = await agent.askUntil(
    ["history-search-messages", { query: "heron" }],
    (one) => shown(one).length === 2,
  )
  assert.deepEqual(shown(answer), ["own", "worktree"])
  const edits = await agent.ask("history-search-edits")
  assert.doesNotMatch(edits, /second|third/)
  assert.equal(events.seen().filter((event) => event.type === "permission.asked").length, 0)
})

test("a word of other projects is neither shown nor counted: the answer is that of a word nobody wrote", async () => {
  const [theirs = "", nobodys = ""] = await agent.askAll([
    ["history-search-messages", { query: '"a heron in second"' }],
    ["history-search-messages", { query: '"a heron in nowhere"' }],
  ])
  assert.match(
    theirs,
    /^No session holds[^]*Other projects were not searched \(project:all in the query asks/,
  )
  assert.equal(theirs.replaceAll("second", "nowhere"), nobodys)
})

describe("another project", () => {
  test("refused: one clear line, nothing shown", async () => {
    const { answer, questions } = await asking(search("heron project:all"), "reject")
    assert.deepEqual(questions, ["read sessions of all projects"])
    assert.match(answer, /^reading sessions of all projects was refused[^\n]*$/)
    assert.deepEqual(shown(answer), [])
  })

  test("session_list falls back to the own project and says so", async () => {
    const { answer } = await asking(agent.ask("session_list", { search: "heron" }), "reject")
    assert.deepEqual(shown(answer), ["own", "worktree"])
    assert.match(answer, /Only sessions of this project: reading sessions of all projects was refused/)
  })

  test("allowed once: asked again the next time", async () => {
    for (const _ of [1, 2]) {
      const { answer, questions } = await asking(search(`heron project:${directory("second")}`), "once")
      assert.deepEqual(questions, [`read sessions of ${directory("second")}`])
      assert.deepEqual(shown(answer), ["second"])
    }
  })

  test("a session of it is asked for before it is read", async () => {
    const input = { sessionID: made.get("second") }
    for (const tool of ["history-read", "session_read"]) {
      const refused = await asking(agent.ask(tool, input), "reject")
      assert.deepEqual(refused.questions, [`read sessions of ${directory("second")}`])
      assert.doesNotMatch(refused.answer, /heron/)
      assert.match(refused.answer, /^\{"error":"reading sessions of \S+ was refused/)
      assert.match((await asking(agent.ask(tool, input), "once")).answer, /a heron in second/)
    }
  })

  test("always: asked once, by whichever tool and spelling", async () => {
    const first = await asking(search(`heron project:${directory("third")}`), "always")
    assert.equal(first.questions.length, 1)
    assert.deepEqual(shown(first.answer), ["third"])
    const id = (await host.session(made.get("third") ?? "")).projectID
    const reads = [search(`heron project:${id}`)]
    for (const ask of reads) {
      const again = await asking(ask, "reject")
      assert.deepEqual([again.questions, shown(again.answer)], [[], ["third"]])
    }
    const read = await asking(agent.ask("history-read", { sessionID: made.get("third") }), "reject")
    assert.deepEqual(read.questions, [])
    assert.match(read.answer, /a heron in third/)
  })

  test("all projects, once allowed", async () => {
    const ask = agent.ask("history-search-sessions", { query: "heron project:all", show: "projects" })
    const { answer, questions } = await asking(ask, "always")
    assert.deepEqual(questions, ["read sessions of all projects"])
    assert.match(answer, /^3 projects · heron · all projects/)
    assert.match(answer, /\n2 sessions {2}\w+ {2}\S+project, \S+worktree {2}last/)
    const all = await asking(search("heron project:all"), "reject")
    assert.deepEqual(all.questions, [])
    assert.deepEqual(shown(all.answer), ["own", "worktree", "second", "third"])
  })
})

test("project:global: the question names each folder, and a new folder is asked for again", async () => {
  const add = async (name: string) => {
    const folder = dirname(world.write(`plain/${name}/x.txt`, ""))
    const session = await host.in(folder).createSession({ title: `In ${name}` })
    await host.in(folder).prompt(session.id, `a bittern in ${name}`)
    assert.equal(session.projectID, "global")
    made.set(name, session.id)
    // Its own folder may be searched unasked: so it is known when the index holds it.
    const there = await agentOf(world, host.in(folder))
    await there.askUntil(["history-search-messages", { query: "bittern" }], (one) =>
      shown(one).includes(name),
    )
    return folder
  }
  const ask = () => search("bittern project:global")
  const [first, second] = [await add("first plain"), await add("second plain")]
  const once = await asking(ask(), "once")
  assert.deepEqual(once.questions, [`read sessions of ${first}, ${second}`])
  assert.deepEqual(shown(once.answer), ["first plain", "second plain"])
  const always = await asking(ask(), "always")
  assert.deepEqual(always.questions, once.questions)
  assert.deepEqual((await asking(ask(), "reject")).questions, [])
  const third = await add("third plain")
  const refused = await asking(ask(), "reject")
  assert.deepEqual(refused.questions, [`read sessions of ${first}, ${second}, ${third}`])
  assert.deepEqual(shown(refused.answer), [])
})

test("an excluded project does not exist for any tool", async () => {
  const id = made.get("private") ?? ""
  const answers = await agent.askAll([
    ["history-search-messages", { query: '"heron in private" project:all' }],
    ["history-search-messages", { query: `heron project:${directory("private")}` }],
    ["history-search-sessions", { query: "project:all" }],
    ["history-search-edits", { query: "project:all" }],
    ["session_list", {}],
    ["history-read", { sessionID: id }],
    ["session_read", { sessionID: id }],
  ])
  for (const answer of answers) assert.doesNotMatch(answer, /In private|a heron in private/)
  assert.match(answers[1] ?? "", /no indexed session in/)
  assert.match(answers[5] ?? "", /neither OpenCode nor the index has it/)
})

test("an unknown place is an error of one line", async () => {
  assert.match(
    await search("heron project:/nowhere/at/all"),
    /^project:"\/nowhere\/at\/all": no indexed session/,
  )
  assert.match(await search("heron project:nobody"), /^project:"nobody" is in no indexed session/)
  assert.match(await search("heron project:"), /^`?project:/)
})

test("a session whose folder is gone is found, and read by every tool", async () => {
  rmSync(directory("worktree"), { recursive: true })
  const id = made.get("worktree")
  const answers = await agent.askAll([
    ["history-search-messages", { query: '"heron in worktree"' }],
    ["history-read", { sessionID: id }],
    ["session_read", { sessionID: id }],
    ["read_session", { sessionId: id }],
  ])
  assert.deepEqual(shown(answers[0] ?? ""), ["worktree"])
  for (const answer of answers) assert.match(answer, /a heron in worktree/)
})

test("`opencode run` cannot ask: it refuses and names the option", async () => {
  world.model.add(
    calls([
      ["history-search-messages", { query: "heron project:all" }],
      ["history-read", { sessionID: made.get("second") }],
      ["history-search-messages", { query: "heron" }],
    ]),
    text("Done."),
  )
  const { code } = await run(world, { prompt: "look" })
  assert.equal(code, 0)
  const [all = "", read = "", own = ""] = toolResults(world.model.lastRequest()).map((one) => one.output)
  assert.match(all, /^this run cannot ask[^\n]*otherProjects to "allow"/)
  assert.match(read, /this run cannot ask[^\n]*otherProjects/)
  assert.deepEqual(shown(own), ["own", "worktree"])
})
