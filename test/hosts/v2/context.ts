import type { Agents } from "./agents.ts"
import type { Questions } from "./questions.ts"
import type { HostEvent, Row, Store } from "./store.ts"
import { messagePage, sessionPage } from "./pages.ts"
import type { HostSetup, Part } from "./release.ts"
import { applyTo, callable, commandEditor, toolEditor, type Registry } from "./registry.ts"
import { invalid, shape, text, undecodable } from "./strict.ts"

// The plugin context for one location. What the release or the test leaves out is not there at all.

export type ContextSetup = {
  readonly host: HostSetup
  readonly version: string
  readonly directory: string
  readonly projectID: string
  readonly store: Store
  readonly agents: Agents
  readonly asked: Questions
  readonly registry: Registry
  readonly violations: string[]
  /** Registrations are taken until then. */
  isOpen(): boolean
  create(body: unknown): unknown
  update(id: string, body: unknown): void
  prompt(id: string, body: unknown): Promise<unknown>
}

const HOOKS = [
  "prompt",
  "context",
  "compaction",
  "generate",
  "title",
  "model.request",
  "http.request",
  "http.response",
  "retry",
]

export function createContext(setup: ContextSetup): { context: object; failStreams(): void } {
  const { host, store, registry } = setup
  const later = host.release === "2.1.0"
  const lacks = (part: Part) => host.without?.includes(part) === true
  const streams = new Set<(error: Error) => void>()

  const register = (what: string, change: () => void): Promise<{ dispose(): Promise<void> }> => {
    try {
      if (!setup.isOpen()) throw invalid(`${what} after setup`)
      change()
      return Promise.resolve({ dispose: () => Promise.resolve() })
    } catch (error) {
      setup.violations.push(`${what}: ${String(error)}`)
      return Promise.reject(error instanceof Error ? error : new Error(String(error)))
    }
  }
  function transform(run: () => void): void {
    run()
    registry.changes.push(run)
  }

  /** A refusal that is part of the game: a plugin may try and see. */
  const attempt = async (run: () => unknown): Promise<unknown> => run()

  const session = {
    get: (args: unknown) =>
      attempt(() => store.session(text("sessionID", shape("get", args, ["sessionID"])["sessionID"]))),
    ...(lacks("create") ? {} : { create: (body: unknown) => attempt(() => setup.create(body)) }),
    ...(lacks("prompt") ? {} : { prompt: (args: unknown) => attempt(() => promptOf(args)) }),
    ...(lacks("context")
      ? {}
      : {
          context: (args: unknown) =>
            attempt(() => contextOf(text("sessionID", shape("context", args, ["sessionID"])["sessionID"]))),
        }),
    ...(lacks("hook")
      ? {}
      : {
          hook: (name: unknown, run: unknown) =>
            register("hook", () => {
              if (!HOOKS.includes(text("hook", name))) throw invalid(`unknown hook ${String(name)}`)
              if (name === "prompt") registry.hooks.push(callable("hook", run))
            }),
        }),
    ...(later
      ? {
          list: (query: unknown) =>
            attempt(() => sessionPage(store, shape("list", query, [], ["limit", "cursor"]))),
        }
      : {}),
    ...(host.shapes === "earlier" ? {} : { update: (args: unknown) => attempt(() => updateOf(args)) }),
  }

  /** What is behind the last compaction, its summary first. */
  function contextOf(sessionID: string): readonly Row[] {
    store.session(sessionID)
    const rows = store.messages.get(sessionID) ?? []
    const last = rows.findLastIndex((row) => row["type"] === "compaction" && row["status"] === "completed")
    const standing = rows.slice(Math.max(0, last))
    if (standing.some((row) => store.undecodable.has(row.id))) throw undecodable()
    return standing
  }

  function promptOf(args: unknown): Promise<unknown> {
    if (host.promptForm !== "nested") {
      const { sessionID, ...body } = shape(
        "prompt",
        args,
        ["sessionID", "text"],
        ["id", "files", "agents", "skills", "metadata", "delivery", "resume"],
      )
      return setup.prompt(text("sessionID", sessionID), body)
    }
    const given = shape("prompt", args, ["sessionID", "prompt"], ["id", "delivery", "resume", "metadata"])
    const { sessionID, prompt, ...rest } = given
    return setup.prompt(text("sessionID", sessionID), {
      ...rest,
      ...shape("prompt.prompt", prompt, ["text"], ["files", "agents", "skills"]),
    })
  }

  function updateOf(args: unknown): void {
    // Declared, and ignored: only the service changes metadata.
    const {
      sessionID,
      metadata: _,
      ...body
    } = shape("update", args, ["sessionID"], ["title", "metadata", "permissions"])
    setup.update(text("sessionID", sessionID), body)
  }

  const agentList = (args: unknown = {}) =>
    attempt(() => {
      const { location } = shape("agent.list", args, [], ["location"])
      const at =
        location === undefined ? setup.directory : shape("location", location, ["directory"])["directory"]
      return setup.agents.answer(text("location.directory", at))
    })
  function replyOf(args: unknown): void {
    const given = shape("reply", args, ["sessionID", "requestID", "decision"], ["message"])
    setup.asked.reply(
      text("sessionID", given["sessionID"]),
      text("requestID", given["requestID"]),
      text("decision", given["decision"]),
    )
  }

  const messageList = (args: unknown) =>
    attempt(() => {
      const { sessionID, ...query } = shape("message.list", args, ["sessionID"], ["limit", "order", "cursor"])
      return messagePage(store, text("sessionID", sessionID), query)
    })
  const messageGet = (args: unknown) =>
    attempt(() => {
      const given = shape("message.get", args, ["sessionID", "messageID"])
      return store.message(text("sessionID", given["sessionID"]), text("messageID", given["messageID"]))
    })

  const context = {
    app: { version: setup.version },
    options: host.options ?? {},
    location: { directory: setup.directory, project: { id: setup.projectID, directory: setup.directory } },
    agent: lacks("agents") ? {} : { list: agentList },
    permission: host.shapes === "earlier" ? {} : { reply: (args: unknown) => attempt(() => replyOf(args)) },
    plugin: {},
    session,
    ...(lacks("tools")
      ? {}
      : {
          tool: {
            transform: (change: unknown) =>
              register("tool", () => transform(() => applyTo(toolEditor(host, registry), change))),
          },
        }),
    ...(lacks("command")
      ? {}
      : {
          command: {
            transform: (change: unknown) =>
              register("command", () => transform(() => applyTo(commandEditor(host, registry), change))),
          },
        }),
    ...(lacks("events") ? {} : { event: { subscribe: (options: unknown) => subscribe(options) } }),
    ...(later ? { message: { list: messageList, get: messageGet } } : {}),
  }
  return {
    context,
    failStreams() {
      for (const fail of streams) fail(new Error("slow consumer"))
    },
  }

  function subscribe(options: unknown): AsyncIterable<HostEvent> {
    const { signal } = shape("subscribe", options, ["signal"])
    if (!(signal instanceof AbortSignal)) throw invalid("subscribe: signal")
    return stream(store, setup.directory, signal, streams)
  }
}

/** A reader that lets more events wait is cut off. */
const QUEUED_MAX = 4_096

async function* stream(
  store: Store,
  directory: string,
  signal: AbortSignal,
  streams: Set<(error: Error) => void>,
): AsyncGenerator<HostEvent> {
  const queue: HostEvent[] = []
  let wake = Promise.withResolvers<void>()
  let failure: Error | undefined
  const take = (event: HostEvent) => {
    if (event.location !== undefined && event.location.directory !== directory) return
    queue.push(event)
    if (queue.length > QUEUED_MAX) failure = new Error("slow consumer")
    wake.resolve()
  }
  const fail = (error: Error) => {
    failure = error
    wake.resolve()
  }
  store.listeners.add(take)
  streams.add(fail)
  const end = () => wake.resolve()
  signal.addEventListener("abort", end)
  try {
    while (!signal.aborted) {
      if (failure !== undefined) throw failure
      const event = queue.shift()
      if (event !== undefined) yield event
      else {
        await wake.promise
        wake = Promise.withResolvers<void>()
      }
    }
  } finally {
    store.listeners.delete(take)
    streams.delete(fail)
    signal.removeEventListener("abort", end)
  }
}
