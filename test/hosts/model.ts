import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { text, type Reply } from "./reply.ts"
import { chatBody, systemText, type ModelRequest } from "./request.ts"
import { listen } from "./port.ts"
import { sendReply } from "./stream.ts"
import { within } from "./wait.ts"

// The scripted model: an OpenAI-compatible endpoint on the loopback that answers what the test wrote down. It
// is the only stand-in of the host tests, and records all it is asked.

/** Decides on an answer; `turn` counts the requests that are not for a title, from 0. */
export type ScriptFunction = (request: ModelRequest, turn: number) => Reply | Promise<Reply>

/** A function, or answers in order; when they are used up the model says "ok". */
export type Script = ScriptFunction | readonly Reply[]

export type Model = {
  /** The base URL for the provider's config. */
  readonly url: string
  /** Every request but those for a title, oldest first. */
  requests(): readonly ModelRequest[]
  /** The newest of them; throws when there is none. */
  lastRequest(): ModelRequest
  titleRequests(): readonly ModelRequest[]
  /** What went wrong in the script or in a request itself; the host got a 400 for it. */
  faults(): readonly string[]
  /** Replaces the script; `turn` goes on counting. */
  script(next: Script): void
  /** Adds answers behind those that are left of a queue. */
  add(...replies: readonly Reply[]): void
  /** Answers of a queue that were not asked for yet. */
  left(): number
  /** The first request, recorded or to come, for which `wanted` holds. */
  waitForRequest(
    wanted: (request: ModelRequest, turn: number) => boolean,
    timeoutMs?: number,
  ): Promise<ModelRequest>
  stop(): Promise<void>
}

/** What the model answers when the script has nothing left. */
export const DEFAULT_ANSWER = "ok"

/** What it answers when the host wants a title. */
export const TITLE = "A title"

/** Starts the model on a free loopback port. */
export async function startModel(script: Script = []): Promise<Model> {
  const requests: ModelRequest[] = []
  const titles: ModelRequest[] = []
  const faults: string[] = []
  const watchers = new Set<() => void>()
  const queue: Reply[] = []
  let decide: ScriptFunction | undefined

  const use = (next: Script) => {
    queue.length = 0
    decide = typeof next === "function" ? next : undefined
    if (typeof next !== "function") queue.push(...next)
  }
  use(script)

  const answer = async (request: ModelRequest): Promise<Reply> => {
    if (wantsTitle(request)) {
      titles.push(request)
      return text(TITLE)
    }
    const turn = requests.push(request) - 1
    for (const watcher of watchers) watcher()
    return decide === undefined ? (queue.shift() ?? text(DEFAULT_ANSWER)) : await decide(request, turn)
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response, answer).catch((error: unknown) => {
      faults.push(String(error))
      if (response.headersSent) response.destroy()
      else
        response.writeHead(400).end(JSON.stringify({ error: { message: `model script: ${String(error)}` } }))
    })
  })
  const port = await listen(server)

  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests: () => requests,
    lastRequest() {
      const last = requests.at(-1)
      if (last === undefined) throw new Error("the model was not asked yet")
      return last
    },
    titleRequests: () => titles,
    faults: () => faults,
    script: use,
    add(...replies) {
      if (decide !== undefined) throw new Error("the script is a function: it has no queue to add to")
      queue.push(...replies)
    },
    left: () => queue.length,
    waitForRequest(wanted, timeoutMs) {
      const found = Promise.withResolvers<ModelRequest>()
      const look = () => {
        const match = requests.find(wanted)
        if (match !== undefined) found.resolve(match)
      }
      watchers.add(look)
      look()
      return within(
        found.promise.finally(() => watchers.delete(look)),
        () => `no such request among ${requests.length}`,
        timeoutMs,
      )
    },
    stop: () => close(server),
  }
}

async function serve(
  incoming: IncomingMessage,
  response: ServerResponse,
  answer: (request: ModelRequest) => Promise<Reply>,
): Promise<void> {
  const state = { aborted: false }
  response.on("close", () => {
    state.aborted = !response.writableFinished
  })
  const request: ModelRequest = {
    body: chatBody.parse(JSON.parse(await readBody(incoming))),
    headers: Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
    ),
    time: Date.now(),
    get aborted() {
      return state.aborted
    },
  }
  await sendReply(response, await answer(request), request.body.model)
}

/** A compaction comes without tools too, and belongs to the script. */
function wantsTitle(request: ModelRequest): boolean {
  return request.body.tools === undefined && systemText(request).includes("title generator")
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString("utf8")
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
