import { describe, test } from "node:test"
import assert from "node:assert/strict"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isRecord } from "../../src/session/from-unknown.ts"
import { createAgents } from "../hosts/v2/agents.ts"
import { createContext } from "../hosts/v2/context.ts"
import { contractHost, type ContractHost } from "../hosts/v2/host.ts"
import { createQuestions } from "../hosts/v2/questions.ts"
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
      assert.deepEqual(await get(host, "/api/health"), { status: 404, body: {} })
    }))
})

describe("the plugin context", () => {
  function made(open: boolean) {
    const violations: string[] = []
    const store = createStore("/d", "p")
    const agents = createAgents("/d")
    const registry: Registry = { tools: new Map(), commands: new Map(), hooks: [], changes: [] }
    const nothing = (): never => {
      throw new Error("not asked for")
    }
    const { context } = createContext({
      host: {},
      version: "2.0.16",
      directory: "/d",
      projectID: "p",
      store,
      agents,
      asked: createQuestions(store, agents, { effect: "ask", reply: undefined }, false),
      registry,
      violations,
      isOpen: () => open,
      create: nothing,
      update: nothing,
      prompt: nothing,
    })
    const tool: unknown = Reflect.get(context, "tool")
    const event: unknown = Reflect.get(context, "event")
    const subscribe: unknown = isRecord(event) ? event["subscribe"] : undefined
    assert.ok(typeof subscribe === "function")
    const follow = (signal: AbortSignal): unknown => Reflect.apply(subscribe, event, [{ signal }])
    const transform: unknown = isRecord(tool) ? tool["transform"] : undefined
    assert.ok(typeof transform === "function")
    const add = async (value: unknown, after?: unknown): Promise<string> => {
      const change = (editor: { add(value: unknown): void }) => {
        editor.add(value)
        return after
      }
      const done: unknown = Reflect.apply(transform, tool, [change])
      return Promise.resolve(done).then(
        () => "taken",
        (error: unknown) => String(error),
      )
    }
    return { add, follow, store, violations, registry }
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
    ["pinned outside of Code Mode", { ...good, options: { codemode: false, pinned: true } }, /pinned/],
  ]
  for (const [name, tool, error] of bad)
    test(`refuses ${name}, and remembers it`, async () => {
      const { add, violations } = made(true)
      assert.match(await add(tool), error)
      assert.equal(violations.length, 1)
    })
  test("refuses a change that goes on later", async () => {
    const { add, violations } = made(true)
    assert.match(await add(good, Promise.resolve()), /not synchronous/)
    assert.equal(violations.length, 1)
  })
  test("gives a location its own events and those of no location, and cuts off who is slow", async () => {
    const { follow, store } = made(true)
    const stream = follow(new AbortController().signal)
    assert.ok(isStream(stream))
    const events = stream[Symbol.asyncIterator]()
    const first = events.next()
    const [own, other] = [store.put({}).id, store.put({ location: { directory: "/other" } }).id]
    store.emit("session.step.ended", { sessionID: other })
    store.emit("session.execution.succeeded", { sessionID: other })
    const created = await first
    assert.equal(Reflect.get(Object(created.value), "type"), "session.created")
    const next = await events.next()
    assert.equal(Reflect.get(Object(next.value), "type"), "session.execution.succeeded")
    for (let at = 0; at < 4_097; at++) store.emit("session.step.ended", { sessionID: own })
    await assert.rejects(async () => {
      for (let at = 0; at < 4_097; at++) await events.next()
    }, /slow consumer/)
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
    for (const files of [
      [{ path: "/a" }],
      [{ uri: "http://x" }],
      [{ uri: "data:;base64,eA", name: "x" }],
      [{ uri: "data:,BM%20x" }],
      [{ uri: "data:,x", name: 5 }],
    ]) {
      registry.hooks.length = 0
      registry.hooks.push((event) => Reflect.set(event, "prompt", { text: "x", files }))
      await assert.rejects(host.prompt(id, { text: "x" }))
    }
  }))

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value
}

test("attachments are stored as bytes and reach the model by their kind", () =>
  inHost(async (host, id) => {
    mkdirSync(join(host.directory, "folder", "inner"), { recursive: true })
    const contents = {
      "bom.txt": "\ufeffé\r\n",
      "lines.txt": "a\nb\nc",
      "folder/b.ts": "",
      "folder/a.ts": "",
    }
    for (const [name, content] of Object.entries(contents)) writeFileSync(join(host.directory, name), content)
    writeFileSync(join(host.directory, "x.png"), Buffer.from("89504e470d0a1a0a00", "hex"))
    writeFileSync(join(host.directory, "latin1.txt"), Buffer.from([0x63, 0xe9]))
    writeFileSync(join(host.directory, "x.bin"), Buffer.from([1, 0, 2]))
    const file = (name: string, query = "") => ({ uri: `file://${host.directory}/${name}${query}`, name })
    const files = [
      file("bom.txt"),
      file("lines.txt", "?start=2&end=2"),
      { ...file("folder"), description: "all of it" },
      file("x.png"),
      file("x.bin"),
      file("latin1.txt"),
    ]
    const message = await host.prompt(id, { text: "look", files })
    assert.match(JSON.stringify(message["files"]), new RegExp(Buffer.from("\ufeffé\r\n").toString("base64")))
    assert.equal(
      host.requests[0],
      [
        "look",
        "\nAttached file: bom.txt\n\n\ufeffé\r\n",
        "\nAttached file: lines.txt\n\nb",
        "\nAttached directory: folder\nDescription: all of it\n\ninner/\na.ts\nb.ts",
        "[image x.png]",
      ].join("\n"),
    )
    writeFileSync(join(host.directory, "huge.txt"), Buffer.alloc(20 * 1024 * 1024 + 1))
    await assert.rejects(host.prompt(id, { text: "x", files: [file("huge.txt")] }), /20 MiB/)
    await assert.rejects(host.prompt(id, { text: "x", delivery: "now" }), /delivery/)
    await assert.rejects(host.prompt(id, { text: "x", resume: 1 }), /resume/)
  }))

test("what is reverted is listed until the next prompt", () =>
  inHost(async (host, id) => {
    const [first, second] = host.store.messages.get(id) ?? []
    host.store.put({ ...host.store.session(id), revert: { messageID: second?.id } })
    assert.equal(host.store.messages.get(id)?.length, 3)
    const sent = await host.prompt(id, { text: "again" })
    assert.deepEqual(
      host.store.messages.get(id)?.map((row) => row.id),
      [first?.id, sent.id],
    )
    assert.equal(host.store.session(id)["revert"], undefined)
  }))

test("an answer that the host would cut is remembered", () =>
  inHost(async (host, id) => {
    const { registry } = await host.load()
    for (const [name, content] of Object.entries({
      long: "x".repeat(50 * 1024 + 1),
      tall: "\n".repeat(2_000),
    })) {
      const base = { name, description: "d", input: {}, codemode: false, namespace: "", structured: false }
      registry.tools.set(name, { ...base, execute: () => ({ content }) })
      await host.tool(id, name, {})
    }
    assert.deepEqual(host.violations, [
      "long: an answer the host would cut",
      "tall: an answer the host would cut",
    ])
  }))
