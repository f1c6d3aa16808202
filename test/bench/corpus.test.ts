import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { describe, test } from "node:test"
import { corpus } from "../../bench/corpus/corpus.ts"
import { PLANTED_PATH_SESSIONS, PLANTED_SECRET, PLANTS } from "../../bench/corpus/plants.ts"
import { documentsOf, isHidden } from "../../bench/document.ts"
import type { Query } from "../../bench/queries.ts"
import { truthOf } from "../../bench/truth.ts"

describe("the invented history", () => {
  test("is the same for the same seed and another for another", () => {
    assert.equal(printOf(1), printOf(1))
    assert.notEqual(printOf(1), printOf(2))
  })

  test("makes a session without the ones before it", () => {
    const made = corpus(600, 3)
    assert.deepEqual([...made.sessions()][5], made.sessionAt(5))
  })

  test("has as many messages as asked for, newest session first", () => {
    const sessions = [...corpus(1_200).sessions()]
    assert.equal(sessions.flatMap((one) => one.messages).length, 1_200)
    const updated = sessions.map((one) => one.session.updated)
    assert.deepEqual(
      updated,
      [...updated].sort((one, other) => other - one),
    )
  })

  test("holds each planted text in as many sessions as told, and the planted secret in none", () => {
    const all = [...corpus(3_000).sessions()].map(documentsOf)
    const holding = (text: string) =>
      all.filter(({ rows }) => rows.some((row) => row.text.toLowerCase().includes(text.toLowerCase())))
    for (const { text, sessions } of PLANTS) assert.equal(holding(text).length, sessions, text)
    assert.equal(holding(PLANTED_SECRET).length, 0)
    const edits = all.filter(({ rows }) =>
      rows.some((row) => row.edits.some((edit) => edit.path.includes("planted"))),
    )
    assert.equal(edits.length, PLANTED_PATH_SESSIONS)
  })

  test("is about 2.8 KB a message, a quarter of it said by users and assistants", () => {
    const { textBytes, saidBytes, messages } = truthOf(corpus(3_000), [])
    assert.ok(textBytes / messages > 2_400 && textBytes / messages < 3_200, String(textBytes / messages))
    assert.ok(saidBytes / textBytes > 0.18 && saidBytes / textBytes < 0.32, String(saidBytes / textBytes))
  })
})

describe("the right answers", () => {
  const only = corpus(1_000)
  const shown = [...only.sessions()].filter((one) => !isHidden(one.session))
  const ask = (given: Partial<Query>) =>
    truthOf(only, [{ id: "q", class: "rare word", kind: "search", words: [], excluded: [], ...given }])
      .expected[0]

  test("leave out hidden sessions", () => assert.equal(ask({})?.total, shown.length))

  test("take words as parts, without regard to case, from anywhere in the session", () => {
    assert.equal(ask({ words: ["ZQXORI"] })?.total, ask({ words: ["zqxoriel", "the"] })?.total)
  })

  test("leave out sessions with an excluded word", () => {
    const { total = 0 } = ask({ words: ["zqmerin"] }) ?? {}
    assert.ok(total > 0)
    assert.equal(ask({ excluded: ["zqmerin"] })?.total, shown.length - total)
  })
})

function printOf(seed: number): string {
  const hash = createHash("sha256")
  for (const session of corpus(400, seed).sessions()) hash.update(JSON.stringify(session))
  return hash.digest("hex")
}
