import assert from "node:assert/strict"
import { after, describe, test } from "node:test"
import { COUNTED_SESSIONS } from "../../../src/history/search/help.ts"
import { HIDDEN_COUNT_MAX } from "../../../src/history/search/walk.ts"
import type { Session } from "../../../src/session/model.ts"
import { ALL, aMessage, anIndex, aSession, aText, aTool, found, got, removeFolders, store } from "../make.ts"

after(removeFolders)

const assistant = { role: "assistant" } as const

/** Storing thousands of sessions takes seconds where others work too. */
const SLOW = { timeout: 60_000 }

describe("words over a session", () => {
  test("may be spread over messages, tools and the title", async () => {
    const index = anIndex()
    const tool = aTool("bash", { command: "grep -n flux" }, { status: "error", error: "ENOENT capacitor" })
    await store(index, [
      [
        aSession("s1", { title: "Réglage du cache" }),
        [aMessage("m1", "hello Zed"), aMessage("m2", [tool], assistant)],
      ],
      [aSession("s2"), [aMessage("m3", "hello")]],
    ])
    assert.deepEqual(await found(index, ["zed", "FLUX", "enoent capacitor", "réglage"]), ["s1"])
    assert.deepEqual(await found(index, ["RÉGLAGE"]), ["s1"])
    assert.deepEqual(await found(index, ["reglage"]), [])
    assert.deepEqual(await found(index, ["hello"], { excluded: ["flux"] }), ["s2"])
    assert.deepEqual(await found(index, ["hello"], { excluded: ["CACHE"] }), ["s2"])
    await index.close()
  })

  test("of one and two characters are exact, alone and beside longer ones", async () => {
    const index = anIndex()
    await store(index, [
      [aSession("s1", { updated: 1 }), [aMessage("m1", "a go channel")]],
      [aSession("s2", { updated: 2 }), [aMessage("m2", "a channel, 東京 🚀")]],
      [aSession("s3", { updated: 3 }), [aMessage("m3", "京東 👩‍💻")]],
    ])
    assert.deepEqual(await found(index, ["go", "channel"]), ["s1"])
    assert.deepEqual(await found(index, ["東京"]), ["s2"])
    assert.deepEqual(await found(index, ["京"]), ["s3", "s2"])
    assert.deepEqual(await found(index, ["🚀"]), ["s2"])
    assert.deepEqual(await found(index, ["👩‍💻"]), ["s3"])
    assert.deepEqual(await found(index, ["channel"], { excluded: ["go"] }), ["s2"])
    assert.deepEqual(await found(index, ["zz"]), [])
    await index.close()
  })

  test("are literal, whatever full text would make of them", async () => {
    const index = anIndex()
    const texts = [
      "node-fetch",
      "don't",
      "foo:bar",
      "C++",
      "a.b(c)",
      "--dry-run",
      "20.04",
      "std::move",
      '"quoted"',
      "a*b",
      "x AND y",
      "NEAR(",
      "^start",
      "{a b}:",
      "\\n",
      "%_'",
    ]
    await store(
      index,
      texts.map((text, at) => [aSession(`s${at}`), [aMessage(`m${at}`, `before ${text} after`)]] as const),
    )
    for (const [at, text] of texts.entries()) assert.ok((await found(index, [text])).includes(`s${at}`), text)
    assert.deepEqual(await found(index, ["std:move"]), [])
    await index.close()
  })

  test("match folded, and the excerpt shows the hit whatever folding does to lengths", async () => {
    const index = anIndex()
    const text = `${"İ".repeat(400)} ΟΔΟΣ ${"ß".repeat(400)}`
    await store(index, [[aSession("s1"), [aMessage("m1", text)]]])
    const answer = got(await index.search({ ...ALL, words: ["οδος"] }))
    const hit = answer.sessions[0]?.hits[0]
    assert.ok(hit)
    assert.ok(hit.excerpt.includes("ΟΔΟΣ"))
    assert.equal(text.slice(hit.at.start, hit.at.end), "ΟΔΟΣ")
    assert.ok(hit.excerpt.length <= 300)
    await index.close()
  })

  test("NUL in a text hides nothing behind it", async () => {
    const index = anIndex()
    await store(index, [[aSession("s1"), [aMessage("m1", "abc\0defghi")]]])
    assert.deepEqual(await found(index, ["abc"]), ["s1"])
    assert.deepEqual(await found(index, ["defghi"]), ["s1"])
    await index.close()
  })
})

test("a close spelling is told however many texts wait for the index", async () => {
  const index = anIndex(undefined, { sealUnits: 2 ** 40 })
  const said = Array.from({ length: 30 }, (_, at) =>
    aMessage(`m${at}`, `los certificados ${at}`, { created: at }),
  )
  const newer = Array.from({ length: 300 }, (_, at) =>
    aMessage(`n${at}`, `otra cosa ${at}`, { created: 100 + at }),
  )
  await store(index, [
    [aSession("s1"), said],
    [aSession("s2"), newer],
  ])
  const { help } = got(await index.search({ ...ALL, words: ["certifcados"] }))
  assert.deepEqual(help?.words[0]?.close, ["certificados"])
  await index.close()
})

describe("role and date", () => {
  test("limit which messages words match; titles count; exclusions see everything", async () => {
    const index = anIndex()
    await store(index, [
      [
        aSession("s1", { title: "about login", created: 100, updated: 900 }),
        [
          aMessage("m1", "token", { created: 100 }),
          aMessage("m2", "token secret", { ...assistant, created: 900 }),
        ],
      ],
      [aSession("s2", { updated: 800 }), [aMessage("m3", "login", { ...assistant, created: 800 })]],
    ])
    assert.deepEqual(await found(index, ["secret"], { role: "user" }), [])
    assert.deepEqual(await found(index, ["secret"], { role: "assistant" }), ["s1"])
    assert.deepEqual(await found(index, ["login"], { role: "user" }), ["s1"])
    assert.deepEqual(await found(index, ["token"], { from: 0, to: 100 }), ["s1"])
    assert.deepEqual(await found(index, ["secret"], { from: 0, to: 899 }), [])
    assert.deepEqual(await found(index, ["secret"], { from: 900, to: 900 }), ["s1"])
    assert.deepEqual(await found(index, ["login"], { from: 801 }), ["s1"])
    assert.deepEqual(await found(index, ["login"], { from: 901 }), [])
    assert.deepEqual(await found(index, ["token"], { role: "user", to: 100, excluded: ["secret"] }), [])
    await index.close()
  })
})

describe("limits and order", () => {
  const many = Array.from({ length: 30 }, (_, at) => {
    const id = `s${String(at).padStart(2, "0")}`
    return [aSession(id, { updated: 1_000 + Math.floor(at / 2) }), [aMessage(`m${at}`, "same word")]] as const
  })

  test("newest first, ties by id; one more than the limit is told", async () => {
    const index = anIndex()
    await store(index, many)
    const answer = got(await index.search({ ...ALL, words: ["same"], limit: 3 }))
    assert.deepEqual(
      [answer.sessions.map((match) => match.session.id), answer.more],
      [["s29", "s28", "s27"], true],
    )
    const whole = got(await index.search({ ...ALL, words: ["same"], limit: 30 }))
    assert.deepEqual([whole.sessions.length, whole.more], [30, false])
    await index.close()
  })

  test("pages cover every session once", async () => {
    const index = anIndex()
    await store(index, many)
    const seen: string[] = []
    let after: { updated: number; sessionID: string } | undefined
    for (let pages = 0; pages < 20; pages++) {
      const answer = got(
        await index.search({ ...ALL, words: ["same"], limit: 4, ...(after ? { after } : {}) }),
      )
      for (const match of answer.sessions) seen.push(match.session.id)
      const last = answer.sessions.at(-1)
      if (!answer.more || !last) break
      after = { updated: last.session.updated, sessionID: last.session.id }
    }
    assert.equal(seen.length, 30)
    assert.equal(new Set(seen).size, 30)
    await index.close()
  })

  test("relevance: a short session about the word before a giant one that mentions it", async () => {
    const index = anIndex()
    const giant = Array.from({ length: 2_000 }, (_, at) =>
      aMessage(`g${at}`, at % 40 === 0 ? "some zebra" : "noise", { created: at }),
    )
    const short = Array.from({ length: 20 }, (_, at) =>
      aMessage(`k${at}`, at % 4 === 0 ? "zebra" : "stripes", { created: at }),
    )
    await store(index, [
      [aSession("giant", { updated: 9_000 }), giant],
      [aSession("short", { updated: 5_000 }), short],
    ])
    assert.deepEqual(await found(index, ["zebra"]), ["giant", "short"])
    assert.deepEqual(await found(index, ["zebra"], { sort: "relevance" }), ["short", "giant"])
    await index.close()
  })
})

test("relevance: an answer among five askings of its question is in the first two", async () => {
  const index = anIndex()
  const question = "why is the login test flaky?"
  const asked = Array.from(
    { length: 5 },
    (_, at) =>
      [
        aSession(`q${at}`, { updated: 9_000 + at }),
        [aMessage(`q${at}`, question), aMessage(`n${at}`, "I do not know", assistant)],
      ] as const,
  )
  const answer = "the login test is flaky because it shares a clock: with its own clock login is not flaky"
  await store(index, [
    ...asked,
    [aSession("answer", { updated: 5_000 }), [aMessage("m1", question), aMessage("m2", answer, assistant)]],
  ])
  const ranked = await found(index, ["login", "flaky"], { sort: "relevance" })
  assert.ok(ranked.slice(0, 2).includes("answer"), ranked.join(" "))
  await index.close()
})

test("a search for sessions takes under 100 ms of 5,000 sessions, most of them subagents", SLOW, async () => {
  const index = anIndex()
  const many = Array.from({ length: 5_000 }, (_, at) => {
    const title = `${at % 97 === 0 ? "zebra" : "other"} ${at}`
    const parent = at % 10 === 0 ? {} : { parentID: "s0" }
    return [aSession(`s${at}`, { title, updated: at, ...parent }), [aMessage(`m${at}`, "words")]] as const
  })
  await store(index, many)
  // The first call opens the index.
  await found(index, [])
  const times: number[] = []
  for (let run = 0; run < 5; run++) {
    const before = process.cpuUsage()
    assert.equal((await found(index, ["zebra"])).length, 6)
    const { user, system } = process.cpuUsage(before)
    times.push((user + system) / 1_000)
  }
  assert.ok(Math.min(...times) < 100, times.join(" "))
  await index.close()
})

describe("what is hidden is counted", () => {
  test("subagents and archived sessions", async () => {
    const index = anIndex()
    const hidden = (id: string, given: Partial<Session>) =>
      [aSession(id, given), [aMessage(`m-${id}`, "zebra")]] as const
    await store(index, [
      hidden("child", { parentID: "s" }),
      hidden("old", { archived: 5 }),
      hidden("plain", {}),
    ])
    const answer = got(await index.search({ ...ALL, words: ["zebra"] }))
    assert.deepEqual(
      answer.sessions.map((match) => match.session.id),
      ["plain"],
    )
    assert.deepEqual(answer.hidden, { subagents: 1, archived: 1, reverted: 0, atLeast: false })
    assert.deepEqual((await found(index, ["zebra"], { include: ["subagents", "archived"] })).sort(), [
      "child",
      "old",
      "plain",
    ])
    await index.close()
  })

  test("300 subagents leave the roots on the first page", async () => {
    const index = anIndex()
    const children = Array.from(
      { length: 300 },
      (_, at) =>
        [
          aSession(`c${at}`, { parentID: "r0", updated: 9_000 + at }),
          [aMessage(`cm${at}`, "zebra")],
        ] as const,
    )
    const roots = Array.from(
      { length: 10 },
      (_, at) => [aSession(`r${at}`, { updated: at }), [aMessage(`rm${at}`, "zebra")]] as const,
    )
    await store(index, [...children, ...roots])
    const answer = got(await index.search({ ...ALL, words: ["zebra"] }))
    assert.equal(answer.sessions.length, 10)
    assert.deepEqual([answer.hidden.subagents, answer.hidden.atLeast], [HIDDEN_COUNT_MAX, true])
    await index.close()
  })

  test("reverted messages; unreverting brings them back", async () => {
    const index = anIndex()
    const messages = [
      aMessage("m1", "keep", { created: 1 }),
      aMessage("m5", "turn", { created: 5 }),
      aMessage("m8", "zebra", { created: 8 }),
    ]
    await store(index, [[aSession("s1", { revertedFrom: "m5" }), messages]])
    const answer = got(await index.search({ ...ALL, words: ["zebra"] }))
    assert.deepEqual([answer.sessions.length, answer.hidden.reverted], [0, 1])
    const shown = got(await index.search({ ...ALL, words: ["zebra"], include: ["reverted"] }))
    assert.deepEqual([shown.sessions[0]?.reverted, shown.sessions[0]?.hits[0]?.reverted], [true, true])
    assert.deepEqual(await found(index, ["keep"]), ["s1"])
    await store(index, [[aSession("s1"), messages]], 20_000)
    assert.deepEqual(await found(index, ["zebra"]), ["s1"])
    await index.close()
  })

  test("an answer that came through all sessions says so", async () => {
    const index = anIndex()
    await store(index, [[aSession("s1"), [aMessage("m1", "zebra")]]])
    const answer = got(await index.search({ ...ALL, words: ["zebra"] }))
    assert.deepEqual(answer.coverage, { complete: true, searched: 1, sessions: 1 })
    await index.close()
  })
})

describe("scope", () => {
  test("projects, directories, all, excluded ones", async () => {
    const index = anIndex()
    const inProject = (id: string, projectID: string, directory: string) =>
      [
        aSession(id, { projectID, directory, updated: Number(id.slice(1)) }),
        [aMessage(`m${id}`, "zebra")],
      ] as const
    await store(index, [
      inProject("s1", "p1", "/repo"),
      inProject("s2", "p1", "/work/tree"),
      inProject("s3", "p2", "/repo2"),
      inProject("s4", "p3", "/repo/deep"),
    ])
    assert.deepEqual(await found(index, ["zebra"], { scope: { kind: "some", projects: ["p1"] } }), [
      "s2",
      "s1",
    ])
    assert.deepEqual(await found(index, ["zebra"], { scope: { kind: "some", directories: ["/repo"] } }), [
      "s4",
      "s1",
    ])
    const within = { kind: "within", project: "p3", directory: "/repo" } as const
    assert.deepEqual(await found(index, ["zebra"], { scope: within }), ["s4"])
    assert.deepEqual(await found(index, ["zebra"], { exclude: ["/repo/**", "p2"] }), ["s2"])
    assert.deepEqual(got(await index.projectsIn("/repo")).toSorted(), ["p1", "p3"])
    assert.deepEqual(got(await index.projectsIn("/rep")), [])
    const none = got(
      await index.search({ ...ALL, words: ["zebra"], scope: { kind: "some", projects: ["nobody"] } }),
    )
    assert.equal(none.help?.elsewhere, 4)
    await index.close()
  })

  test("projects that mention a word, largest first", async () => {
    const index = anIndex()
    const inProject = (id: string, projectID: string, directory: string) =>
      [aSession(id, { projectID, directory }), [aMessage(`m${id}`, "zebra")]] as const
    await store(index, [
      inProject("s1", "p1", "/b"),
      inProject("s2", "p1", "/a"),
      inProject("s3", "p2", "/c"),
      [aSession("s4", { projectID: "p3" }), []],
    ])
    const { sort: _sort, hits: _hits, ...filter } = ALL
    const answer = got(await index.projects({ ...filter, words: ["zebra"] }))
    assert.deepEqual(
      answer.projects.map((project) => [project.id, project.sessions, project.directories]),
      [
        ["p1", 2, ["/a", "/b"]],
        ["p2", 1, ["/c"]],
      ],
    )
    await index.close()
  })
})

describe("the calling session", () => {
  test("is searched only up to its last compaction", async () => {
    const index = anIndex()
    const messages = [
      aMessage("m1", "zebra before", { created: 1 }),
      aMessage("m2", [{ type: "compaction", auto: true }], { created: 2 }),
      aMessage("m3", "summary with giraffe", { role: "assistant", created: 3, summary: true }),
      aMessage("m4", "find the lion", { created: 4 }),
    ]
    await store(index, [[aSession("me", { title: "lion" }), messages]])
    const callerSessionID = "me"
    assert.deepEqual(await found(index, ["zebra"], { callerSessionID }), ["me"])
    assert.deepEqual(await found(index, ["giraffe"], { callerSessionID }), [])
    assert.deepEqual(await found(index, ["find"], { callerSessionID }), [])
    assert.deepEqual(await found(index, ["lion"]), ["me"])
    await index.close()
  })

  test("without a compaction does not find itself, not by its title either", async () => {
    const index = anIndex()
    await store(index, [[aSession("me", { title: "zebra" }), [aMessage("m1", "zebra")]]])
    assert.deepEqual(await found(index, ["zebra"], { callerSessionID: "me" }), [])
    await index.close()
  })
})

describe("copies", () => {
  const original = [aMessage("m1", "first", { created: 1 }), aMessage("m2", "zebra", { created: 2 })]
  const copies = original.map((message) => ({ ...message, id: `copy-${message.id}` }))

  test("of a fork count once, at the original", async () => {
    const index = anIndex()
    await store(index, [
      [aSession("s1", { created: 1, updated: 10 }), original],
      [
        aSession("fork", { created: 5, updated: 20 }),
        [...copies, aMessage("f1", "own giraffe", { created: 6 })],
      ],
    ])
    const answer = got(await index.search({ ...ALL, words: ["zebra"] }))
    assert.deepEqual(
      answer.sessions.map((match) => [match.session.id, match.alsoInForks]),
      [["s1", 1]],
    )
    assert.deepEqual(await found(index, ["zebra", "giraffe"]), ["fork"])
    await index.close()
  })

  test("whose original is gone or out of scope count where they are", async () => {
    const index = anIndex()
    await store(index, [
      [aSession("s1", { created: 1, projectID: "p2" }), original],
      [aSession("fork", { created: 5 }), copies],
    ])
    assert.deepEqual(await found(index, ["zebra"], { scope: { kind: "some", projects: ["p1"] } }), ["fork"])
    got(await index.applyChanges({ fetchedAt: 20_000, removedSessions: ["s1"] }))
    assert.deepEqual(await found(index, ["zebra"]), ["fork"])
    await index.close()
  })

  test("whose original is excluded by a word are listed themselves", async () => {
    const index = anIndex()
    await store(index, [
      [aSession("s1", { created: 1 }), [...original, aMessage("m3", "revert", { created: 3 })]],
      [aSession("fork", { created: 5 }), copies],
    ])
    assert.deepEqual(await found(index, ["zebra"], { excluded: ["revert"] }), ["fork"])
    await index.close()
  })

  test("equal words at another time are no copies", async () => {
    const index = anIndex()
    await store(index, [
      [aSession("s1", { updated: 1 }), [aMessage("m1", "yes", { created: 1 })]],
      [aSession("s2", { updated: 2 }), [aMessage("m2", "yes", { created: 2 })]],
    ])
    assert.deepEqual(await found(index, ["yes"]), ["s2", "s1"])
    await index.close()
  })
})

describe("hits", () => {
  test("the message where it was said, a summary and the title only for words that nothing else holds", async () => {
    const index = anIndex()
    const messages = [
      aMessage("sum", "zebra in short", { role: "assistant", created: 1, summary: true }),
      aMessage("m2", [aText("a"), aTool("bash", { command: "zebra --count" })], {
        role: "assistant",
        created: 2,
      }),
      aMessage("m3", "zebra again", { created: 3 }),
    ]
    await store(index, [[aSession("s1", { title: "zebra title, lion" }), messages]])
    const answer = got(await index.search({ ...ALL, words: ["Zebra", "lion", "short"] }))
    const hits = answer.sessions[0]?.hits.map((hit) => [hit.word, hit.where, hit.messageID, hit.kind])
    assert.deepEqual(hits, [
      ["Zebra", "message", "m3", "user"],
      ["short", "message", "sum", "summary"],
      ["lion", "title", undefined, undefined],
    ])
    await index.close()
  })

  test("a single word keeps its first message, in whatever order messages were stored", async () => {
    const index = anIndex()
    const late = Array.from({ length: 20 }, (_, at) =>
      aMessage(`late${at}`, "zebra zebra", { created: 10 + at }),
    )
    await store(index, [
      [aSession("s1"), late.toSpliced(10, 0, aMessage("first", "a zebra", { created: 1 }))],
    ])
    const answer = got(await index.search({ ...ALL, words: ["zebra"] }))
    assert.ok(answer.sessions[0]?.hits.some((hit) => hit.messageID === "first"))
    await index.close()
  })

  test("a megabyte around a hit stays out of the answer", async () => {
    const index = anIndex()
    await store(index, [
      [aSession("s1"), [aMessage("m1", `${"x".repeat(500_000)} zebra ${"y".repeat(500_000)}`)]],
    ])
    const answer = got(await index.search({ ...ALL, words: ["zebra"] }))
    assert.ok(JSON.stringify(answer).length < 1_000)
    assert.match(answer.sessions[0]?.hits[0]?.excerpt ?? "", /zebra/)
    await index.close()
  })

  test("per message: the newest that hold every word in the asked kinds, with their index", async () => {
    const index = anIndex()
    const messages = [
      aMessage("m0", "zebra lion", { created: 0 }),
      aMessage("m1", "zebra", { created: 1 }),
      aMessage("m2", [aTool("bash", {}, { output: "zebra lion" })], { role: "assistant", created: 2 }),
      aMessage("m3", "lion and zebra", { role: "assistant", created: 3 }),
    ]
    await store(index, [
      [aSession("s1"), messages],
      [aSession("s2", { title: "zebra lion" }), [aMessage("x", "zebra")]],
    ])
    const answer = got(
      await index.search({
        ...ALL,
        words: ["zebra", "lion"],
        unit: "message",
        kinds: ["user", "assistant"],
        hitsPerSession: 3,
      }),
    )
    const shown = answer.sessions.map((match) => [
      match.session.id,
      match.hits.map((hit) => [hit.messageID, hit.index]),
    ])
    assert.deepEqual(shown, [
      ["s2", []],
      [
        "s1",
        [
          ["m3", 3],
          ["m0", 0],
        ],
      ],
    ])
    await index.close()
  })

  test("in the order of the host, also when messages arrived in another", async () => {
    const index = anIndex()
    const session = aSession("s1")
    got(
      await index.applyChanges({
        fetchedAt: 1,
        sessions: [{ session, messages: [aMessage("m5", "zebra late", { created: 5 })] }],
      }),
    )
    got(
      await index.applyChanges({
        fetchedAt: 2,
        sessions: [{ session, messages: [aMessage("m1", "zebra early", { created: 1 })] }],
      }),
    )
    const answer = got(await index.search({ ...ALL, words: ["zebra"] }))
    assert.equal(answer.sessions[0]?.hits[0]?.messageID, "m1")
    await index.close()
  })
})

describe("nothing found", () => {
  test("tells how far each word reaches, the closest sessions and close spellings", async () => {
    const index = anIndex()
    await store(index, [
      [aSession("s1", { updated: 1 }), [aMessage("m1", "authentication of the connection pool")]],
      [aSession("s2", { updated: 2 }), [aMessage("m2", "connection lost")]],
    ])
    const answer = got(await index.search({ ...ALL, words: ["authentcation", "connection", "pool"] }))
    assert.deepEqual(
      answer.help?.words.map((word) => [word.word, word.sessions, word.close]),
      [
        ["authentcation", 0, ["authentication"]],
        ["connection", 2, []],
        ["pool", 1, []],
      ],
    )
    assert.deepEqual(
      answer.help?.closest.map((one) => [one.session.id, one.words]),
      [
        ["s1", ["connection", "pool"]],
        ["s2", ["connection"]],
      ],
    )
    await index.close()
  })

  for (const [word, spelt] of [
    ["pool;", ["pool"]],
    ["(connecton", ["connection"]],
    [";;", []],
  ] as const)
    test(`a word copied with what stands around it is spelt without: ${word}`, async () => {
      const index = anIndex()
      await store(index, [[aSession("s1"), [aMessage("m1", "authentication of the connection pool")]]])
      const { help } = got(await index.search({ ...ALL, words: [word] }))
      assert.deepEqual(help?.words[0]?.close, spelt)
      await index.close()
    })

  test("counts a common word so far, and asks the closest sessions for it beyond", async () => {
    const index = anIndex()
    const sessions = Array.from({ length: COUNTED_SESSIONS + 20 }, (_, at) => {
      const text = at === 0 ? "quokka wombat" : "wombat"
      return [aSession(`s${at}`, { updated: at }), [aMessage(`m${at}`, text)]] as const
    })
    await store(index, sessions)
    const { help } = got(await index.search({ ...ALL, words: ["wombat", "platypus", "quokka"] }))
    assert.deepEqual(
      help?.words.map((word) => [word.word, word.sessions, word.atLeast]),
      [
        ["wombat", COUNTED_SESSIONS, true],
        ["platypus", 0, false],
        ["quokka", 1, false],
      ],
    )
    assert.deepEqual([help?.closest[0]?.session.id, help?.closest[0]?.words], ["s0", ["wombat", "quokka"]])
    await index.close()
  })

  test("names no unrelated session for an unknown word", async () => {
    const index = anIndex()
    await store(index, [[aSession("s1"), [aMessage("m1", "something else")]]])
    const answer = got(await index.search({ ...ALL, words: ["xylophone"] }))
    assert.deepEqual([answer.sessions, answer.help?.closest, answer.help?.words[0]?.close], [[], [], []])
    await index.close()
  })
})

test("no words list the sessions of the scope, newest first", async () => {
  const index = anIndex()
  await store(index, [
    [aSession("s1", { updated: 1 }), []],
    [aSession("s2", { updated: 2 }), []],
  ])
  assert.deepEqual(await found(index, []), ["s2", "s1"])
  assert.deepEqual(await found(index, [], { from: 2, to: 2 }), ["s2"])
  await index.close()
})

test("an aborted search ends as a fault and leaves the index usable", async () => {
  const index = anIndex()
  await store(index, [[aSession("s1"), [aMessage("m1", "zebra")]]])
  const controller = new AbortController()
  controller.abort()
  const answer = await index.search({ ...ALL, words: ["zebra"] }, controller.signal)
  assert.ok(!answer.ok && answer.fault.reason === "aborted")
  assert.deepEqual(await found(index, ["zebra"]), ["s1"])
  await index.close()
})
