import { after, describe, test } from "node:test"
import assert from "node:assert/strict"
import type { Session } from "../../../src/session/model.ts"
import { aMessage, anIndex, aSession, got, removeFolders, store } from "../make.ts"

after(removeFolders)

const handedOff = (source: string): Pick<Session, "metadata"> => ({
  metadata: { "opencode-baton": { source, at: 1 } },
})

async function family() {
  const history = anIndex()
  const first = aMessage("msg_a1", "the plan", { created: 1_100 })
  const second = aMessage("msg_a2", "the answer", { created: 1_200, role: "assistant" })
  await store(history, [
    [aSession("ses_a", { title: "root", created: 1_000, updated: 1_900 }), [first, second]],
    [aSession("ses_b", { title: "after the handoff", created: 2_000, ...handedOff("ses_a") }), []],
    [aSession("ses_c", { title: "subagent", created: 2_500, parentID: "ses_b" }), []],
    [
      aSession("ses_f", { title: "fork", created: 3_000 }),
      [
        { ...first, id: "msg_f1" },
        { ...second, id: "msg_f2" },
        aMessage("msg_f3", "own", { created: 3_100 }),
      ],
    ],
    [
      aSession("ses_g", { title: "fork of the fork", created: 4_000 }),
      [
        { ...first, id: "msg_g1" },
        { ...second, id: "msg_g2" },
        aMessage("msg_g3", "own", { created: 3_100 }),
      ],
    ],
    [aSession("ses_alone", { created: 1_500, projectID: "p2", directory: "/other" }), []],
  ])
  return history
}

const all = { scope: { kind: "all" }, limit: 10 } as const

describe("lineage", () => {
  test("handoffs, subagents and forks of forks are one family, told from any of its sessions", async () => {
    const history = await family()
    for (const sessionID of ["ses_a", "ses_c", "ses_g"]) {
      const answer = got(await history.lineage({ ...all, sessionID }))
      assert.equal(answer.families.length, 1)
      assert.deepEqual(
        answer.families[0]?.sessions.map((session) => session.id),
        ["ses_a", "ses_b", "ses_c", "ses_f", "ses_g"],
      )
      assert.deepEqual(answer.families[0]?.links, [
        { kind: "handoff", from: "ses_a", to: "ses_b" },
        { kind: "subagent", from: "ses_b", to: "ses_c" },
        { kind: "fork", from: "ses_a", to: "ses_f" },
        { kind: "fork", from: "ses_f", to: "ses_g" },
      ])
    }
    await history.close()
  })

  test("a session alone is a family of one; an unknown one is none; a scope lists only families", async () => {
    const history = await family()
    const alone = got(await history.lineage({ ...all, sessionID: "ses_alone" }))
    assert.deepEqual(
      alone.families.map((one) => [one.sessions.map((session) => session.id), one.links]),
      [[["ses_alone"], []]],
    )
    assert.deepEqual(got(await history.lineage({ ...all, sessionID: "ses_x" })).families, [])
    assert.equal(got(await history.lineage(all)).families.length, 1)
    const other = got(await history.lineage({ ...all, scope: { kind: "some", projects: ["p2"] } }))
    assert.deepEqual(other, { families: [], more: false })
    await history.close()
  })

  test("the source that the index does not hold is still named, an excluded one is not", async () => {
    const history = anIndex()
    await store(history, [
      [aSession("ses_b", { created: 2_000, ...handedOff("ses_gone") }), []],
      [aSession("ses_secret", { created: 1_000, projectID: "secret", directory: "/secret" }), []],
      [aSession("ses_d", { created: 3_000, ...handedOff("ses_secret") }), []],
    ])
    const links = async (sessionID: string, exclude: readonly string[] = []) =>
      got(await history.lineage({ ...all, sessionID, exclude })).families[0]?.links
    assert.deepEqual(await links("ses_b"), [{ kind: "handoff", from: "ses_gone", to: "ses_b" }])
    assert.deepEqual(await links("ses_d"), [{ kind: "handoff", from: "ses_secret", to: "ses_d" }])
    assert.deepEqual(await links("ses_d", ["secret"]), [])
    await history.close()
  })

  test("a fork that the host tells needs no copies", async () => {
    const history = anIndex()
    await store(history, [
      [aSession("ses_a", { created: 1_000 }), [aMessage("msg_1", "the plan", { created: 1_100 })]],
      [
        aSession("ses_b", { created: 2_000, forkedFrom: "ses_a" }),
        [aMessage("msg_2", "the plan", { created: 2_100 })],
      ],
      [aSession("ses_c", { created: 3_000, forkedFrom: "ses_c" }), []],
    ])
    const links = [{ kind: "fork", from: "ses_a", to: "ses_b" }]
    assert.deepEqual(got(await history.lineage({ ...all, sessionID: "ses_a" })).families[0]?.links, links)
    assert.deepEqual(got(await history.lineage({ ...all, sessionID: "ses_c" })).families[0]?.links, [])
    await history.close()
  })

  test("a loop of handoffs ends", async () => {
    const history = anIndex()
    await store(history, [
      [aSession("ses_a", { created: 1_000, ...handedOff("ses_b") }), []],
      [aSession("ses_b", { created: 2_000, ...handedOff("ses_a") }), []],
    ])
    const answer = got(await history.lineage({ ...all, sessionID: "ses_a" }))
    assert.equal(answer.families[0]?.sessions.length, 2)
    assert.equal(answer.families[0]?.links.length, 2)
    await history.close()
  })
})
