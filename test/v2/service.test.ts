import { after, before, describe, test } from "node:test"
import assert from "node:assert/strict"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readRegistration, registrations } from "../../src/hosts/v2/registration.ts"
import { findService } from "../../src/hosts/v2/service.ts"

describe("a registration", () => {
  const rows: readonly [string, object, string | undefined][] = [
    [
      "the usual one",
      { url: "http://127.0.0.1:4096", pid: 1, version: "2.0.16", password: "x" },
      "http://127.0.0.1:4096",
    ],
    ["a path is left out", { url: "http://localhost:1/x?y" }, "http://localhost:1"],
    ["listening everywhere", { url: "http://0.0.0.0:4096" }, "http://127.0.0.1:4096"],
    ["listening everywhere, IPv6", { url: "http://[::]:4096" }, "http://[::1]:4096"],
    ["another machine", { url: "http://10.0.0.5:4096" }, undefined],
    ["a name that looks local", { url: "http://127.0.0.1.example.org" }, undefined],
    ["credentials in front", { url: "http://127.0.0.1@example.org" }, undefined],
    ["another protocol", { url: "file:///etc/passwd" }, undefined],
    ["no address", { pid: 1 }, undefined],
    ["a number as text", { url: "http://127.0.0.1:1", pid: "1" }, undefined],
  ]
  for (const [name, value, url] of rows)
    test(name, () => assert.equal(readRegistration(JSON.stringify(value), {})?.url, url))
  for (const text of ["", "{", "null", "[]", '"x"'])
    test(`nothing in ${JSON.stringify(text)}`, () => assert.equal(readRegistration(text, {}), undefined))
  test("without a password the variables tell it, the newer one first", () => {
    const text = '{"url":"http://127.0.0.1:1"}'
    assert.equal(readRegistration(text, { OPENCODE_SERVER_PASSWORD: "old" })?.password, "old")
    assert.equal(
      readRegistration(text, { OPENCODE_SERVER_PASSWORD: "old", OPENCODE_PASSWORD: "new" })?.password,
      "new",
    )
  })
})

describe("finding the service", () => {
  let folder = ""
  let server: Server
  let url = ""
  let answer = (_path: string | undefined): { status: number; body: unknown } => ({ status: 404, body: "" })

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "baton-service-"))
    mkdirSync(join(folder, "opencode"))
    server = createServer((request, response) => {
      const { status, body } = answer(request.url)
      response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    assert.ok(address !== null && typeof address === "object")
    url = `http://127.0.0.1:${(address satisfies AddressInfo).port}`
  })
  after(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    rmSync(folder, { recursive: true, force: true })
  })

  const register = (name: string, value: object) =>
    writeFileSync(join(folder, "opencode", name), JSON.stringify(value))

  /** Who is to be found is waited for; who is not has been looked at once. */
  async function find(
    waitMs = 300,
    version = "2.0.16",
    pid = 1,
  ): Promise<{ url: string | undefined; why: string }> {
    const service = findService({ env: { XDG_STATE_HOME: folder }, version, pid })
    try {
      let found = await service.endpoint(waitMs)
      for (let looks = 0; looks < 30 && service.why().includes("not looked for yet"); looks++)
        found = await service.endpoint(waitMs)
      return { url: found?.url, why: service.why() }
    } finally {
      service.close()
    }
  }

  for (const path of ["/api/health", "/api/status", "/api/info"])
    test(`health is told at ${path}`, async () => {
      register("service.json", { url, pid: 7, version: "2.0.16" })
      answer = (asked) =>
        asked === path ? { status: 200, body: { version: "2.0.16", pid: 7 } } : { status: 404, body: "" }
      assert.equal((await find(10_000)).url, url)
    })

  const refusals: readonly [string, object, { status: number; body: unknown }, RegExp][] = [
    [
      "another version",
      {},
      { status: 200, body: { version: "2.0.15" } },
      /is OpenCode 2\.0\.15, this is 2\.0\.16/,
    ],
    [
      "another version, told by the file alone",
      { version: "2.0.1" },
      { status: 200, body: {} },
      /is OpenCode 2\.0\.1/,
    ],
    ["another process", { pid: 7 }, { status: 200, body: { pid: 8 } }, /another process/],
    ["not ready", {}, { status: 200, body: { healthy: false } }, /not ready/],
    ["starting", {}, { status: 200, body: { data: { state: "starting" } } }, /not ready/],
    ["a wrong password", {}, { status: 401, body: {} }, /refused the registered password/],
    ["in trouble", {}, { status: 500, body: {} }, /HTTP 500/],
    ["no such address", {}, { status: 404, body: "" }, /no health address/],
    ["a web page", {}, { status: 200, body: "<html>" }, /does not answer/],
  ]
  for (const [name, change, reply, why] of refusals)
    test(`${name} is not it, and it says why`, async () => {
      register("service.json", { url, version: "2.0.16", ...change })
      answer = () => reply
      const found = await find()
      assert.equal(found.url, undefined)
      assert.match(found.why, why)
    })

  test("this very process is it, whatever version it names", async () => {
    register("service.json", { url, pid: 42, version: "2.0.17-local" })
    answer = () => ({ status: 200, body: { pid: 42, version: "2.0.17-local" } })
    assert.equal((await find(10_000, "2.0.17", 42)).url, url)
  })

  test("nobody registered", async () => {
    rmSync(join(folder, "opencode", "service.json"), { force: true })
    assert.match((await find()).why, /registered no service/)
  })

  test("a service of another channel is found, and this process's own comes first", async () => {
    register("service-local.json", { url, pid: 5 })
    register("service.json", { url: "http://127.0.0.1:9", pid: 6 })
    const found = await registrations({ XDG_STATE_HOME: folder }, 5)
    assert.deepEqual(
      found.map((one) => one.pid),
      [5, 6],
    )
    rmSync(join(folder, "opencode", "service-local.json"))
  })

  test("one that comes up later is found by the one who waits", async () => {
    register("service.json", { url, pid: 7 })
    let up = false
    answer = () => ({ status: 200, body: { healthy: up } })
    const service = findService({ env: { XDG_STATE_HOME: folder }, version: "", pid: 1 })
    try {
      assert.equal(await service.endpoint(50), undefined)
      up = true
      assert.equal((await service.endpoint(5_000))?.url, url)
    } finally {
      service.close()
    }
  })

  test("an aborted wait ends at once", async () => {
    answer = () => ({ status: 200, body: { healthy: false } })
    const service = findService({ env: { XDG_STATE_HOME: folder }, version: "", pid: 1 })
    assert.equal(await service.endpoint(60_000, AbortSignal.timeout(20)), undefined)
    service.close()
  })
})
