import assert from "node:assert/strict"
import { describe, test } from "node:test"
import * as fc from "fast-check"
import type { HostResult } from "../../src/hosts/host.ts"
import { attempt, type V1Reply } from "../../src/hosts/v1/client.ts"
import { escapedID, sessionGet } from "../../src/hosts/v1/session-get.ts"

const found: HostResult<V1Reply> = { ok: true, value: { data: {}, headers: new Headers() } }
const missing: HostResult<V1Reply> = { ok: false, fault: { reason: "not-found", message: "not found" } }

/** A host that has ses_a, and knows ids in these forms. */
function hostOf(forms: readonly ("escaped" | "plain")[]) {
  const asked: string[] = []
  const get = sessionGet(async (path) => {
    asked.push(path)
    const escaped = path.includes("%5F")
    const known = forms.includes(escaped ? "escaped" : "plain")
    return known && decodeURIComponent(path).startsWith("/session/ses_a") ? found : missing
  })
  return { asked, get: (id: string) => get(id, "/message", {}) }
}

describe("V1 session GET", () => {
  test("the id is written with one letter escaped, and so it stays", async () => {
    const host = hostOf(["escaped", "plain"])
    assert.equal((await host.get("ses_a")).ok, true)
    assert.equal((await host.get("ses_b")).ok, false)
    assert.deepEqual(host.asked, ["/session/ses%5Fa/message", "/session/ses%5Fb/message"])
  })

  test("a host that does not know the form is asked plainly from then on", async () => {
    const host = hostOf(["plain"])
    assert.equal((await host.get("ses_a")).ok, true)
    assert.equal((await host.get("ses_a")).ok, true)
    assert.deepEqual(host.asked, [
      "/session/ses%5Fa/message",
      "/session/ses_a/message",
      "/session/ses_a/message",
    ])
  })

  test("before anything is known, a session counts as missing only when both forms say so", async () => {
    const host = hostOf(["plain"])
    assert.deepEqual(await host.get("ses_b"), missing)
    assert.equal((await host.get("ses_a")).ok, true)
  })

  test("a host that is late tells nothing about the form: the other one, which may start an instance, is not asked", async () => {
    const asked: string[] = []
    const get = sessionGet((path) => {
      asked.push(path)
      return attempt("session", () => new Promise(() => undefined), 1)
    })
    const late = await get("ses_a", "", {})
    assert.ok(!late.ok && /no answer from OpenCode within 1 ms/.test(late.fault.message))
    assert.deepEqual(asked, ["/session/ses%5Fa"])
  })

  for (const [id, want] of [
    ["ses_a", "ses%5Fa"],
    ["ses/../x", "ses%2F..%2Fx"],
    ["abcdef", "abc%64ef"],
    ["ab", "ab"],
    ["", ""],
    ["sesé", "ses%C3%A9"],
  ] as const)
    test(`${JSON.stringify(id)} becomes ${want}`, () => assert.equal(escapedID(id), want))

  test("decodes to the id again, whatever it is", () =>
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (id) => {
        assert.equal(decodeURIComponent(escapedID(id)), id)
        assert.ok(!escapedID(id).includes("/"))
      }),
    ))
})
