import { describe, test } from "node:test"
import assert from "node:assert/strict"
import { isRecord } from "../../src/session/from-unknown.ts"
import { createContext } from "../hosts/v2/context.ts"
import { contractHost, type ContractHost } from "../hosts/v2/host.ts"
import type { Registry } from "../hosts/v2/registry.ts"
import { createStore } from "../hosts/v2/store.ts"

// The contract host itself: what it must not let pass.

const auth = { authorization: `Basic ${Buffer.from("opencode:hunter2").toString("base64")}` }

async function inHost(run: (host: ContractHost, id: string) => Promise<void>): Promise<void> {
  const host = await contractHost({})
  try {
    const { id } = host.store.put({})
    for (let at = 0; at < 3; at++) host.store.write(id, { type: "user", text: `m${at}` })
    await run(host, id)
  } finally {
    await host.stop()
  }
}

async function get(host: ContractHost, path: string, headers: Record<string, string> = auth) {
  const answer = await fetch(host.service.url + path, { headers })
  const body: unknown = JSON.parse((await answer.text()) || "null")
  return { status: answer.status, body: isRecord(body) ? body : {} }
}

describe("the service", () => {
  test("refuses a wrong password", () =>
    inHost(async (host) => {
      assert.deepEqual(await get(host, "/api/session", {}), {
        status: 401,
        body: { _tag: "UnauthorizedError", message: "wrong password" },
      })
    }))

  const refused: readonly [string, string][] = [
    ["limit=0", "InvalidRequestError"],
    ["limit=201", "InvalidRequestError"],
    ["limit=x", "InvalidRequestError"],
    ["color=red", "InvalidRequestError"],
    ["cursor=nonsense", "InvalidCursorError"],
    ["order=asc&cursor=x", "InvalidRequestError"],
  ]
  for (const [query, tag] of refused)
    test(`refuses messages?${query}`, () =>
      inHost(async (host, id) => {
        const { status, body } = await get(host, `/api/session/${id}/message?${query}`)
        assert.deepEqual([status, body["_tag"]], [400, tag])
      }))

  test("gives a cursor with the last page, and an empty page without one behind it", () =>
    inHost(async (host, id) => {
      const first = await get(host, `/api/session/${id}/message?limit=3`)
      const next = isRecord(first.body["cursor"]) ? first.body["cursor"]["next"] : undefined
      assert.equal(typeof next, "string")
      assert.deepEqual((await get(host, `/api/session/${id}/message?limit=3&cursor=${String(next)}`)).body, {
        data: [],
        cursor: {},
      })
    }))

  test("tells a missing session from a missing address", () =>
    inHost(async (host) => {
      assert.equal((await get(host, "/api/session/ses_x")).body["_tag"], "SessionNotFoundError")
      assert.deepEqual(await get(host, "/api/info"), { status: 404, body: {} })
    }))
})

describe("the plugin context", () => {
  function made(open: boolean) {
    const violations: string[] = []
    const registry: Registry = { tools: new Map(), commands: new Map(), hooks: [] }
    const nothing = (): never => {
      throw new Error("not asked for")
    }
    const { context } = createContext({
      host: {},
      version: "2.0.16",
      directory: "/d",
      projectID: "p",
      store: createStore("/d", "p"),
      registry,
      violations,
      isOpen: () => open,
      create: nothing,
      update: nothing,
      prompt: nothing,
    })
    const tool: unknown = Reflect.get(context, "tool")
    const transform: unknown = isRecord(tool) ? tool["transform"] : undefined
    assert.ok(typeof transform === "function")
    const add = async (value: unknown): Promise<string> => {
      const change = (editor: { add(value: unknown): void }) => editor.add(value)
      const done: unknown = Reflect.apply(transform, tool, [change])
      return Promise.resolve(done).then(
        () => "taken",
        (error: unknown) => String(error),
      )
    }
    return { add, violations, registry }
  }

  const good = {
    name: "ok",
    description: "d",
    input: { type: "object", properties: {} },
    execute: () => ({}),
  }
  test("takes a tool in time", async () => {
    const { add, violations } = made(true)
    assert.deepEqual([await add(good), violations], ["taken", []])
  })
  const bad: readonly [string, unknown, RegExp][] = [
    ["an unknown key", { ...good, parameters: {} }, /unknown key parameters/],
    ["no execute", { ...good, execute: undefined }, /execute is missing/],
    ["a name with a dot", { ...good, name: "a.b" }, /tool name/],
    [
      "a schema JSON cannot hold",
      { ...good, input: { type: "object", properties: { a: undefined } } },
      /JSON/,
    ],
    ["unknown options", { ...good, options: { code: false } }, /unknown key code/],
  ]
  for (const [name, tool, error] of bad)
    test(`refuses ${name}, and remembers it`, async () => {
      const { add, violations } = made(true)
      assert.match(await add(tool), error)
      assert.equal(violations.length, 1)
    })
  test("refuses a late registration", async () => {
    const { add, registry } = made(false)
    assert.match(await add(good), /after setup/)
    assert.equal(registry.tools.size, 0)
  })
})

test("a prompt that the hook spoils is refused", () =>
  inHost(async (host, id) => {
    const { registry } = await host.load()
    for (const files of [[{ path: "/a" }], [{ uri: "http://x" }], [{ uri: "data:,x", name: 5 }]]) {
      registry.hooks.length = 0
      registry.hooks.push((event) => Reflect.set(event, "prompt", { text: "x", files }))
      await assert.rejects(host.prompt(id, { text: "x" }))
    }
  }))
