import { after, describe, test } from "node:test"
import assert from "node:assert/strict"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { got } from "../history/make.ts"
import { aPlace, indexAt, type Place } from "./run.ts"
import { corpus, HOUR, NOON } from "./corpus.ts"

// What `baton status` counts: indexed, pending, failed, excluded and forgotten sessions apart from each other.

const place: Place = aPlace()
after(() => place.remove())

const timeout = { timeout: 60_000 }

describe("baton status", () => {
  test("separates what a sync counted, and says what to do", timeout, async () => {
    const history = indexAt(place)
    const [first, second] = corpus(place)
    assert.ok(first && second)
    got(
      await history.applyChanges({
        fetchedAt: NOON + HOUR,
        sessions: [
          { session: first[0], messages: first[1], marker: "v1.1:1:abc", complete: true },
          { session: second[0], messages: second[1] },
        ],
      }),
    )
    got(await history.forget({ kind: "session", sessionID: "ses_gone" }))
    history.progress({ total: 9, pending: 4, failed: 2, excluded: 3, forgotten: 1 })
    await history.close()
    mkdirSync(place.config, { recursive: true })
    writeFileSync(
      join(place.config, "opencode.json"),
      JSON.stringify({ plugin: [["opencode-baton", { exclude: ["prj_secret"] }]] }),
    )

    const shown = await place.run(["status"])
    assert.equal(shown.code, 0, shown.stderr)
    for (const line of [
      /^ {2}indexed {3}1$/m,
      /^ {2}pending {3}4$/m,
      /^ {2}failed {4}2$/m,
      /^ {2}excluded {2}3 by 1 rule: prj_secret$/m,
      /^ {2}forgotten 1 by 1 rule$/m,
      /^host seen {3}OpenCode V1$/m,
      /4 sessions are not completely indexed: [^]*`baton index`/,
      /2 sessions could not be fetched: [^]*says why/,
    ])
      assert.match(shown.stdout, line)

    const told: unknown = JSON.parse((await place.run(["status", "--json"])).stdout)
    assert.partialDeepStrictEqual(told, {
      kind: "status",
      indexed: 1,
      pending: 4,
      failed: 2,
      excluded: 3,
      forgotten: 1,
      excludedRules: ["prj_secret"],
      hosts: ["v1"],
    })
  })
})
