import assert from "node:assert/strict"
import { describe, test } from "node:test"
import * as fc from "fast-check"
import { LISTING_PAGE, LISTING_PAGE_MAX, sessionListing } from "../../src/hosts/v1/listing.ts"
import type { HostResult } from "../../src/hosts/host.ts"

type Row = { readonly id: string; readonly time: { readonly created: number; readonly updated: number } }

/** The host's own rule: newest first, the cursor means "updated before", the header comes with a full page. */
function hostOf(
  rows: readonly Row[],
  asked: Record<string, unknown>[] = [],
): Parameters<typeof sessionListing>[0] {
  const sorted = rows.toSorted((a, b) => b.time.updated - a.time.updated || (a.id < b.id ? 1 : -1))
  return {
    everywhere: async (_url, query) => {
      asked.push(query)
      const before = query["cursor"] === undefined ? Number.POSITIVE_INFINITY : Number(query["cursor"])
      const behind = sorted.filter((row) => row.time.updated < before)
      const page = behind.slice(0, Number(query["limit"]))
      const headers = new Headers()
      if (behind.length > page.length) headers.set("x-next-cursor", String(page.at(-1)?.time.updated))
      return { ok: true, value: { data: page, headers } }
    },
    here: async () => ({ ok: false, fault: { reason: "failed", message: "not asked for" } }),
  }
}

function rowsAt(times: readonly number[]): readonly Row[] {
  return times.map((updated, index) => ({ id: `ses_${index}`, time: { created: 1, updated } }))
}

async function listAll(list: ReturnType<typeof sessionListing>): Promise<HostResult<readonly string[]>> {
  const ids = new Set<string>()
  const cursors = new Set<string>()
  let cursor: string | undefined
  do {
    const page = await list(cursor)
    if (!page.ok) return page
    for (const row of page.value.sessions) ids.add(row.session.id)
    cursor = page.value.next
    assert.ok(cursor === undefined || !cursors.has(cursor), "a cursor came twice")
    if (cursor !== undefined) cursors.add(cursor)
  } while (cursor !== undefined)
  return { ok: true, value: [...ids] }
}

describe("V1 listing", () => {
  test("every session comes, whatever times they share", () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 700 }), async (times) => {
        const rows = rowsAt(times)
        const all = await listAll(sessionListing(hostOf(rows)))
        assert.ok(all.ok)
        assert.deepEqual(all.value.toSorted(), rows.map((row) => row.id).toSorted())
      }),
      { numRuns: 50 },
    ))

  test("rows at a page border are not lost", async () => {
    const times = Array.from({ length: 3 * LISTING_PAGE }, (_, index) => Math.floor(index / 7) + 1)
    const all = await listAll(sessionListing(hostOf(rowsAt(times))))
    assert.equal(all.ok && all.value.length, times.length)
  })

  test("pages with times of their own are not read twice", async () => {
    const asked: Record<string, unknown>[] = []
    const times = Array.from({ length: 250 }, (_, index) => 1000 + index)
    await listAll(sessionListing(hostOf(rowsAt(times), asked)))
    assert.deepEqual(
      asked.map((query) => query["limit"]),
      [LISTING_PAGE, LISTING_PAGE, LISTING_PAGE],
    )
  })

  test("archived sessions are asked for", async () => {
    const asked: Record<string, unknown>[] = []
    await listAll(sessionListing(hostOf([], asked)))
    assert.deepEqual(asked, [{ archived: true, limit: LISTING_PAGE }])
  })

  test("more sessions of one time than a page may hold are an error that says so", async () => {
    const all = await listAll(sessionListing(hostOf(rowsAt(Array<number>(LISTING_PAGE_MAX + 200).fill(5)))))
    assert.match(all.ok ? "" : all.fault.message, /share the time 5/)
  })

  test("a host that ignores the cursor is an error", async () => {
    const first = hostOf(rowsAt(Array.from({ length: 300 }, (_, index) => 1000 + index)))
    const list = sessionListing({
      ...first,
      everywhere: (url, { limit }) => first.everywhere(url, { limit: limit ?? 1 }),
    })
    const all = await listAll(list)
    assert.match(all.ok ? "" : all.fault.message, /does not follow the cursor/)
  })

  test("a page without rows that promises more is an error", async () => {
    const headers = new Headers({ "x-next-cursor": "5" })
    const all = await listAll(
      sessionListing({ ...hostOf([]), everywhere: async () => ({ ok: true, value: { data: [], headers } }) }),
    )
    assert.match(all.ok ? "" : all.fault.message, /without any/)
  })

  test("a foreign cursor is refused", async () => {
    const page = await sessionListing(hostOf([]))("somewhere")
    assert.match(page.ok ? "" : page.fault.message, /unknown cursor somewhere/)
  })

  test("rows without a usable shape are counted, the others come", async () => {
    const data = [{ id: "ses_a", time: { updated: 5 } }, null, 5, { id: "" }, { title: "no id" }]
    const page = await sessionListing({
      ...hostOf([]),
      everywhere: async () => ({ ok: true, value: { data, headers: new Headers() } }),
    })(undefined)
    assert.deepEqual(page.ok && [page.value.sessions.length, page.value.unreadable], [1, 4])
  })

  for (const [name, answer] of [
    ["not found", { ok: false, fault: { reason: "not-found", message: "" } }],
    ["the web page", { ok: true, value: { data: "<!doctype html>", headers: new Headers() } }],
  ] as const)
    test(`without the route (${name}) the current project is listed, as a part, and asked for directly from then on`, async () => {
      let tries = 0
      const list = sessionListing({
        everywhere: async () => {
          tries += 1
          return answer
        },
        here: async () => ({ ok: true, value: { data: rowsAt([1, 2]), headers: new Headers() } }),
      })
      for (let round = 0; round < 2; round += 1) {
        const page = await list(undefined)
        assert.deepEqual(page.ok && [page.value.sessions.length, page.value.partial], [2, true])
      }
      assert.equal(tries, 1)
    })

  test("a host that fails is no missing route", async () => {
    const fault = { reason: "failed", message: "away" } as const
    const page = await sessionListing({ ...hostOf([]), everywhere: async () => ({ ok: false, fault }) })(
      undefined,
    )
    assert.deepEqual(page, { ok: false, fault })
  })
})
