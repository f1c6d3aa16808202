import { describe, test } from "node:test"
import assert from "node:assert/strict"
import * as fc from "fast-check"
import * as z from "zod"
import { openHistory } from "../../src/history/index.ts"
import { unreadableIn } from "../../src/history/sync/index.ts"
import type { Calls } from "../../src/hosts/v2/calls.ts"
import { PAGE_BYTES, rowReader, type RowReader } from "../../src/hosts/v2/rows.ts"
import { thrown, type Outcome } from "../../src/hosts/v2/trouble.ts"
import { UNREADABLE } from "../../src/session/unreadable.ts"
import { ask, inHost, RELEASES, SLOW } from "../hosts/v2/asking.ts"
import { baton } from "../hosts/v2/baton.ts"
import { messagePage } from "../hosts/v2/pages.ts"
import { createStore, type Store } from "../hosts/v2/store.ts"

// One stored message that V2 cannot decode fails every page that holds it. The others are read all the same, and an
// empty one stands in its place.

/** A session of `count` messages of which these cannot be decoded, with the reader over it and its requests. */
function made(count: number, bad: readonly number[], change: (outcome: Outcome) => Outcome = (one) => one) {
  const store = createStore("/d", "p")
  const { id } = store.put({})
  const ids = Array.from({ length: count }, (_, at) => store.write(id, { type: "user", text: `m${at}` }).id)
  for (const at of bad) store.undecodable.add(ids[at] ?? "")
  const requests: number[] = []
  const messages: Calls["messages"] = async (sessionID, query) => {
    requests.push(query.limit)
    return change(asked(store, sessionID, query))
  }
  const unused = () => Promise.reject(new Error("not asked for"))
  const others = { session: unused, sessions: unused, message: unused }
  const calls: Calls = { ...others, createSession: unused, updateSession: unused, messages }
  return { store, id, ids, requests, read: rowReader(calls) }
}

function asked(store: Store, sessionID: string, query: object): Outcome {
  try {
    return { ok: true, value: messagePage(store, sessionID, { ...query }) }
  } catch (error) {
    return { ok: false, trouble: thrown("messages", error) }
  }
}

type Row = { readonly id: string; readonly type: string; readonly created: number }
const rowSchema = z.looseObject({ id: z.string(), type: z.string(), time: z.object({ created: z.number() }) })

/** All of a session, oldest first, as pages of `limit` give it. */
async function all(read: RowReader, id: string, limit: number): Promise<readonly Row[]> {
  const rows: Row[] = []
  let older: string | undefined
  do {
    const page = await read(id, { limit, ...(older === undefined ? {} : { older }) })
    assert.ok(page.ok, JSON.stringify(page))
    const got = page.value.rows.map((row) => rowSchema.parse(row))
    rows.unshift(...got.map((row) => ({ id: row.id, type: row.type, created: row.time.created })))
    older = page.value.older
  } while (older !== undefined)
  return rows
}

describe("rows around what cannot be decoded", () => {
  test("each of the others comes once and in order, whatever the place and the page", () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 260 }),
        fc.integer({ min: 1, max: 220 }),
        fc.array(fc.nat(), { maxLength: 3 }),
        async (count, limit, places) => {
          const bad = [...new Set(places.map((place) => place % count))].sort((a, b) => a - b)
          const { id, ids, read } = made(count, bad)
          const rows = await all(read, id, limit)
          // What lies between the first and the last of them cannot be reached from either end.
          const [first, last] = [bad[0] ?? count, bad.at(-1) ?? count]
          assert.deepEqual(
            rows.filter((row) => row.type !== UNREADABLE).map((row) => row.id),
            [...ids.slice(0, first), ...ids.slice(last + 1)],
          )
          assert.equal(rows.filter((row) => row.type === UNREADABLE).length, bad.length > 0 ? 1 : 0)
          if (bad.length === 0) return
          assert.equal(rows[first]?.type, UNREADABLE)
          assert.equal(rows[first]?.id, `${ids[first - 1] ?? ""}~unreadable`)
          const created = rows.map((row) => row.created)
          assert.deepEqual(
            created,
            created.toSorted((a, b) => a - b),
          )
        },
      ),
      { numRuns: 60 },
    ))

  test("the place is found in few requests, and known from then on", async () => {
    const { id, requests, read } = made(1_000, [400])
    await all(read, id, 100)
    assert.ok(requests.length <= 35, `${requests.length} requests`)
    requests.length = 0
    await all(read, id, 100)
    assert.ok(requests.length <= 25, `${requests.length} requests`)
  })

  test("a host that fails once is asked again", async () => {
    let failed = false
    const { id, ids, read } = made(5, [], (outcome) => {
      if (failed) return outcome
      failed = true
      return {
        ok: false,
        trouble: thrown("messages", Object.assign(new Error("busy"), { name: "UnknownError" })),
      }
    })
    assert.deepEqual(
      (await all(read, id, 1)).map((row) => row.id),
      ids,
    )
  })

  test("any other trouble is no message that is left out", async () => {
    for (const name of ["ServiceUnavailableError", "SessionNotFoundError"]) {
      const trouble = thrown("messages", Object.assign(new Error("no"), { name }))
      const { id, read, requests } = made(5, [2], () => ({ ok: false, trouble }))
      const page = await read(id, { limit: 5 })
      assert.equal(page.ok ? "" : page.fault.reason, name === "SessionNotFoundError" ? "not-found" : "failed")
      assert.equal(requests.length, 1)
    }
  })

  test("a heavy page makes the next ones of its session smaller", async () => {
    const { id, ids, requests, read } = made(250, [], (outcome) => {
      const count = outcome.ok && typeof outcome.value === "object" ? rowsIn(outcome.value) : 0
      return { ...outcome, bytes: (count * PAGE_BYTES) / 20 }
    })
    assert.deepEqual(
      (await all(read, id, 100)).map((row) => row.id),
      ids,
    )
    assert.equal(requests[0], 100)
    assert.ok(Math.max(...requests.slice(1)) <= 20, requests.join())
    // A page is still as long as it was asked for: who reads it again gets the same one.
    const page = await read(id, { limit: 50 })
    assert.ok(page.ok)
    assert.equal(page.value.rows.length, 50)
  })

  test("what is too large at once is asked for in parts; alone, it stands as unreadable", async () => {
    for (const max of [7, 0]) {
      const { id, ids, read } = made(30, [], (outcome) => {
        const count = outcome.ok && typeof outcome.value === "object" ? rowsIn(outcome.value) : 0
        return count > max ? { ok: false, trouble: { reason: "too-large", message: "too large" } } : outcome
      })
      const rows = await all(read, id, 20)
      assert.deepEqual(
        rows.map((row) => row.id),
        max === 0 ? ["~unreadable"] : ids,
      )
    }
  })
})

function rowsIn(page: object | null): number {
  const rows: unknown = page === null ? undefined : Reflect.get(page, "data")
  return Array.isArray(rows) ? rows.length : 0
}

for (const release of RELEASES)
  describe(`a message that cannot be decoded on ${release}`, () => {
    test("hides no other one from the searches, is counted, and is not fetched again and again", SLOW, () =>
      inHost({ release }, async (host, caller) => {
        const old = host.store.put({ title: "Old", time: { created: 1, updated: 2 } }).id
        const written = Array.from({ length: 140 }, (_, at) =>
          host.store.write(old, { type: "user", text: `word${at} aardwolf`, time: { created: 1_000 + at } }),
        )
        host.store.undecodable.add(written[70]?.id ?? "")
        const lone = host.store.put({ title: "Lone", time: { created: 1, updated: 2 } }).id
        host.store.undecodable.add(
          host.store.write(lone, { type: "user", text: "x", time: { created: 9 } }).id,
        )
        await host.load()
        for (const word of ["word0", "word69", "word71", "word139"])
          await ask(host, caller, "history-search-messages", { query: `${word} aardwolf` }, new RegExp(old))
        const none = await ask(host, caller, "history-search-messages", { query: "word70" }, /./)
        assert.doesNotMatch(none, /not complete|could not be|fetched/i)

        const history = openHistory({ dataDir: host.dataDir, maskSecrets: true })
        const markers = await history.markers()
        await history.close()
        assert.ok(markers.ok)
        assert.deepEqual(unreadableIn(markers.value), { unreadable: 2, atLeast: true })
        const status = await baton(host, ["status"])
        assert.match(
          status.stdout.replaceAll(/\s+/g, " "),
          /messages \d+; at least 2 of them, or parts of them,/,
        )
        assert.deepEqual(
          markers.value.filter((row) => [old, lone].includes(row.sessionID)).map((row) => typeof row.marker),
          ["string", "string"],
        )
      }),
    )

    test("is told by every tool that reads the session", SLOW, () =>
      inHost({ release }, async (host, caller) => {
        const { id } = host.store.put({})
        const written = ["one", "two", "three", "four"].map((text) =>
          host.store.write(id, { type: "user", text }),
        )
        host.store.undecodable.add(written[1]?.id ?? "")
        await host.load()
        const transcript = await ask(host, caller, "read_session", { sessionId: id }, /four/)
        assert.match(transcript, /one[^]*three[^]*four[^]*\(At least 1 unreadable part skipped\.\)/)
        const page = await ask(host, caller, "history-read", { sessionID: id }, /four/)
        assert.match(
          page,
          /at least 1 unreadable part is left out[^]*"content":"one"[^]*~unreadable[^]*"otherContentOmitted":true[^]*"content":"three"/,
        )
        const { output } = await host.tool(caller, "session_read", { sessionID: id })
        assert.match(
          JSON.stringify(output),
          /"total":4[^]*1 hidden message skipped[^]*at least 1 unreadable part skipped; total and indexes count such a run as one[^]*"index":3,[^}]*four/,
        )
        await ask(host, caller, "session_list", { search: "four" }, /"index":3/)
      }),
    )

    test("alone in its session it is an error that says so", SLOW, () =>
      inHost({ release }, async (host, caller) => {
        const { id } = host.store.put({})
        host.store.undecodable.add(host.store.write(id, { type: "user", text: "x" }).id)
        await host.load()
        await ask(host, caller, "read_session", { sessionId: id }, /could not be read: [^"]*cannot decode/)
      }),
    )

    test("what comes after it is followed live", SLOW, () =>
      inHost({ release }, async (host, caller) => {
        const { id } = host.store.put({})
        host.store.undecodable.add(host.store.write(id, { type: "user", text: "x" }).id)
        host.store.write(id, { type: "user", text: "first ferret" })
        await host.load()
        await ask(host, caller, "history-search-messages", { query: "ferret" }, new RegExp(id))
        await host.prompt(id, { text: "second stoat" })
        await ask(host, caller, "history-search-messages", { query: "stoat" }, new RegExp(id))
      }),
    )
  })
