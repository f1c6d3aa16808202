import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isRecord } from "../../../src/session/from-unknown.ts"
import { messagePage, sessionPage } from "./pages.ts"
import type { Agents } from "./agents.ts"
import { replyIn, type Questions } from "./questions.ts"
import type { Store } from "./store.ts"
import { invalid, Refusal, shape } from "./strict.ts"

// The registered service over HTTP: Basic auth, tags, cursors, and only the routes its release has.

/** Where a service runs is no project of its user's. */
const SERVICE_FOLDER = "/"

export type ServiceSetup = {
  readonly store: Store
  readonly version: string
  readonly password: string
  readonly stateDir: string
  create(body: unknown): unknown
  update(id: string, body: unknown): void
  prompt(id: string, body: unknown): Promise<unknown>
  readonly agents: Agents
  readonly earlier: boolean
  /** Questions of plugins; undefined without the routes. */
  readonly permission: Questions | undefined
}

export type Service = {
  readonly url: string
  /** Every request as `METHOD path`, in order. */
  readonly requests: string[]
  register(change?: Readonly<Record<string, unknown>>): void
  unregister(): void
  /** The password from now on; the registration is not touched. */
  setPassword(password: string): void
  /** What is answered instead, for a route and query it chooses. */
  fault: ((route: string) => { readonly status: number; readonly body: string } | undefined) | undefined
  stop(): Promise<void>
}

export async function startService(given: ServiceSetup): Promise<Service> {
  const requests: string[] = []
  const setup = { ...given }
  const server: Server = createServer((request, response) => {
    const fault = service.fault?.(`${request.method} ${request.url}`)
    if (fault !== undefined) {
      response.writeHead(fault.status).end(fault.body)
      return
    }
    void answer(setup, requests, request).then(
      (value) => reply(value === undefined ? 204 : 200, value),
      (error: unknown) => {
        if (error instanceof Refusal) return reply(error.status, error.name === "" ? undefined : error.body())
        reply(500, { _tag: "UnknownError", message: String(error) })
      },
    )
    function reply(status: number, body: unknown): void {
      response.writeHead(status, { "content-type": "application/json" })
      response.end(body === undefined ? "" : JSON.stringify(body))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const file = join(setup.stateDir, "opencode", "service.json")
  const service: Service = {
    url,
    requests,
    fault: undefined,
    setPassword(password) {
      setup.password = password
    },
    register(change = {}) {
      const { version, password } = setup
      mkdirSync(join(setup.stateDir, "opencode"), { recursive: true })
      writeFileSync(file, JSON.stringify({ version, url, pid: process.pid, password, ...change }), {
        mode: 0o600,
      })
    },
    unregister: () => rmSync(file, { force: true }),
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return service
}

async function answer(setup: ServiceSetup, requests: string[], request: IncomingMessage): Promise<unknown> {
  const { store } = setup
  const url = new URL(request.url ?? "/", "http://localhost")
  const route = `${request.method} ${url.pathname}`
  requests.push(`${route}${url.search}`)
  const expected = `Basic ${Buffer.from(`opencode:${setup.password}`).toString("base64")}`
  if (request.headers.authorization !== expected)
    throw new Refusal("UnauthorizedError", 401, "wrong password")
  const query = Object.fromEntries(url.searchParams)
  const body = request.method === "GET" ? undefined : await bodyOf(request)

  if (setup.earlier && route === "GET /api/health")
    return { healthy: true, version: setup.version, pid: process.pid }
  if (!setup.earlier && route === "GET /api/info")
    return { version: setup.version, pid: process.pid, urls: [], paths: { tmp: "/tmp/opencode" } }
  if (route === "GET /api/session") return sessionPage(store, query)
  if (route === "POST /api/session") return { data: setup.create(body) }
  if (route === "GET /api/agent") return setup.agents.answer(query["location[directory]"] ?? SERVICE_FOLDER)

  const [, id = "", rest = ""] = /^\/api\/session\/([^/]+)(\/.*)?$/.exec(url.pathname) ?? []
  if (id === "") throw noRoute()
  const session = store.session(decodeURIComponent(id))
  switch (`${request.method} ${rest}`) {
    case "GET ":
      return { data: session }
    case "PATCH ":
      if (setup.earlier) throw noRoute()
      setup.update(session.id, body)
      return undefined
    case "GET /message":
      return messagePage(store, session.id, query)
    case "POST /prompt":
      return { data: await setup.prompt(session.id, body) }
    case "POST /permission":
      if (setup.permission === undefined) throw noRoute()
      return {
        data: setup.permission.ask(
          session.id,
          shape("permission", body, ["action", "resources"], ["id", "save", "metadata", "source", "agent"]),
        ),
      }
    case "GET /permission":
      return { data: setup.permission?.list(session.id) ?? [] }
    default: {
      const [, requestID] = /^\/permission\/([^/]+)\/reply$/.exec(rest) ?? []
      if (request.method === "POST" && requestID !== undefined) {
        setup.permission?.reply(session.id, decodeURIComponent(requestID), replyIn(body, setup.earlier))
        return undefined
      }
      const [, messageID] = /^\/message\/([^/]+)$/.exec(rest) ?? []
      if (request.method !== "GET" || messageID === undefined) throw noRoute()
      return { data: store.message(session.id, decodeURIComponent(messageID)) }
    }
  }
}

function noRoute(): Refusal {
  return new Refusal("", 404, "")
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array))
  if (request.headers["content-type"] !== "application/json") throw invalid("not JSON")
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"))
  if (!isRecord(body)) throw invalid("not an object")
  return body
}
